"""Translate lines of text with the model in this folder: `python translate.py < mine > theirs`."""

import sys
from pathlib import Path
from typing import Annotated, Literal

import torch
from pydantic import Field

from deepmt.base.cli import open_output, run
from deepmt.base.errors import UserError
from deepmt.decode.line_translation import translate_lines
from deepmt.decode.sentence_translator import SentenceTranslator

FOLDER = Path(__file__).resolve().parent
SPEC, WEIGHTS, TEXT = "model/spec.json", "model/model.safetensors", "text"
"""Settings, weights, and what text is cut into: names below the folder."""


def main(
    *,
    n_best: Annotated[int, Field(ge=1, le=100), "translations of each; more have a score"] = 1,
    precision: Annotated[Literal["float32", "bfloat16", "int8"], "of the weights"] = "float32",
    threads: Annotated[int, Field(ge=0, le=1024), "0 = as many as torch takes"] = 0,
) -> None:
    """Read a sentence a line, from a terminal or a file, and print its translation.

    Text is UTF-8, and n lines give n translations, in blocks. Standard error has how many are done,
    and what the model does not read of a line.
    """
    output = open_output().buffer
    if not sys.stdin:
        raise UserError("standard input is closed: it must give the sentences")
    if threads:
        torch.set_num_threads(threads)
    files = (FOLDER / name for name in (SPEC, WEIGHTS, TEXT))
    translator = SentenceTranslator(*files, precision=precision, n_best=n_best)
    translate_lines(translator, sys.stdin, output)


if __name__ == "__main__":
    run(main)
