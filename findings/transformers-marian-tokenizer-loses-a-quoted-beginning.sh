#!/usr/bin/env bash
# transformers' MarianTokenizer turns a quotation at the beginning of a line, ">>Guten Tag<<, sagte er.", into one unknown word.
# Topic: text
# Packages: transformers==5.23.0, sentencepiece==0.2.3
# Behaviour: text from ">>" at the very beginning to the next "<<", however far away, is cut off as a code of a
#   language and looked up as one token. No model has it, so that all of it becomes a single <unk>; models without
#   codes do the same. With a space before it, or in the middle of a line, the same text is tokenised word by word.
# Why a good guess is wrong: codes such as ">>deu<<" are known tokens of the vocabulary, and one expects other text to
#   be no code.
# Who meets it: German and Danish books and subtitles, which quote as »so« and are written >>so<< in plain ASCII;
#   quoted e-mail and code with ">>" and "<<". What was said is missing in the translation.
# Source: transformers' models/marian/tokenization_marian.py, remove_language_code (a search for "<<", no look at the
#   vocabulary).
# Remedy: a space before a line that begins with ">>", unless it begins with a code.
# Seen: '>>guten tag<<, sagte er.': 1 unknown of 6 tokens, begins with >>guten tag<<
#   ' >>guten tag<<, sagte er.': 0 unknown of 7 tokens, begins with ▁>>
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile transformers==5.23.0 sentencepiece==0.2.3
bin/python - 2>log <<'PYTHON' || { cat log; exit 1; }
import json

import sentencepiece
from transformers import MarianTokenizer

quotation = ">>guten tag<<, sagte er."
open("text", "w").write(f"er sagte: {quotation}\n{quotation}\n" * 50)
options = dict(model_prefix="pieces", vocab_size=80, hard_vocab_limit=False, model_type="bpe", minloglevel=2)
sentencepiece.SentencePieceTrainer.train(input="text", **options)
model = sentencepiece.SentencePieceProcessor(model_file="pieces.model")
words = ["</s>", "<unk>", *(model.id_to_piece(i) for i in range(3, len(model))), "<pad>"]
json.dump({word: i for i, word in enumerate(words)}, open("vocab.json", "w"))
tokenizer = MarianTokenizer(source_spm="pieces.model", target_spm="pieces.model", vocab="vocab.json")
unknown = []
for text in quotation, " " + quotation:
    ids = tokenizer(text).input_ids[:-1]
    unknown.append(ids.count(tokenizer.unk_token_id))
    first = tokenizer.tokenize(text)[0]
    print(f"{text!r}: {unknown[-1]} unknown of {len(ids)} tokens, begins with {first}")
raise SystemExit(unknown != [1, 0])
PYTHON
