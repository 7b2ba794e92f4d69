#!/usr/bin/env bash
# sacremoses takes Finnish "EU:n" and Swedish "EU:s" apart, and does not put them together again: "EU: n".
# Topic: text
# Packages: sacremoses==0.2.0
# Behaviour: the tokeniser splits the colon off, the detokeniser joins it to the word before it alone. Its rule for Finnish
#   cases asks for a particle (ko, han, kin) behind the case, which hardly any word has, and writes a space before the case all the same:
#   "EU: n", "USA: han", "20: een".
# Why a good guess is wrong: Moses has rules for both languages, sacremoses has the same tables of case endings, and the
#   detokeniser of Moses' Perl joins "EU : n" to "EU:n".
# Who meets it: Finnish and Swedish output of models on Moses' tokens: acronyms and numbers with endings are common
#   in the news, and BLEU and chrF of the detokenised text fall.
# Source: sacremoses/tokenize.py: the tokeniser's rule stands in a string as a comment ("FIXME!!!"); FINNISH_REGEX ends in
#   ({})$ where Moses' detokenizer.perl has (...)?$; the branch lang == "fi" adds prepend_space.
# Remedy: re.sub(r"(\w): (\w+)", ...) for the endings after detokenising; or the Perl scripts.
# Seen: fi: "EU: n jäsenet, klo 20: een ja USA: ssa"; sv: "EU: s länder"
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile sacremoses==0.2.0
bin/python - <<'PYTHON'
from sacremoses import MosesDetokenizer, MosesTokenizer

lines = {
    "fi": ("EU:n jäsenet, klo 20:een ja USA:ssa", "EU: n jäsenet, klo 20: een ja USA: ssa"),
    "sv": ("EU:s länder", "EU: s länder"),
}
for language, (line, spoiled) in lines.items():
    tokens = MosesTokenizer(language).tokenize(line)
    back = MosesDetokenizer(language).detokenize(tokens)
    print(f"{language}: {line} -> {' '.join(tokens)} -> {back}")
    assert back == spoiled, back
# the rule is reached with a particle behind the case, and adds the space all the same
assert MosesDetokenizer("fi").detokenize(["EU", ":", "ssako"]) == "EU: ssako"
PYTHON
