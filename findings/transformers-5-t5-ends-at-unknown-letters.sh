#!/usr/bin/env bash
# T5Tokenizer of transformers 5 writes the end symbol </s> for an unknown letter if a SentencePiece model of your own has its usual order.
# Topic: text
# Packages: transformers==5.23.0, tokenizers==0.23.3, sentencepiece==0.2.1, protobuf==7.36.2
# Behaviour: a model trained by SentencePiece with its defaults has <unk> 0, <s> 1, </s> 2. Loaded as T5Tokenizer, an
#   unknown letter becomes 2: "a日b" is ▁a </s> b </s>, though unk_token_id is 0. With pad_id=0, eos_id=1, unk_id=2,
#   the order of the released T5, it is <unk>. XLMRobertaTokenizer reads the same file rightly.
# Why a good guess is wrong: the file names its own unknown piece, unk_token and unk_token_id are right, and
#   transformers 4 read the number from the file.
# Who meets it: T5 trained from scratch in another language: each rare letter ends the source in the middle, and in a target
#   teaches the model to stop there.
# Source: transformers/models/t5/tokenization_t5.py, `__init__`: Unigram(..., unk_id=2).
# Remedy: train with pad_id=0, eos_id=1, unk_id=2, bos_id=-1.
# Seen: usual order: ▁a </s> b </s>, order of T5: ▁a <unk> b </s>
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
from transformers import T5Tokenizer, XLMRobertaTokenizer

words = "a fine cafe b bad face bed and bean did he dice".split()
lines = [" ".join(words[i % 12 :] + words[: i % 9]) for i in range(126)]
T5 = {"pad_id": 0, "eos_id": 1, "unk_id": 2, "bos_id": -1}
for order, unknown in (({}, "</s>"), (T5, "<unk>")):
    folder = "of-t5" if order else "usual"
    os.mkdir(folder)
    with open(f"{folder}/spiece.model", "wb") as file:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines), model_writer=file, vocab_size=30, hard_vocab_limit=False,
            character_coverage=1.0, num_threads=1, minloglevel=2, **order)
    tokeniser = T5Tokenizer.from_pretrained(folder)
    assert tokeniser.unk_token == "<unk>" and tokeniser.unk_token_id == order.get("unk_id", 0)
    for text in ("a日b", "bad facé bed"):
        pieces = tokeniser.convert_ids_to_tokens(tokeniser(text).input_ids)
        right = sentencepiece.SentencePieceProcessor(model_file=f"{folder}/spiece.model")
        known = [right.id_to_piece(number) for number in right.encode(text)]
        print(folder, text, pieces, known)
        assert pieces == [unknown if piece == "<unk>" else piece for piece in known] + ["</s>"]
os.rename("usual/spiece.model", "usual/sentencepiece.bpe.model")
other = XLMRobertaTokenizer.from_pretrained("usual")
assert other.convert_ids_to_tokens(other("a日b").input_ids).count("<unk>") == 1
PYTHON
