"""The numbers of docs/scores.md and docs/status.md are those of the records."""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Any

ROOT = Path(__file__).parents[2]
LOWER, FAILS = (
    " ".join((ROOT / "docs" / name).read_text().split()) for name in ("scores.md", "status.md")
)


@cache
def records(*scales: str) -> list[dict[str, Any]]:
    """The records of systems that finish with 5 BLEU or more."""
    paths = [path for scale in scales for path in sorted((ROOT / "records").glob(f"{scale}.*"))]
    paths = [path for path in paths if path.suffix == ".jsonl"]
    found = [json.loads(line) for path in paths for line in path.read_text().splitlines()]
    return [one for one in found if one["outcome"] == "finished" and bleu(one) >= 5]


def bleu(record: dict[str, Any], split: str = "test", measure: str = "bleu") -> float:
    return record["scores"].get(split, {}).get(measure, {}).get("value", math.nan)


def above(found: list[dict[str, Any]], split: str = "test", measure: str = "bleu") -> list[float]:
    """How far the score lies above sacreBLEU of the main test set."""
    return [bleu(one, split, measure) - bleu(one) for one in found]


BEST = (
    "lingvo-transparent-3-3-d240-multi30k.en-de-d445e38e",
    "none-tfixup-12-12-d128-multi30k.en-de-723a4702",
)
"""The first system of multi30k-budget, and the first deep one."""
MULTI30K = ("multi30k-fair", "multi30k-narrow")


def said_of_scores() -> Iterator[str]:
    wide, iwslt, narrow = records("multi30k"), records("iwslt14-narrow"), records(*MULTI30K)
    sets = [-fmean(above(wide, f"test_2017_{name}")) for name in ("flickr", "mscoco")]
    yield f"({len(wide)} runs): 2017 Flickr is {sets[0]:.1f} BLEU below 2016, MSCOCO {sets[1]:.1f}"
    tokens, case = (fmean(above(iwslt, measure=m)) for m in ("bleu_tok_lc", "bleu_lc"))
    yield f"({len(iwslt)} runs): multi-bleu on lower-cased tokens is {tokens:.1f} above"
    yield f"{case:.1f} of it by case alone"
    yield f"({len(narrow)} runs) case is worth {fmean(above(narrow, measure='bleu_lc')):.1f}"
    split = above(narrow, measure="bleu_atat")
    yield f"({len(narrow)} runs): {min(split):.1f} to {max(split):.1f} BLEU"
    by_run = defaultdict(list)
    for one in (*narrow, *wide):
        by_run[one["run"], one["scale"]].append(bleu(one))
    spreads = [stdev(seeds) for seeds in by_run.values() if len(seeds) >= 3]
    yield f"spread over seeds {median(spreads):.1f} BLEU, the largest {max(spreads):.1f}"
    yield f"({len(spreads)} systems)"
    scored = records("multi30k-budget")
    best = [[bleu(o, measure="bleu_tok_lc") for o in scored if o["run"] == run] for run in BEST]
    yield f"0.2, have {fmean(best[0]):.1f} and {fmean(best[1]):.1f} tokenised BLEU there"
    chosen = [one["dev_perplexities"] for one in records("multi30k-fair")]
    better = sum(each["mean"] < each["last"] for each in chosen)
    yield f"in {len(chosen)} runs of 1,200 updates it predicts dev better than the last weights in "
    yield f"last weights in {better} |"


def test_sizes_of_causes_are_those_of_the_records() -> None:
    for part in said_of_scores():
        assert part in LOWER, part


def test_failures_of_all_archived_runs_are_counted() -> None:
    paths = (ROOT / "records").glob("*.jsonl")
    outcomes = Counter(json.loads(line)["outcome"] for path in paths for line in path.open())
    stalled, diverged = outcomes["stalled"], outcomes["diverged"]
    assert f"{stalled} stalled in training, {diverged} diverged" in FAILS
