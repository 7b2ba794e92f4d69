"""Write the lines of Python by which an exported model translates raw text."""

import shutil
from pathlib import Path

from deepmt.base.languages import language
from deepmt.data.dataset import Dataset
from deepmt.data.moses import HAVE_QUOTATION_RULES, INSIDE_WORDS
from deepmt.data.subword import codes_of
from deepmt.settings.spec import Spec

ENDINGS = {"sentencepiece": "spm", "bpe": "bpe"}
"""Endings of the models of subwords in an exported folder."""
READ = """\
codecs = itertools.chain(["utf-8-sig"], itertools.repeat("utf-8"))
texts = [x.decode(codec) for x, codec in zip(sys.stdin.buffer, codecs)]
texts = [re.sub("[\\x00-\\x1f\\x7f-\\x9f]", " ", unicodedata.normalize("NFC", x)) for x in texts]
texts = [" ".join(x.split()) for x in texts]"""
"""How it reads text: as UTF-8 in every locale, only a line feed ends a line, then `clean_line`."""
SENTENCEPIECE = """\
import {package}, itertools, json, re, sentencepiece as pieces, sys, unicodedata
{read}
read, write = map(pieces.SentencePieceProcessor, ("source.spm", "target.spm"))
lines = read.encode(texts, out_type=str)
{cut}
{translate}
found = [write.decode(x) if y else "" for x, y in zip(found, lines)]
sys.stdout.buffer.write("".join(x + "\\n" for x in found).encode())
"""
BPE = """\
import {package}, itertools, json, re, sacremoses, sys, unicodedata
from subword_nmt.apply_bpe import BPE, read_vocabulary
bpe = BPE(open("source.bpe", encoding="utf-8"){pieces})
moses, back = sacremoses.MosesTokenizer("{source}"), sacremoses.MosesDetokenizer("{target}")
{read}
lines = [x{before} for x in texts]
lines = [moses.tokenize({line}, {dashes}, True, {escape}){after} for x in lines]
lines = [bpe.process_line(x).split() for x in lines]
{cut}
{translate}
texts = [re.sub("(@@ )|(@@ ?$)", "", " ".join(x)){joined} for x in found]
found = [back.detokenize(x.split(), unescape={escape}) if y else "" for x, y in zip(texts, lines)]
sys.stdout.buffer.write("".join(x + "\\n" for x in found).encode())
"""
CUT = """\
if long := [n for n, x in enumerate(lines, 1) if len(x) > {longest}]:
    print("cut to {longest} subwords: line", *long, file=sys.stderr)
lines = [x[:{longest}] for x in lines]"""
"""How it leaves out what the model never read in training."""
TRANSLATE = {
    "ctranslate2": """\
model, how = ctranslate2.Translator("."), json.load(open("decoding.json"))
found = [x.hypotheses[0] for x in model.translate_batch(lines, max_batch_size=32, **how)]""",
    "huggingface": """\
model = transformers.AutoModelForSeq2SeqLM.from_pretrained(".")
ids, tokens = map(transformers.AutoTokenizer.from_pretrained, ("./source", "./target"))
found = (model.generate(**ids(" ".join(x), return_tensors="pt"))[0, 1:] for x in lines)
found = [tokens.convert_ids_to_tokens(x, skip_special_tokens=True) for x in found]""",
}
"""How each toolkit turns source subwords, `lines`, into those of the target, `found`."""
PACKAGES = {"ctranslate2": "ctranslate2", "huggingface": "transformers"}


def copy_subwords(dataset: Dataset, folder: Path) -> None:
    """Copy the models of subwords: source.spm and target.spm, or source.bpe and target.bpe."""
    settings = dataset.settings
    if settings.subword not in ENDINGS:
        return
    for side, code in (("source", settings.source), ("target", settings.target)):
        codes = dataset.file(codes_of(settings, code))
        shutil.copyfile(codes, folder / f"{side}.{ENDINGS[settings.subword]}")
        if settings.threshold:
            shutil.copyfile(dataset.file(f"pieces.{code}"), folder / f"{side}.pieces")


def program(spec: Spec, toolkit: str) -> str:
    """Return a program that translates standard input; empty if text steps are in no package.

    It knows SentencePiece on plain text, and BPE on Moses' tokens.
    """
    settings = spec.data
    source, target = map(language, settings.languages)
    filling = {"package": PACKAGES[toolkit], "translate": TRANSLATE[toolkit], "read": READ}
    filling["cut"] = CUT.format(longest=spec.training.max_length)
    quotes = '.replace("’", "\'")' if settings.straight_quotes else ""
    if settings.printable or settings.recase:
        return ""
    if settings.subword == "sentencepiece" and settings.tokenise == "none":
        plain = not (settings.normalise or settings.lowercase or quotes)
        return SENTENCEPIECE.format(**filling) if plain else ""
    own_rules = "zh" in (source.tokeniser, target.tokeniser) or target.code in ("cs", "fi")
    own_rules |= settings.normalise and source.code not in HAVE_QUOTATION_RULES
    own_rules |= source.code in INSIDE_WORDS
    if settings.subword != "bpe" or settings.tokenise != "moses" or own_rules:
        return ""
    lower = ".lower()" if settings.lowercase else ""
    normaliser = f'sacremoses.MosesPunctNormalizer("{source.code}", perl_parity=True)'
    pieces = f'read_vocabulary(open("source.pieces", encoding="utf-8"), {settings.threshold})'
    return BPE.format(
        **filling,
        source=source.code,
        target=target.code,
        pieces=f", vocab={pieces}" if settings.threshold else "",
        before=quotes + (lower if settings.normalise else ""),
        line=f'{normaliser}.normalize(x + "\\n")' if settings.normalise else "x",
        after="" if settings.normalise else lower,
        dashes=settings.aggressive,
        escape=settings.escape,
        joined='.replace(" @-@ ", "-")' if settings.aggressive else "",
    )
