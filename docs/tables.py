"""Write what README.md and docs/*.md show of records.

PYTHONPATH=workflow_scripts python docs/tables.py

`<!-- table NAME KEY=VALUE ... -->` begins one and `<!-- end -->` ends it; NAME is a function of
MADE, and the rest are its arguments.
"""

import json
import math
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

import matplotlib.style
from matplotlib.figure import Figure as Plot

from deepmt.judge.cells import all_cells
from deepmt.judge.question import Answer
from deepmt.judge.ranking import RankedSystem, Ranking, recorded_ranking
from deepmt.measured.core_seconds import HOUR
from deepmt.measured.failures import failures
from deepmt.measured.records import Record
from deepmt.measured.seeds import averaged, mean_and_spread, trains
from deepmt.measured.table import Measured, gather
from deepmt.report import answer_in_words
from deepmt.report.answer_in_words import AnswerLine, answer_lines, by_question, standing
from deepmt.report.figures.figure_data import FigureData
from deepmt.report.figures.figure_files import as_svg
from deepmt.report.figures.figure_points import as_points
from deepmt.report.figures.over_budget import OverBudgetFigure
from deepmt.report.figures.plotting import STYLE
from deepmt.report.page.names import meaning, options
from deepmt.settings.csv_lines import read_lines
from deepmt.study.measures import PPL
from deepmt.study.papers import OWN_PAPER, Paper, Row, find_figure, rows_of
from deepmt.study.plan import Plan, load_plan
from deepmt.study.tuning import TrialResult

ROOT = Path(__file__).parents[1]
TABLE = re.compile(r"(<!-- table (\w+)(.*?) -->\n).*?(<!-- end -->)", re.DOTALL)
PICTURE = ROOT / "docs/multi30k-budget.svg"
"""README's figure, named after its scale."""
NOTHING = "–"
WIDTH = 118
WATTS = 10
"""Of a thread; assumed."""
EARLY = 1200
"""The update, besides the last, at which test sets of `multi30k-budget` are translated."""
SIZES = ("multi30k-quarter", "multi30k-half", "multi30k-budget")
"""Scales that differ in their text alone."""
Cells = Sequence[str]


@cache
def plan(scale: str) -> Plan:
    """Return all rows of a scale."""
    return load_plan(ROOT, {"scale": scale, "rows": "all"})


@cache
def gathered(scale: str) -> Measured:
    """Return the archived records and curves of a scale."""
    return gather(plan(scale), ROOT, Path("no-results"))


def archived(scale: str) -> Mapping[str, list[Record]]:
    """Return the records of a scale by run."""
    return gathered(scale).by_run


def seeds(records: Sequence[Record]) -> str:
    """Return "3", or "1 of 3 (collapsed at updates 20, 280)"."""
    trained = sum(map(trains, records))
    if trained == len(records):
        return str(trained)
    ends = re.sub(r"\d+ of \d+ seeds ", "", failures(records)) or "below 5 BLEU"
    return f"{trained} of {len(records)} ({ends})"


def spread(values: Sequence[float | None], decimals: int) -> str:
    """Return mean and spread, "31.2 ± 0.4"; no spread of one value, a dash without any."""
    known = [value for value in values if value is not None]
    if not known:
        return NOTHING
    mean, deviation = mean_and_spread(known)
    return " ± ".join(f"{one:.{decimals}f}" for one in (mean, deviation) if one is not None)


def score(measure: str) -> Callable[[Sequence[Record]], str]:
    """Return a column of a score of the test set, over the seeds that train."""
    return lambda records: spread(
        [one.scores["test"][measure].value for one in averaged(records)], 1
    )


def perplexity(records: Sequence[Record]) -> str:
    """Return that of the test set, over the seeds that train."""
    return spread([one.perplexities["test"] for one in averaged(records)], 2)


COLUMNS: Mapping[str, tuple[str, Callable[[Sequence[Record]], str]]] = {
    "rate": ("rate, 10^-3", lambda found: f"{found[0].spec['training']['lr'] * 1e3:g}"),
    "warmup": ("warm-up", lambda found: str(found[0].spec["training"]["warmup"])),
    "seeds": ("seeds", seeds),
    "bleu": ("BLEU", score("bleu")),
    "tokenised": ("tokenised BLEU", score("bleu_tok_lc")),
    "chrf": ("chrF", score("chrf")),
    "ppl": ("PPL", perplexity),
}
"""Headings and cells of the columns, by the name in the marker."""


def layers(records: Sequence[Record]) -> str:
    """Return the layers of encoder and decoder, "12+6"."""
    spec = records[0].spec
    return f"{spec['encoder']['layers']}+{spec['decoder']['layers']}"


def matching(scale: str, patterns: str) -> Iterator[tuple[Row, list[Record]]]:
    """Yield the rows of a scale that match a pattern and have records."""
    for paper in plan(scale).papers:
        for row in rows_of(paper):
            spec = plan(scale).specs.get(row.id)
            found = archived(scale).get(spec.run, []) if spec else []
            if found and any(fnmatch(row.id, pattern) for pattern in patterns.split(",")):
                yield row, found


def systems(scale: str, rows: str, columns: str, name: str = "label") -> list[Cells]:
    """Return a line for each row that has records; `name` is `label` or `group`."""
    chosen = [COLUMNS[name] for name in columns.split(",")]
    return [
        ("system", "layers", "row", *(heading for heading, _ in chosen)),
        *(
            (getattr(row, name), layers(found), f"`{row.id}`", *(cell(found) for _, cell in chosen))
            for row, found in matching(scale, rows)
        ),
    ]


def warmups() -> list[Cells]:
    """Return what a warm-up of 400 updates is worth, beside the best shorter one of each system."""
    trials = read_lines(TrialResult, ROOT / "scales/multi30k-fair.rates.csv")
    runs = archived("multi30k-fair")
    lines: list[Cells] = [
        (
            *("system", "layers", "rate, 10^-3, and warm-up before", "BLEU"),
            *("rate, 10^-3, with 400", "BLEU"),
        )
    ]
    for row, after in matching("multi30k-fair", "unified.t1.*"):
        own = [one for one in trials if one.system == row.system and one.share == 1]
        short = [one for one in own if one.warmup < 400 and len(runs.get(one.run, ())) == 3]
        if not short or after[0].spec["training"]["warmup"] < 400:
            continue
        first = min(short, key=lambda one: one.dev_perplexity)
        before = runs[first.run]
        some = "" if all(map(trains, before)) else f" ({seeds(before).partition(' (')[0]} seeds)"
        lines.append(
            (
                *(row.label, layers(after), f"{first.lr * 1e3:g}, {first.warmup}"),
                *(score("bleu")(before) + some, COLUMNS["rate"][1](after), score("bleu")(after)),
            )
        )
    return lines


def budgets() -> list[Cells]:
    """Return BLEU and perplexity of each system by budget, with one rate for all and its own."""
    scales = ("multi30k-narrow", "multi30k-fair", "multi30k-budget")
    found = {
        scale: {row.system: (row, records) for row, records in matching(scale, "unified.t1.*")}
        for scale in scales
    }
    lines: list[Cells] = [
        (
            *("system", "layers", "one recipe, 1,400 updates", "own rate, 1,200"),
            *("own rate, dropout 0.1, 1,200", "the same, 6,000"),
        )
    ]
    for system, (row, records) in (found[scales[0]] | found[scales[1]]).items():
        narrow, fair, budget = (found[scale].get(system, (row, []))[1] for scale in scales)
        if fair or budget:
            early = [one for record in budget for one in record.milestones if one.update == EARLY]
            bleus = [one.scores["test"]["bleu"] for one in early]
            perplexities = [one.perplexities["test"] for one in early]
            lines.append(
                (
                    *(row.label, layers(records), quality(narrow), quality(fair)),
                    *(both(spread(bleus, 1), spread(perplexities, 2)), quality(budget)),
                )
            )
    return lines


def quality(records: Sequence[Record]) -> str:
    """Return BLEU and perplexity of the test set."""
    scored = [one for one in records if "test" in one.scores]
    return both(score("bleu")(scored), perplexity(scored))


def both(bleu: str, perplexity: str) -> str:
    """Return both, or one dash if nothing was run."""
    return bleu if bleu == NOTHING else f"{bleu}; {perplexity}"


def processors() -> list[Cells]:
    """Return the toy's BLEU, or the failure, on each processor."""
    names = sorted(path.name for path in (ROOT / "records/processors").iterdir())
    archives = [ROOT / "records/processors" / name / "toy.jsonl" for name in names]
    recorded = [{one["run"]: one for one in map(json.loads, path.open())} for path in archives]
    default = load_plan(ROOT, {"scale": "toy", "papers": "unified"})
    lines: list[Cells] = [("system", "layers", *(f"`{name}`" for name in names))]
    for row in (row for paper in default.papers for row in rows_of(paper)):
        if row.id in default.selected:
            found = [of[default.specs[row.id].run] for of in recorded]
            spec = found[0]["spec"]
            layers = f"{spec['encoder']['layers']}+{spec['decoder']['layers']}"
            lines.append((row.label, layers, *map(end, found)))
    return lines


def end(record: Mapping[str, Any]) -> str:
    """Return BLEU on test, or the failure."""
    if failure := record["failure"]:
        return f"{record['outcome']} at update {failure['update']}"
    return f"{record['scores']['test']['bleu']['value']:.1f}"


AMOUNTS = {
    "3+3 transparent attention": (SIZES, "unified.t1.shallow-transparent"),
    "3+3 transparent attention, dropout 0.2": (SIZES, "unified.t7.shallow-transparent-dropout-2"),
    "12+12 T-Fixup, dropout 0.2": (SIZES, "unified.t7.tfixup-dropout-2"),
    "3+3 post-norm, 256 wide": (("multi30k",), "unified.t2.bitext,unified.t1.shallow-post"),
    "6+6 post-norm": (("iwslt14-narrow",), "unified.t5.*"),
}
"""Scales and rows of systems that were trained on more and less of a text, by name."""


def amounts() -> list[Cells]:
    """Return the quality of systems by the number of pairs that they read."""
    lines: list[Cells] = [("system", "text", "pairs", "updates", "seeds", "BLEU", "chrF")]
    for name, (scales, rows) in AMOUNTS.items():
        found = []
        for key, row, own in ((each, *one) for each in scales for one in matching(each, rows)):
            corpus = plan(key).corpora.corpus(plan(key).specs[row.id].data.corpus)
            assert corpus.size is not None
            found.append((corpus.size.pairs, corpus.title, own))
        for pairs, title, own in sorted(found):
            scores = (score(measure)(own) for measure in ("bleu", "chrf"))
            count = f"{pairs:,}", f"{own[0].updates:,}", str(len(own))
            lines.append((name, title, *count, *scores))
    return lines


def ladder() -> list[Cells]:
    """Return how far the printed recipe comes by its passes, its mean and its parts."""
    [(_, whole)] = matching("wu2021", "wu2021.t1.*")
    on_dev = [
        dict(zip(curves.dev["update"], curves.dev["ppl"], strict=True))
        for curves in gathered("wu2021").curves
        if curves.run == whole[0].run and curves.dev is not None
    ]
    lines: list[Cells] = [("what was run", "seeds", "perplexity on dev", "tokenised BLEU on test")]
    epoch = whole[0].updates / whole[0].epochs
    for update in (1000, 2500, 5000):
        name = f"{update / epoch:.0f} passes, last weights"
        ppl = spread([one[update] for one in on_dev], 2)
        lines.append((name, str(len(on_dev)), ppl, NOTHING))
    last = spread([one[max(one)] for one in on_dev], 2)
    lines.append(("the end, last weights", str(len(on_dev)), last, NOTHING))
    lines.append(("the end, mean of the last ten passes: the recipe", *reached(whole)))
    parts = matching("wu2021", "wu2021.t3.*")
    return [*lines, *((f"the recipe with {row.label}", *reached(found)) for row, found in parts)]


def reached(found: Sequence[Record]) -> Cells:
    """Return the number of seeds, the perplexity on dev and tokenised BLEU on test."""
    on_dev = spread([one.perplexities["dev"] for one in found], 2)
    return str(len(found)), on_dev, COLUMNS["tokenised"][1](found)


def toolkits() -> list[Cells]:
    """Return BLEU of the same systems, seed 1, in other toolkits."""
    multi30k, iwslt14, joey = map(
        bench, ("quality-huggingface", "quality-iwslt14-huggingface", "quality-joeynmt")
    )
    ours = [
        archived(one["scale"])[one["run"]][0].scores["test"][measure].value
        for one, measure in ((multi30k, "bleu"), (iwslt14, "bleu_tok_lc"))
    ]
    theirs = (multi30k["peer_scores"]["bleu"], iwslt14["peer_scores"]["bleu_tok_lc"])
    return [
        ("toolkit", "Multi30k, 3+3 layers: BLEU", "IWSLT14 subset, 6+6 layers: tokenised BLEU"),
        ("ours", *(f"{value:.1f}" for value in ours)),
        (f"HuggingFace {multi30k['peer']}", *(f"{value:.1f}" for value in theirs)),
        (joey["peer"], f"{joey['peer_scores']['bleu']:.1f}", "not run"),
    ]


def speeds(file: str, **ratios: str) -> list[Cells]:
    """Return target tokens a second of every system, and its ratios, by their headings."""
    sizes = bench(file)["sizes"]
    lines: list[Cells] = [("system", *(part for size in sizes for part in (size, *ratios)))]
    first = next(iter(sizes.values()))["systems"]
    for key in sorted(first, key=lambda key: -rate(first[key])):
        toolkit, comma, how = first[key]["name"].partition(",")
        version = "" if toolkit in ("ours", "products alone") else f" {first[key]['version']}"
        found = [sizes[size]["systems"][key] for size in sizes]
        name = f"{toolkit}{version}{comma}{how}, {first[key]['dtype']}"
        lines.append((name, *(part for one in found for part in speed(one, ratios.values()))))
    return lines


def speed(system: Mapping[str, Any], ratios: Iterable[str]) -> Cells:
    """Return a system's target tokens a second and the medians of some ratios."""
    return f"{rate(system):,.0f}", *(f"{system[name]['median']:.2f}" for name in ratios)


def rate(system: Mapping[str, Any]) -> float:
    """Return the median of a system's target tokens a second."""
    return float(system["target_tokens_per_s"]["median"])


def bench(name: str) -> dict[str, Any]:
    """Return a record of records/bench."""
    found: dict[str, Any] = json.loads((ROOT / f"records/bench/{name}.json").read_text())
    return found


def unified(scale: str) -> Paper:
    """Return the paper of our own tables."""
    [found] = (paper for paper in plan(scale).papers if paper.key == OWN_PAPER)
    return found


@cache
def ranking(scale: str) -> Ranking:
    """Return the ranking of a scale's records."""
    return recorded_ranking(ROOT, scale)


def board(scale: str) -> list[Cells]:
    """Return every system of a scale beside the first and the baseline, with its core hours."""
    lines: list[Cells] = [
        (
            *("system", "seeds", "perplexity", "times the first's", "times the baseline's"),
            *("BLEU on test", "million parameters", "core hours of a seed"),
        )
    ]
    for one in ranking(scale).systems:
        hours = f"{one.core_hours:.2f}" if one.core_hours else NOTHING
        lines.append(
            (
                *(one.system.name, str(len(one.system.seeds)), f"{one.perplexity:.2f}"),
                *(standing(one.with_first, "first"), standing(one.with_baseline, "baseline")),
                *(f"{one.cell.ours:.1f}", f"{one.parameters / 1e6:.1f}", hours),
            )
        )
    for one in ranking(scale).failed:
        lines.append((one.system.name, "0", f"fails: {one.note}", *[NOTHING] * 5))
    return lines


def fit(scale: str) -> list[Cells]:
    """Return how well every system fits the training text, and predicts dev, by dropout."""
    found = []
    for one in (ranked.system for ranked in ranking(scale).systems):
        records = list(one.seeds.values())
        dropout = records[0].spec["training"]["dropout"]
        losses = [record.train_loss for record in records if record.train_loss is not None]
        on_dev = [record.dev_perplexities["last"] for record in records]
        found.append((dropout, fmean(losses), fmean(on_dev), one.name, str(len(records))))
    return [
        ("dropout", "system", "seeds", "loss on train", "perplexity on dev"),
        *(
            (f"{dropout:g}", name, seeds, f"{loss:.2f}", f"{perplexity:.2f}")
            for dropout, loss, perplexity, name, seeds in sorted(found)
        ),
    ]


def kinds(scale: str) -> list[Cells]:
    """Return perplexities of the systems that have seeds of CPUs and of GPUs."""
    lines: list[Cells] = [
        ("system", "seeds of CPUs", "perplexity", "seeds of GPUs", "perplexity", "GPU / CPU")
    ]
    for one in (ranked.system for ranked in ranking(scale).systems):
        logs: dict[bool, list[float]] = {False: [], True: []}
        for seed in one.seeds:
            logs[one.block(seed)[1]].append(one.value(PPL, seed))
        if all(logs.values()):
            found = [[math.exp(log) for log in logs[gpu]] for gpu in (False, True)]
            cells = [cell for own in found for cell in (str(len(own)), spread(own, 2))]
            ratio = math.exp(fmean(logs[True]) - fmean(logs[False]))
            lines.append((one.name, *cells, f"{ratio:.3f}"))
    return lines


def leaders(scale: str) -> list[Cells]:
    """Return the systems of the board that have seeds enough, without the baseline's column.

    Their names are links of the list that `names` makes.
    """
    head, *lines = [(*line[:4], *line[5:]) for line in board(scale)]
    systems = ranking(scale).systems
    return [
        head,
        *(
            (system.replace(method(one), f"[{method(one)}]"), *rest)
            for (system, *rest), one in zip(lines, systems, strict=False)
            if one.system.may_be_first
        ),
    ]


def asked(answers: Iterable[Answer], ranked: Ranking) -> Iterator[tuple[str, AnswerLine]]:
    """Yield answers, each question once, before its first."""
    for asks, own in by_question(answer_lines(answers, ranked)):
        for number, line in enumerate(own):
            yield asks if not number else "", line


def answer(scale: str) -> list[Cells]:
    """Return the registered questions of a scale with their answers."""
    return [
        ("question", "systems", "times the perplexity", "verdict", "pairs", "chrF and BLEU"),
        *(
            (asks, one.systems, one.effect, one.verdict, one.pairs, one.scores)
            for asks, one in asked(ranking(scale).answers, ranking(scale))
        ),
    ]


def decided(scale: str) -> list[Cells]:
    """Return the registered comparisons that are decided, for README."""
    known = [one for one in ranking(scale).answers if one.decided]
    return [
        ("question", "systems", "times the perplexity", "answer", "chrF and BLEU"),
        *(
            (asks, one.systems, one.effect, one.verdict, one.scores)
            for asks, one in asked(known, ranking(scale))
        ),
    ]


def older(scale: str) -> str:
    """Return how many pairs of the decided comparisons are older than the choice of their seeds."""
    known = [one for one in ranking(scale).answers if one.decided]
    pairs = sum(len(one.found.seeds) for one in known if one.found)
    both = sum(len(one.older) for one in known)
    one_side = sum(len(one.half_known) for one in known)
    return wrapped(
        f"When their seeds were fixed, both sides of {both} of the {pairs} pairs of these"
        f" comparisons had begun to train, and one side of {one_side}."
    )


def spent() -> str:
    """Return what the trainings of records/*.jsonl cost."""
    paths = sorted((ROOT / "records").glob("*.jsonl"))
    every = [json.loads(line) for path in paths for line in path.open()]
    runs = [run for run in every if run["hardware"]["device"] == "cpu"]
    seconds = sum(r["throughput"]["train_seconds"] * r["hardware"]["threads"] for r in runs)
    hours = seconds / HOUR
    return wrapped(
        f"The {len(runs)} trainings of `records/*.jsonl` on processors took {hours:.1f} thread"
        f" hours; the {len(every) - len(runs)} of a GPU, many at once, are left out. At"
        f" {WATTS} W a thread, which is an assumption, that is"
        f" {hours * WATTS / 1000:.1f} kWh. The sum is over `throughput.train_seconds` times"
        " `hardware.threads`; it leaves out decoding and includes pauses in some trials of"
        " `multi30k-fair`, and the time that those of `multi30k-budget` waited for other jobs."
    )


def noise(scale: str) -> str:
    """Return the difference to the first that can be found."""
    return wrapped(answer_in_words.noise(ranking(scale)))


def best(scale: str) -> str:
    """Return which systems of a scale are the best, as a quotation."""
    return wrapped(f"> {answer_in_words.best(ranking(scale))}", indent="> ")


def names(scale: str) -> str:
    """Return what the names of these systems mean, each with a link to the equation's code."""
    shown = {method(one): one for one in ranking(scale).systems if one.system.may_be_first}
    lines = [wrapped(f"- [{name}] – {meaning(shown[name])}", indent="  ") for name in sorted(shown)]
    links = [f"[{name}]: {equation(shown[name])}\n" for name in sorted(shown)]
    return "".join([*lines, "\n", *links])


def method(one: RankedSystem) -> str:
    """Return the name of a system without its layers and what it changes."""
    return one.system.row.label.partition(",")[0]


def equation(one: RankedSystem) -> str:
    """Return the path of the module that implements what a system is named after.

    That is its last option that the names of runs show: DLCL of pre-norm with DLCL.
    """
    named = [each for each in options(one) if each.named]
    return f"workflow_scripts/{named[-1].module.replace('.', '/')}.py"


def printed(scale: str) -> str:
    """Return what became of the printed values of one seed at a scale."""
    papers = plan(scale).papers
    return wrapped(answer_in_words.printed(papers, all_cells(papers, gathered(scale))))


MADE: Mapping[str, Callable[..., str | list[Cells]]] = {
    made.__name__: made
    for made in (
        *(systems, warmups, budgets, amounts, ladder, processors, toolkits, speeds),
        *(answer, best, board, decided, fit, kinds, leaders, names, noise, older, printed, spent),
    )
}
"""Tables and texts, by the name in the marker."""


def picture(scale: str) -> str:
    """Return the panel of core hours of the report's first figure, wider, as SVG."""
    figure = find_figure(unified(scale), "unified.fig1")
    data = FigureData(
        paper=unified(scale),
        results=gathered(scale),
        folder=ROOT / "results",
        root=ROOT,
    )
    kind = OverBudgetFigure(figure, data)
    points = as_points(kind.gather())
    with matplotlib.style.context(STYLE, after_reset=True):
        plot = Plot(figsize=(6.5, 3))
        kind.draw_panel(plot.subplots(), points, "core_hours")
        return as_svg(plot, figure, kind.label(points))


def wrapped(text: str, indent: str = "") -> str:
    """Break a text into lines."""
    wrapper = textwrap.TextWrapper(
        WIDTH, subsequent_indent=indent, break_on_hyphens=False, break_long_words=False
    )
    return wrapper.fill(text) + "\n"


def markdown(lines: Iterable[Cells]) -> str:
    """Return a Markdown table; the first line is the heading."""
    heading, *rest = lines
    rule = ["---"] * len(heading)
    return "".join(f"| {' | '.join(line)} |\n" for line in (heading, rule, *rest))


def filled(page: str) -> str:
    """Return a page with its tables made anew."""

    def made(found: re.Match[str]) -> str:
        given = dict(part.split("=", 1) for part in found[3].split())
        text = MADE[found[2]](**given)
        return f"{found[1]}{text if isinstance(text, str) else markdown(text)}{found[4]}"

    return TABLE.sub(made, page)


def pages() -> Iterator[Path]:
    """Yield the pages that have tables."""
    yield ROOT / "README.md"
    yield from sorted([*(ROOT / "docs").glob("*.md"), *(ROOT / "papers").glob("*.md")])


if __name__ == "__main__":
    PICTURE.write_text(picture(PICTURE.stem))
    for path in pages():
        page = path.read_text()
        if (new := filled(page)) != page:
            path.write_text(new)
            print(path)
