#!/usr/bin/env bash
# kitoken gives the bytes of a letter that a unigram model does not know in reverse order: "café" is decoded as "caf" and two broken signs.
# Topic: text
# Packages: kitoken==0.11.1, sentencepiece==0.2.1
# Behaviour: a SentencePiece model of type unigram with byte_fallback, loaded by kitoken: words of known letters get
#   SentencePiece's ids, but é, written as C3 A9, gets the ids of A9 C3, and 日本 those of six bytes, each three
#   turned around. Decoding them gives broken UTF-8 in both libraries. With BPE the order is right.
# Why a good guess is wrong: kitoken reads the file itself and agrees with SentencePiece on known letters, doubled
#   spaces and full-width letters; text that is encoded and decoded is expected to come back.
# Who meets it: unigram models with byte_fallback in a browser or beside a Rust service: names
#   and rare scripts reach the model as bytes that it never saw in that order.
# Source: kitoken's src/encoder/unigram.rs, `encode_unigram`: a word's ids are collected from its end and reversed at
#   last; those of the fallback, which calls the function again, are reversed twice.
# Remedy: SentencePiece or Hugging Face's tokenizers for such models.
# Seen: é: <0xA9> <0xC3>, not <0xC3> <0xA9>; round trip b'caf\xa9\xc3'
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile kitoken==0.11.1 sentencepiece==0.2.1
bin/python - <<'PYTHON'
import io

import sentencepiece
from kitoken import Kitoken

KNOWN, RARE = ("a face in a cafe", "the  fence  of a bed", "ｆａｃｅ"), ("café", "日本")
words = "a bad cab faced the cafe in a fence and had each beef bean diced".split()
lines = [" ".join(words[i % 13 :] + words[: i % 7]) for i in range(91)]
for kind in ("unigram", "bpe"):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=290, model_type=kind,
        byte_fallback=True, character_coverage=1.0, hard_vocab_limit=False, num_threads=1, minloglevel=2)
    right = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    other = Kitoken.from_sentencepiece(model.getvalue())
    assert all(list(other.encode(text)) == right.encode(text) for text in KNOWN)
    for text in RARE:
        ids = list(other.encode(text))
        said = other.decode(ids)
        print(kind, text, [right.id_to_piece(i) for i in ids], right.encode(text, out_type=str), said)
        assert other.decode(right.encode(text)).decode() == right.decode(right.encode(text)) == text
        turned = b"".join(letter.encode()[::-1] if ord(letter) > 127 else letter.encode() for letter in text)
        assert said == (turned if kind == "unigram" else text.encode()), said
PYTHON
