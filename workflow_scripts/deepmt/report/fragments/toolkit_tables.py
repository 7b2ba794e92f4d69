"""Make tables of what was measured beside other toolkits; the pages have their headings."""

from collections.abc import Iterator, Mapping
from typing import Any

from deepmt.report.fragments.recorded_scale import RecordedScales
from deepmt.report.fragments.row_tables import Cells


def toolkits(recorded: RecordedScales) -> Iterator[Cells]:
    """Yield BLEU of the same systems, seed 1, in other toolkits."""
    names = ("quality-huggingface", "quality-iwslt14-huggingface", "quality-joeynmt")
    multi30k, iwslt14, joey = map(recorded.bench, names)
    measures = {"bleu": multi30k, "bleu_tok_lc": iwslt14}
    ours = [
        recorded[one["scale"]].known.by_run[one["run"]][0].value(measure, "test")
        for measure, one in measures.items()
    ]
    theirs = [one["peer_scores"][measure] for measure, one in measures.items()]
    yield "ours", *(f"{value:.1f}" for value in ours)
    yield f"HuggingFace {multi30k['peer']}", *(f"{value:.1f}" for value in theirs)
    yield joey["peer"], f"{joey['peer_scores']['bleu']:.1f}", "not run"


def speeds(recorded: RecordedScales, file: str, **ratios: str) -> Iterator[Cells]:
    """Yield target tokens a second of every system and size, and its ratios."""
    sizes = recorded.bench(file)["sizes"]
    first = next(iter(sizes.values()))["systems"]
    for key in sorted(first, key=lambda key: -rate(first[key])):
        toolkit, comma, how = first[key]["name"].partition(",")
        version = "" if toolkit in ("ours", "products alone") else f" {first[key]['version']}"
        found = [sizes[size]["systems"][key] for size in sizes]
        cells = [
            part
            for one in found
            for part in (f"{rate(one):,.0f}", *(f"{one[r]['median']:.2f}" for r in ratios.values()))
        ]
        yield f"{toolkit}{version}{comma}{how}, {first[key]['dtype']}", *cells


def profile(recorded: RecordedScales) -> Iterator[Cells]:
    """Yield milliseconds of an update and their share by group of operations, for every size."""
    sizes = [*recorded.bench("update-profile")["sizes"].values()]
    for group in sorted(sizes[0], key=lambda group: -sizes[0][group]):
        cells = [
            part
            for groups in sizes
            for part in (f"{groups[group]:.0f}", f"{groups[group] / sum(groups.values()):.0%}")
        ]
        yield group, *cells


def builds(recorded: RecordedScales) -> Iterator[Cells]:
    """Yield core seconds of an update beside those of an older build, on one and two threads."""
    files = [recorded.bench(name)["updates"] for name in ("builds", "builds-epyc")]
    found = [
        {tuple(one[key] for key in ("layers", "width", "threads")): one for one in every}
        for every in files
    ]
    for layers, width in dict.fromkeys((layers, width) for layers, width, _ in found[-1]):
        keys = [(layers, width, threads) for threads in (1, 2)]
        cells = [
            f"{every[key]['paired_ratio']:.2f}" if key in every else "not run"
            for every in found
            for key in keys
        ]
        memory = found[-1][keys[0]]["peak_mb"]
        yield f"{layers}+{layers} layers, {width} wide", *cells, f"{memory[1] / memory[0]:.2f}"


def rate(system: Mapping[str, Any]) -> float:
    """Return the median of a system's target tokens a second."""
    return float(system["target_tokens_per_s"]["median"])
