#!/usr/bin/env bash
# NllbTokenizer of transformers 5, made of a SentencePiece model, knows no language: deu_Latn and fra_Latn are <unk>.
# Topic: text
# Packages: transformers==5.23.0, tokenizers==0.23.3, sentencepiece==0.2.1, protobuf==7.36.2
# Behaviour: a folder with sentencepiece.bpe.model gives a tokeniser without NLLB's 202 languages. Every sentence begins
#   with <unk> in place of its language, whatever src_lang is, and the number of a target language, for
#   forced_bos_token_id, is 3, which is <unk>. Nothing is said.
# Why a good guess is wrong: the class has the languages as its default, and gives them to an empty vocabulary;
#   transformers 4 adds them to any model.
# Who meets it: NLLB's form of tags with a vocabulary of your own: the model trains, and cannot tell one target
#   language from another.
# Source: transformers/convert_slow_tokenizer.py, `SentencePieceExtractor.extract`: it passes the model's own control
#   symbols, <s> and </s>, as additional_special_tokens; tokenization_nllb.py takes its languages only if there are none.
# Remedy: extra_special_tokens=FAIRSEQ_LANGUAGE_CODES (of tokenization_nllb) in from_pretrained.
# Seen: deu_Latn: <unk> ▁a ... </s>, number of fra_Latn 3; with the remedy deu_Latn ▁a ... </s>
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile transformers==5.23.0 tokenizers==0.23.3 sentencepiece==0.2.1 protobuf==7.36.2
bin/python - <<'PYTHON'
import os

import sentencepiece
from transformers import NllbTokenizer
from transformers.models.nllb.tokenization_nllb import FAIRSEQ_LANGUAGE_CODES

words = "a fine cafe b bad face bed and bean did he dice".split()
lines = [" ".join(words[i % 12 :] + words[: i % 9]) for i in range(126)]
os.mkdir("model")
with open("model/sentencepiece.bpe.model", "wb") as file:
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=file, vocab_size=40, model_type="bpe",
        character_coverage=1.0, num_threads=1, minloglevel=2)


def first_piece(tokeniser, language):
    tokeniser.src_lang = language
    return tokeniser.convert_ids_to_tokens(tokeniser("a bad bed").input_ids)[0]


plain = NllbTokenizer.from_pretrained("model", src_lang="deu_Latn", tgt_lang="fra_Latn")
begins = {first_piece(plain, language) for language in FAIRSEQ_LANGUAGE_CODES}
print(f"{len(plain)} pieces; of {len(FAIRSEQ_LANGUAGE_CODES)} languages, sentences begin with {begins};"
      f" number of fra_Latn: {plain.convert_tokens_to_ids('fra_Latn')}")
assert begins == {"<unk>"} and plain.convert_tokens_to_ids("fra_Latn") == plain.unk_token_id == 3
mended = NllbTokenizer.from_pretrained("model", extra_special_tokens=FAIRSEQ_LANGUAGE_CODES)
assert all(first_piece(mended, language) == language for language in FAIRSEQ_LANGUAGE_CODES)
assert len(NllbTokenizer()) > len(FAIRSEQ_LANGUAGE_CODES)
PYTHON
