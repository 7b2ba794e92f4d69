#!/usr/bin/env bash
# Since sentencepiece 0.2.2, spm_train with input_sentence_size makes another BPE model in each run, from the same text with the same options.
# Topic: text
# Packages: sentencepiece==0.2.1, sentencepiece==0.2.3
# Behaviour: with input_sentence_size below the number of lines, the lines to learn from are drawn at random. 0.2.1 draws the
#   same ones in each process. 0.2.3 draws others in each process, but the same ones if one process trains twice; 0.2.2 does so, too.
#   set_random_generator_seed does not change it. BPE of the whole text is the same in all releases and runs.
# Why a good guess is wrong: training had a fixed seed, so that scripts did not need to name one; trained twice in one
#   process, as a test does it, the models are equal; no release note says otherwise.
# Who meets it: every corpus of more than some million lines, for which input_sentence_size is the usual setting: whoever makes the
#   vocabulary again, for a second machine or after a lost file, has other pieces and ids, which fit no model.
# Source: seen by results.
# Remedy: draw the lines yourself (shuf with a fixed source) and train on all of them; keep model files with weights.
# Seen: 0.2.1: one list of pieces in three processes; 0.2.3: three lists. Whole text: one list for both.
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat > train.py <<'PYTHON'
import io
import sys
from pathlib import Path

import sentencepiece

STEMS = "alt neu rot blau gross klein hund katze haus baum".split()
text = [
    " ".join(STEMS[(i * 7 + j * 3 + k * k) % 10] + "abcdefghij"[(i + j * k) % 10] for k in range(6))
    for i in range(50) for j in range(20)
]


def pieces(**options):
    written = io.BytesIO()
    sentencepiece.set_random_generator_seed(7)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(text), model_writer=written, model_type="bpe", vocab_size=60,
        minloglevel=2, **options,
    )
    model = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
    return " ".join(map(model.id_to_piece, range(3, len(model))))


drawn = pieces(input_sentence_size=200)
assert drawn == pieces(input_sentence_size=200)
Path(f"{sys.argv[1]}.whole").write_text(pieces())
Path(f"{sys.argv[1]}.drawn").write_text(drawn)
print(sys.argv[1], drawn[:70])
PYTHON
kinds() { md5sum "$@" | cut -c1-32 | sort -u | wc -l; }
for version in 0.2.1 0.2.3; do
    python3 -m venv --without-pip "$version"
    python3 -m pip --python "$version/bin/python" install -q "sentencepiece==$version"
    for process in 1 2 3; do "$version/bin/python" train.py "$version.$process"; done
done
test "$(kinds ./*.whole)" = 1
test "$(kinds ./0.2.1.*.drawn)" = 1
test "$(kinds ./0.2.3.*.drawn)" = 3
