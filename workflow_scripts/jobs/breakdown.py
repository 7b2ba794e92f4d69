"""Break the scores of a figure's systems down by word frequency and sentence length."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import pandas as pd

from deepmt.base.cli import run
from deepmt.base.files import replacing
from deepmt.data.subword import count_in
from deepmt.measured.results import Results, gather
from deepmt.measured.translations import Translation, translations_of
from deepmt.scores.breakdown import TOOL, by_frequency, by_length
from deepmt.settings.spec import Spec
from deepmt.study.papers import Column, Row, find_figure, rows_of_system
from deepmt.study.plan import load_plan

COLUMN = Column(key="bleu", label="BLEU", unit="BLEU", measure="bleu_tok")
ORDER = "figure system label run seed split quantity bucket value count tool note".split()


def main(
    *,
    figure: Annotated[str, "a figure of papers/*.yaml, e.g. liu2020.fig3"],
    scale: str,
    results: Annotated[Path, "results/<scale>"],
    output: Annotated[Path, "the points of the curves, CSV"],
    root: Path = Path(),
    data: Path = Path("data"),
) -> None:
    """Write a line per system, seed and bucket: word F1 by frequency, BLEU by length.

    A system without a translation gets one line with the reason.
    """
    key = figure.partition(".")[0]
    plan = load_plan(root, {"scale": scale, "papers": [key], "rows": ["all"]})
    [paper] = plan.papers
    printed, known = find_figure(paper, figure), gather(plan, root, results)
    lines: list[dict[str, Any]] = []
    for name in printed.systems:
        [row, *_] = rows_of_system(paper, name)
        head = {"figure": figure, "system": name, "label": row.label, "tool": TOOL}
        lines += [head | line for line in broken_down(row, known, results, data)]
    frame = pd.DataFrame(lines, columns=ORDER).astype({"seed": "Int64", "count": "Int64"})
    with replacing(output) as temporary:
        frame.to_csv(temporary, index=False, lineterminator="\n")


def broken_down(row: Row, results: Results, folder: Path, data: Path) -> list[dict[str, Any]]:
    """Return a line per seed and bucket of a row, or one line with the reason for none."""
    try:
        found = list(translations_of(row, COLUMN, results, folder, data))
        return [line for one in found for line in buckets_of(one, results.specs, data)]
    except (ValueError, OSError) as error:
        return [{"note": str(error)}]


def buckets_of(found: Translation, specs: Mapping[str, Spec], data: Path) -> list[dict[str, Any]]:
    """Return a line per bucket of a translation, or one line with the reason for none."""
    if found.texts is None or found.record is None:
        return [{"note": found.missing}]
    occurrences = training_words(data, specs[found.row.id])
    head = {"run": found.record.run, "seed": found.record.seed, "split": found.split}
    buckets = by_frequency(found.texts, occurrences) + by_length(found.texts)
    return [head | asdict(bucket) for bucket in buckets]


@cache
def training_words(data: Path, spec: Spec) -> Counter[str]:
    """Count each word of the target side of the training text."""
    tokens = data / "encoded" / spec.dataset / "tok" / f"train.{spec.data.target}"
    return count_in([tokens])


if __name__ == "__main__":
    run(main)
