#!/usr/bin/env bash
# transformers 5 takes the normaliser off mBART's tokeniser, also if tokenizer.json has one: "，" and "…" are unknown words.
# Topic: text
# Packages: transformers==5.23.0, tokenizers==0.23.3, sentencepiece==0.2.1, protobuf==7.36.2
# Behaviour: an mBART folder with SentencePiece's model gives <unk> for letters that the model's table would rewrite:
#   the full-width comma, the ellipsis, ligatures, half-width katakana, decomposed accents. XLMRobertaTokenizer of the same
#   file gives SentencePiece's pieces. A tokenizer.json with the right normaliser is loaded without it.
# Why a good guess is wrong: mBART and XLM-R share their tokeniser, and transformers 4 reads the normaliser of both; a
#   tokenizer.json is thought to be the tokeniser as it was saved.
# Who meets it: mBART in Chinese and Japanese, whose every comma is full-width, and texts with an ellipsis: no error,
#   other ids than in training.
# Source: transformers/models/mbart/tokenization_mbart.py, `__init__` sets normalizer = None and takes no table; that
#   of xlm_roberta takes _spm_precompiled_charsmap.
# Remedy: tokenizer.backend_tokenizer.normalizer = that of XLMRobertaTokenizer, after each loading.
# Seen: MBartTokenizer: "a，" and "a…" end in <unk>, XLMRobertaTokenizer: in "," and "..."; saved with a normaliser,
#   loaded with None
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile transformers==5.23.0 tokenizers==0.23.3 sentencepiece==0.2.1 protobuf==7.36.2
bin/python - <<'PYTHON'
import os

import sentencepiece
from transformers import MBartTokenizer, XLMRobertaTokenizer

words = "a fine cafe, a bad face! bed and bean. did he dice? ア カ é".split()
lines = [" ".join(words[i % 14 :] + words[: i % 9]) for i in range(126)]
os.mkdir("model")
file = "model/sentencepiece.bpe.model"
sentencepiece.SentencePieceTrainer.train(
    sentence_iterator=iter(lines), model_writer=open(file, "wb"), vocab_size=40, hard_vocab_limit=False,
    character_coverage=1.0, num_threads=1, minloglevel=2)
right = sentencepiece.SentencePieceProcessor(model_file=file)
bart = MBartTokenizer.from_pretrained("model", src_lang="en_XX")
roberta = XLMRobertaTokenizer.from_pretrained("model")


def pieces(tokeniser, text):
    return tokeniser.convert_ids_to_tokens(tokeniser(text, add_special_tokens=False).input_ids)


assert pieces(bart, "a fine cafe, dice?") == right.encode("a fine cafe, dice?", out_type=str)
for text in ("a，", "a…", "ﬁne", "ｱ", "e\u0301"):
    print(text, pieces(bart, text), pieces(roberta, text), right.encode(text, out_type=str))
    assert pieces(roberta, text) == right.encode(text, out_type=str)
    assert "<unk>" in pieces(bart, text) and "<unk>" not in pieces(roberta, text)
bart.backend_tokenizer.normalizer = roberta.backend_tokenizer.normalizer
assert "<unk>" not in pieces(bart, "a，")
bart.save_pretrained("saved")
assert '"normalizer": null' not in open("saved/tokenizer.json").read()
loaded = MBartTokenizer.from_pretrained("saved").backend_tokenizer.normalizer
print(f"saved with a normaliser, loaded with {loaded}")
assert loaded is None
PYTHON
