"""Break the scores of a figure's systems down by word frequency and by sentence length."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from deepmt.cli import parse
from deepmt.config.papers import Column, find_figure, rows_of_system
from deepmt.config.spec import Spec
from deepmt.data.subword import count_in
from deepmt.files import replacing
from deepmt.metrics.breakdown import TOOL, by_frequency, by_length
from deepmt.report.translations import Places, translation_of
from deepmt.results.results import open_ledger

COLUMN = Column(key="bleu", label="BLEU", unit="BLEU", measure="bleu_tok")
ORDER = "figure system label run seed set quantity bucket value count tool note".split()


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write a line for each system and bucket: word F1 by frequency, BLEU by length."""

    figure: str = field(metadata={"help": "a figure of papers/*.yaml, e.g. liu2020.fig3"})
    scale: str
    results: Path = field(metadata={"help": "results/<scale>"})
    output: Path = field(metadata={"help": "the points of the curves, CSV"})
    root: Path = Path()
    data: Path = Path("data")


def main(args: Args) -> None:
    """A system that was not run has one line, which says so."""
    asked = {"scale": args.scale, "papers": [args.figure.partition(".")[0]]}
    plan, ledger = open_ledger(args.root, asked, args.results)
    figure = find_figure(plan.papers[0], args.figure)
    places = Places(results=args.results, data=args.data)
    lines: list[dict[str, Any]] = []
    for name in figure.systems:
        [row, *_] = rows_of_system(plan.papers[0], name)
        found = translation_of(row, COLUMN, ledger, places)
        head: dict[str, Any] = {
            "figure": figure.id,
            "system": name,
            "label": row.label,
            "tool": TOOL,
        }
        if found.texts is None:
            lines.append(head | {"note": found.missing})
            continue
        head |= {"run": found.run, "seed": found.seed, "set": found.set}
        occurrences = training_words(args.data, ledger.specs[row.id])
        buckets = by_frequency(found.texts, occurrences) + by_length(found.texts)
        lines += [head | asdict(bucket) for bucket in buckets]
    frame = pd.DataFrame(lines, columns=ORDER).astype({"seed": "Int64", "count": "Int64"})
    with replacing(args.output) as temporary:
        frame.to_csv(temporary, index=False, lineterminator="\n")


@cache
def training_words(data: Path, spec: Spec) -> Counter[str]:
    """How often each word occurs in the target side of the training text."""
    tokens = data / "encoded" / spec.encoding / "tok" / f"train.{spec.data.target}"
    return count_in([tokens])


if __name__ == "__main__":
    main(parse(Args))
