#!/usr/bin/env bash
# tokenizers trains a file with its line ends: with Metaspace, the last word of a line is learned as "word\n", a piece of its own.
# Topic: text
# Packages: tokenizers==0.23.3
# Behaviour: train(["text"]) and train_from_iterator(lines) learn different vocabularies of one text. The file's lines keep
#   their \n, and Metaspace splits at spaces only, so 19 word types become 37 for WordLevel, half of them with a line
#   end; BPE learns "▁tree\n". Encoding has no line ends, so these pieces are never used, and each end of a
#   sentence was counted for a piece that does not occur.
# Why a good guess is wrong: SentencePiece, subword-nmt and fastBPE train on the lines; the pre-tokeniser is named for
#   white space; an iterator over a file that was read with splitlines() shows nothing of it.
# Who meets it: a vocabulary in SentencePiece's form, of a file with a sentence in each line: the room of an 8k vocabulary
#   goes to words before a line end, most of all full stops: ".\n" and not ".".
# Source: tokenizers' tokenizer/mod.rs, `train_from_files` (lines_with_ending); issue 231 of huggingface/tokenizers, 2020.
# Remedy: train_from_iterator(line.rstrip("\n") for line in file), or normalizers.Strip() before the pre-tokeniser.
# Seen: WordLevel 18 of 37, BPE 19 of 80 types have a line end; with Strip() both vocabularies are equal
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile --no-deps tokenizers==0.23.3
bin/python - <<'PYTHON'
import random

from tokenizers import Tokenizer, normalizers, pre_tokenizers
from tokenizers.models import BPE, WordLevel
from tokenizers.trainers import BpeTrainer, WordLevelTrainer

random.seed(1)
words = "the old dog sat on a red mat and new cat was by low door near big tree".split()
lines = [" ".join(random.choice(words) for _ in range(8)) for _ in range(300)]
with open("text", "w") as file:
    file.write("".join(line + "\n" for line in lines))


def vocabulary(model, trainer, by_file, strip=False):
    tokenizer = Tokenizer(model(unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    if strip:
        tokenizer.normalizer = normalizers.Strip()
    settings = trainer(vocab_size=120, special_tokens=["<unk>"], show_progress=False)
    tokenizer.train(["text"], settings) if by_file else tokenizer.train_from_iterator(lines, settings)
    return set(tokenizer.get_vocab())


for model, trainer in (WordLevel, WordLevelTrainer), (BPE, BpeTrainer):
    of_file, of_lines = (vocabulary(model, trainer, by_file) for by_file in (True, False))
    ends = [piece for piece in of_file if "\n" in piece]
    print(f"{model.__name__}: {len(of_file)} types of the file, {len(of_lines)} of its lines; {len(ends)} have a line end,",
          sorted(ends)[-2:])
    assert len(ends) >= 18 and not any("\n" in piece for piece in of_lines)
    assert vocabulary(model, trainer, True, strip=True) == vocabulary(model, trainer, False, strip=True)
PYTHON
