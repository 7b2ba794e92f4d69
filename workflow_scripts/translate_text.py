"""Translate your own sentences with a model that was trained here."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import torch

from deepmt.cli import run
from deepmt.config.config_file import load_config
from deepmt.config.hardware import usable_cores
from deepmt.config.strict import unknown
from deepmt.decode.sentence_translator import SentenceTranslator
from deepmt.files import read_json

HOW = "results/<scale>/runs/, e.g. post-2-2-d64-toy.en-de-1a2b3c4d; default: the best on dev"


def main(
    *,
    scale: Annotated[str, "default: as in config.yaml"] = "",
    run: Annotated[str, f"a folder of {HOW}"] = "",
    n_best: Annotated[int, "translations of each sentence; more than 1 with number and score"] = 1,
    precision: Annotated[str, "precision of the weights: float32, bfloat16 or int8"] = "float32",
    threads: Annotated[int, "0 = all cores that may be used"] = 0,
    root: Path = Path(),
) -> None:
    """Read a sentence a line, from a terminal or a file, and print its translation.

    Raises:
        ValueError: no run of the scale has a model, or none of that name.
    """
    torch.set_num_threads(threads or usable_cores())
    scale = scale or load_config(root / "config.yaml", {})[0].scale
    seed, record = best(root / "results" / scale, run)
    dataset = root / "data/encoded" / record["data"]["dataset"]
    translator = SentenceTranslator(seed, dataset, precision=precision, n_best=n_best)
    print(f"{seed}: {record['outcome']}, perplexity on dev {on_dev(record):.2f}", file=sys.stderr)
    number = 0
    for lines in batches():
        for found in translator.translate(lines):
            if n_best > 1:
                print(*(f"{number} ||| {text} ||| {score:.4f}" for text, score in found), sep="\n")
            else:
                print(found[0][0] if found else "")
            number += 1
        sys.stdout.flush()


def best(results: Path, run: str) -> tuple[Path, dict[str, Any]]:
    """Return the folder of the seed with the lowest perplexity on dev, and its record."""
    models = sorted(results.glob("runs/*/seed*/model.safetensors"))
    records = {
        model.parent: read_json(model.with_name("record.json"))
        for model in models
        if model.with_name("record.json").exists()
    }
    names = {seed.parent.name for seed in records}
    if not names:
        command = f"snakemake --cores all --config scale={results.name}"
        raise ValueError(f"{results}: no run has been trained: run `{command}` first")
    if run and run not in names:
        raise ValueError(f"--run: {unknown('run', run, names)}")
    asked = {seed: one for seed, one in records.items() if run in ("", seed.parent.name)}
    return min(asked.items(), key=lambda item: on_dev(item[1]))


def on_dev(record: dict[str, Any]) -> float:
    """Return the perplexity on dev; infinity if none was measured."""
    found = record["perplexities"].get("dev")
    return float("inf") if found is None else float(found)


def batches() -> Iterator[list[str]]:
    """Yield the lines of a terminal one by one, and those of a file together."""
    if sys.stdin.isatty():
        for line in sys.stdin:
            yield [line.rstrip("\n")]
    else:
        yield sys.stdin.read().splitlines()


if __name__ == "__main__":
    run(main)
