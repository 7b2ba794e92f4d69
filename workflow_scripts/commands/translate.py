"""Translate your own sentences with a model that was trained here."""

import math
import sys
from io import BufferedReader
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from deepmt.base.cli import open_output, run
from deepmt.base.compressed import refuse_compressed
from deepmt.base.errors import UserError
from deepmt.base.printable import say
from deepmt.machines.hardware import usable_cores
from deepmt.measured.records import Record
from deepmt.settings.seed_folder import SeedFolder, seeds_in
from deepmt.settings.spec import read_spec
from deepmt.settings.strict import unknown
from deepmt.settings.strict_yaml import names_in
from deepmt.study.config_file import load_config

HOW = "results/<scale>/runs/, e.g. post-2-2-d64-toy.en-de-1a2b3c4d; default: the best on dev"
BestOnes = Annotated[int, Field(ge=1, le=100)]
"""Translations of a sentence: a beam of as many takes memory."""


def main(
    *,
    scale: Annotated[str, "default: as in config.yaml"] = "",
    run: Annotated[str, f"a folder of {HOW}"] = "",
    n_best: Annotated[BestOnes, "translations of each; more than 1 with number and score"] = 1,
    precision: Annotated[Literal["float32", "bfloat16", "int8"], "of the weights"] = "float32",
    threads: Annotated[int, Field(ge=0, le=usable_cores()), "0 = all cores that may be used"] = 0,
    root: Path = Path(),
) -> None:
    """Read a sentence a line, from a terminal or a file, and print its translation.

    Text is UTF-8 in every locale, and only a line feed ends a line: n lines give n translations.
    Those of a file are written in blocks. Standard error has how many are done, and what the model
    does not read of a line.

    Raises:
        ValueError: no run of the scale has a model, or none of that name; a line is not UTF-8.
    """
    output = open_output().buffer
    if not sys.stdin:
        raise UserError("standard input is closed: it must give the sentences")
    scale = scale or load_config(root / "config.yaml", {})[0].scale
    if scale not in (scales := names_in(root / "scales")):
        raise UserError(f"--scale: {unknown('scale', scale, scales)}")
    seed, record = best(root / "results" / scale, run)
    dataset = root / "data/encoded" / read_spec(seed.spec).dataset
    if isinstance(source := sys.stdin.buffer, BufferedReader) and not source.isatty():
        refuse_compressed(source, "standard input")
    import torch  # takes seconds, and no wrong flag has to wait for it

    from deepmt.decode.line_translation import translate_lines
    from deepmt.decode.sentence_translator import SentenceTranslator

    torch.set_num_threads(threads or usable_cores())
    translator = SentenceTranslator(
        seed.spec, seed.model, dataset, precision=precision, n_best=n_best
    )
    say(f"{seed.path}: {record.outcome}, perplexity on dev {on_dev(record):.2f}")
    translate_lines(translator, sys.stdin, output)


def best(results: Path, run: str) -> tuple[SeedFolder, Record]:
    """Return the folder of the seed with the lowest perplexity on dev, and its record."""
    seeds = [one for one in seeds_in(results) if one.model.exists() and one.record.exists()]
    names = {seed.run for seed in seeds}
    if not names:
        command = f"./deepmt run --cores all --config scale={results.name}"
        raise UserError(f"{results}: no run has been trained: run `{command}` first")
    if run and run not in names:
        raise UserError(f"--run: {unknown('run', run, names)}")
    found = {seed: Record.read(seed.record) for seed in seeds if run in ("", seed.run)}
    return min(found.items(), key=lambda item: on_dev(item[1]))


def on_dev(record: Record) -> float:
    """Return the perplexity on dev; infinity if none was measured."""
    return record.perplexities.get("dev", math.inf)


if __name__ == "__main__":
    run(main)
