#!/usr/bin/env bash
# With label_smoothing_factor, transformers' Trainer trains BART and mBART with the source sentence as input of the decoder.
# Topic: models
# Packages: transformers==5.23.0, accelerate==1.15.0, torch==2.13.0
# Behaviour: with smoothing the Trainer takes the labels out of the batch and calls the model without them. Nothing
#   then makes the decoder's input from the labels, unless the collator did: DataCollatorForSeq2Seq does so only if it
#   was given the model, default_data_collator never. BART and mBART use the shifted source in this case, as for
#   BART's own classification. If both sides have one length (padding="max_length", pad_to_multiple_of), the training
#   runs, and the decoder never sees a word of the target.
# Why a good guess is wrong: without smoothing the same script is right; Marian, M2M100, Pegasus and T5 stop with an
#   error here; and the collator's documentation speaks of saving a second computation of the loss.
# Who meets it: fine-tuning of mBART-50 for translation with smoothing 0.1, the usual value, and padding to one
#   length; generate then gives the decoder its own words, which it was never trained with.
# Source: transformers' trainer.py, compute_loss (labels are popped); data/data_collator.py, DataCollatorForSeq2Seq
#   (model is None); modeling_bart.py and modeling_mbart.py, forward of the model (decoder_input_ids from input_ids).
# Remedy: DataCollatorForSeq2Seq(tokenizer, model=model).
# Seen: input of the decoder of a pair with source 5 6 7 8 and target 15 16 17 18, after the start symbol
#   Bart without smoothing [15, 16, 17, 18], with smoothing [5, 6, 7, 8], and with the collator's model [15, 16, 17, 18]
#   MBart without smoothing [15, 16, 17, 18], with smoothing [5, 6, 7, 8], and with the collator's model [15, 16, 17, 18]
#   Marian without smoothing [15, 16, 17, 18], with smoothing ValueError, and with the collator's model [15, 16, 17, 18]
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 transformers==5.23.0 accelerate==1.15.0
TRANSFORMERS_VERBOSITY=error bin/python - 2>log <<'PYTHON' || { cat log; exit 1; }
import contextlib

import transformers
from tokenizers import Tokenizer, models
from transformers import DataCollatorForSeq2Seq, PreTrainedTokenizerFast, Seq2SeqTrainer, Seq2SeqTrainingArguments

words = Tokenizer(models.WordLevel({"<pad>": 0, "<unk>": 1, "</s>": 2}, unk_token="<unk>"))
tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="</s>")
pair = {"input_ids": [5, 6, 7, 8, 2], "attention_mask": [1] * 5, "labels": [15, 16, 17, 18, 2]}
sizes = dict(vocab_size=40, d_model=32, encoder_layers=1, decoder_layers=1, pad_token_id=0, eos_token_id=2)
sizes |= dict(encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64)


def decoder_input(family, smoothing, collator_has_model):
    kind = "MarianMTModel" if family == "Marian" else f"{family}ForConditionalGeneration"
    configuration = getattr(transformers, f"{family}Config")(**sizes, bos_token_id=1, decoder_start_token_id=2)
    model = getattr(transformers, kind)(configuration)
    seen = []
    model.get_decoder().register_forward_pre_hook(
        lambda module, inputs, named: seen.append(named["input_ids"]), with_kwargs=True
    )
    settings = Seq2SeqTrainingArguments(
        output_dir="out", max_steps=1, label_smoothing_factor=smoothing, use_cpu=True, report_to=[],
        disable_tqdm=True, save_strategy="no", logging_strategy="no",
    )
    collator = DataCollatorForSeq2Seq(tokenizer, model=model if collator_has_model else None)
    trainer = Seq2SeqTrainer(model=model, args=settings, train_dataset=[pair] * 8, data_collator=collator)
    try:
        with contextlib.redirect_stdout(None):
            trainer.train()
    except ValueError:
        return "ValueError"
    return seen[0][0].tolist()[1:]


print("input of the decoder of a pair with source 5 6 7 8 and target 15 16 17 18, after the start symbol")
source, target = pair["input_ids"][:4], pair["labels"][:4]
fine = True
for family in "Bart", "MBart", "Marian":
    plain, smooth, told = (decoder_input(family, *how) for how in ((0, False), (0.1, False), (0.1, True)))
    print(f"{family} without smoothing {plain}, with smoothing {smooth}, and with the collator's model {told}")
    fine &= plain == told == target and smooth == ("ValueError" if family == "Marian" else source)
raise SystemExit(not fine)
PYTHON
