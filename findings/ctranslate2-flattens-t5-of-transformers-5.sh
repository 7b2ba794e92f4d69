#!/usr/bin/env bash
# CTranslate2 converts mT5 and T5 v1.1 with all logits divided by the root of the width, if transformers 5 is installed.
# Topic: toolkits
# Packages: ctranslate2==4.8.5, transformers==5.23.0, torch==2.13.0
# Behaviour: the converter scales the decoder's outputs by d_model ** -0.5 where config.tie_word_embeddings is true.
#   The first T5 needs that; T5 v1.1 and mT5 do not, and their configuration says tie_word_embeddings: false.
#   transformers 5 overwrites the setting with true while it reads a configuration of the T5 family (T5 v1.1 has the
#   setting scale_decoder_outputs: false instead, mT5 no setting). Width 64 divides by 8, mT5-base (768) by 28: every
#   distribution comes near to uniform. The first choice of each step stays, and so does greedy search.
# Why a good guess is wrong: model and converter are the newest releases, the file says false, nothing is logged, and
#   a greedy translation, the usual check, is equal.
# Who meets it: beam search, sampling, scores and distillation with converted mT5, T5 v1.1 and FLAN-T5 (and
#   MADLAD-400).
# Source: ctranslate2/converters/transformers.py, T5Loader.get_model_spec; transformers' configuration_t5.py and
#   configuration_mt5.py, __post_init__; CTranslate2 issue 2102 saw the like with UMT5 and left it open.
# Remedy: convert with transformers 4.57, or set spec.decoder.scale_outputs yourself.
# Seen: T5: transformers -15.87, CTranslate2 -15.87
#   T5 v1.1: transformers -36.68, CTranslate2 -15.79 (with logits / 8: -15.79)
#   mT5: transformers -36.68, CTranslate2 -15.79 (with logits / 8: -15.79)
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 ctranslate2==4.8.5 transformers==5.23.0
TRANSFORMERS_VERBOSITY=error bin/python - 2>log <<'PYTHON' || { cat log; exit 1; }
import ctranslate2
import torch
from tokenizers import Tokenizer, models
from transformers import (
    MT5Config, MT5ForConditionalGeneration, PreTrainedTokenizerFast, T5Config, T5ForConditionalGeneration
)

words = ["<pad>", "</s>", "<unk>"] + [f"w{i}" for i in range(3, 48)]
level = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
tokenizer = PreTrainedTokenizerFast(tokenizer_object=level, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")
source, target = [5, 6, 7, 8, 1], [9, 10, 11, 1]


def scores(name, model, configuration, **options):
    torch.manual_seed(1)
    sizes = dict(vocab_size=48, d_model=64, d_kv=16, d_ff=64, num_layers=2, num_heads=4, decoder_start_token_id=0)
    network = model(configuration(**sizes, **options)).eval()
    with torch.no_grad():
        network.lm_head.weight.normal_(0, 0.3)
        logits = network(input_ids=torch.tensor([source]), labels=torch.tensor([target])).logits[0]
    network.save_pretrained(name)
    tokenizer.save_pretrained(name)
    ctranslate2.converters.TransformersConverter(name).convert(name + "-converted")
    translator = ctranslate2.Translator(name + "-converted", compute_type="float32")
    sentences = [words[i] for i in source], [words[i] for i in target[:-1]]
    converted = sum(translator.score_batch([sentences[0]], [sentences[1]])[0].log_probs)
    own, flat = (sum(torch.log_softmax(x, -1)[range(4), target]).item() for x in (logits, logits / 8))
    return own, flat, converted


first = scores("first", T5ForConditionalGeneration, T5Config)
print("T5: transformers %.2f, CTranslate2 %.2f" % (first[0], first[2]))
fine = abs(first[0] - first[2]) < 0.01
options = dict(feed_forward_proj="gated-gelu", tie_word_embeddings=False)
for name, kind in ("T5 v1.1", (T5ForConditionalGeneration, T5Config)), ("mT5", (MT5ForConditionalGeneration, MT5Config)):
    own, flat, converted = scores(name, *kind, **options)
    print(f"{name}: transformers {own:.2f}, CTranslate2 {converted:.2f} (with logits / 8: {flat:.2f})")
    fine &= abs(converted - flat) < 0.01 < 5 < abs(converted - own)
raise SystemExit(not fine)
PYTHON
