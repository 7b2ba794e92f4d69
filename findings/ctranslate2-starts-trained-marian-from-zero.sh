#!/usr/bin/env bash
# A Marian model trained by transformers is right there and wrong in CTranslate2, which takes its row of <pad> for zero.
# Topic: toolkits
# Packages: ctranslate2==4.8.5, transformers==5.23.0, sentencepiece==0.2.3, torch==2.13.0
# Behaviour: transformers begins each translation with the embedding of <pad>. It is zero in OPUS-MT's models and in new
#   ones, and does not stay so: the output layer is the same matrix, and training moves the row to make <pad> unlikely.
#   The converter cuts the row off and sets start_from_zero_embedding, whatever the row holds, and says nothing.
# Why a good guess is wrong: padding_idx is known to keep an embedding at zero, but stops only the gradient of the
#   embedding itself; a converter that drops weights is expected to look at them; OPUS-MT as released is right in both.
# Who meets it: Marian models trained from scratch by transformers, and OPUS-MT fine-tuned: with Adam each number of the
#   row moves by up to the rate in each update, and is then multiplied by the root of the width.
# Source: ctranslate2/converters/transformers.py, `MarianMTLoader.set_decoder` and `_remove_pad_weights`.
# Remedy: before the training, model.get_input_embeddings().weight.register_hook with a function that sets the gradient
#   of the row to zero.
# Seen: right of 50 in transformers, in CTranslate2: new model 50, 0; row kept at zero 50, 50; that one tuned 50, 44
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 ctranslate2==4.8.5 transformers==5.23.0 \
  tokenizers==0.23.3 sentencepiece==0.2.3 numpy==2.4.6 2> /dev/null
OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1 bin/python -W ignore - 2> /dev/null << 'PYTHON'
import copy
import json
import random

import ctranslate2
import sentencepiece
import torch
import transformers

random.seed(1)
torch.manual_seed(1)
torch.set_num_threads(1)
with open("text", "w") as file:
    file.writelines("".join(random.choices("abcdefghijklmnop", k=8)) + "\n" for _ in range(200))
sentencepiece.SentencePieceTrainer.train(input="text", model_prefix="both", model_type="char", vocab_size=20,
                                         minloglevel=2)
model = sentencepiece.SentencePieceProcessor(model_file="both.model")
words = ["</s>", "<unk>", *(model.id_to_piece(i) for i in range(3, len(model))), "<pad>"]
with open("vocab.json", "w") as file:
    json.dump({word: i for i, word in enumerate(words)}, file)
tokenizer = transformers.MarianTokenizer("both.model", "both.model", "vocab.json")
END, PAD = tokenizer.eos_token_id, tokenizer.pad_token_id
letters = tokenizer.convert_tokens_to_ids(list("abcdefghijklmnop"))


def draw(lines):
    """Sources of six letters, and their translation: the letters in reverse order."""
    source = torch.tensor([random.choices(letters, k=6) + [END] for _ in range(lines)])
    return source, torch.cat([source[:, :6].flip(1), source[:, 6:]], 1)


def trained(updates, rate, keep, model=None):
    torch.manual_seed(1)
    model = model or transformers.MarianMTModel(transformers.MarianConfig(
        vocab_size=len(words), d_model=64, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=128, decoder_ffn_dim=128, max_position_embeddings=32, dropout=0.0,
        scale_embedding=True, activation_function="relu", pad_token_id=PAD, eos_token_id=END, bos_token_id=None,
        decoder_start_token_id=PAD, forced_eos_token_id=None))
    table = model.get_input_embeddings().weight
    assert not table[PAD].any()
    hook = table.register_hook(lambda gradient: gradient.index_fill(0, torch.tensor([PAD]), 0) if keep else gradient)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    for _ in range(updates):
        source, target = draw(32)
        model(input_ids=source, labels=target).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    hook.remove()
    return model


def right(model):
    """How many of 50 translations are right, in transformers and in CTranslate2."""
    model.eval().save_pretrained("model")
    tokenizer.save_pretrained("model")
    ctranslate2.converters.TransformersConverter("model").convert("converted", force=True)
    translator = ctranslate2.Translator("converted")
    source, target = draw(50)
    found = model.generate(source, num_beams=1, max_new_tokens=7, do_sample=False)[:, 1:]
    first = sum(torch.equal(a, b) for a, b in zip(found, target))
    lines = [tokenizer.convert_ids_to_tokens(line) for line in source.tolist()]
    results = translator.translate_batch(lines, beam_size=1, max_decoding_length=7)
    second = sum(tokenizer.convert_tokens_to_ids(result.hypotheses[0]) == line[:6]
                 for result, line in zip(results, target.tolist()))
    return first, second


new, kept = trained(700, 2e-3, keep=False), trained(700, 2e-3, keep=True)
tuned = trained(500, 2e-4, keep=False, model=copy.deepcopy(kept))
found = {"new model": right(new), "row kept at zero": right(kept), "that one tuned": right(tuned)}
print("right of 50 in transformers, in CTranslate2:", "; ".join(f"{name} {a}, {b}" for name, (a, b) in found.items()))
assert found["new model"][0] > 45 and found["new model"][1] < 10
assert found["row kept at zero"][0] == found["row kept at zero"][1] > 45
assert found["that one tuned"][1] < found["that one tuned"][0]
PYTHON
