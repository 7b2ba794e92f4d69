"""Every job of the target `all`, from the settings alone: Snakemake is not asked.

What the rules decide with functions is said here once more, in the same words; a test compares the
numbers of jobs with those of `snakemake -n`.
"""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from deepmt.config.papers import rows_of_figure
from deepmt.config.settings import Plan
from deepmt.estimate.graph import TARGET, Job, by_output
from deepmt.estimate.run_jobs import record, run_jobs
from deepmt.estimate.text_jobs import manifest, text_jobs, word_counts
from deepmt.results.corpus_statistics import encodings_asked_for


def all_jobs(plan: Plan, root: Path) -> dict[str, Job]:
    """Jobs by output, also those that `all` does not need; `root` tells what is there already."""
    return by_output(chain(text_jobs(plan), run_jobs(plan, root), report_jobs(plan, root)))


def report_jobs(plan: Plan, root: Path) -> Iterator[Job]:
    """From records to tables, figures, claims and report."""
    results = plan.config.results
    found = records(plan, root)
    corpora, cells = f"{results}/corpora.csv", f"{results}/cells.csv"
    sizes = [f"{results}/params.csv"] if any(paper.vocabulary for paper in plan.papers) else []
    yield Job("corpora", corpora, tuple(map(word_counts, counted(plan, root))))
    yield Job("params", f"{results}/params.csv")
    yield Job("cells", cells, (*found, *sizes, corpora))
    figures = list(figure_jobs(plan))
    drawn = tuple(job.output for job in figures if job.rule == "figure")
    claims = f"{results}/claims.csv"
    yield from figures
    yield Job("claims", claims, (cells, *drawn, *found))
    tables = [Job("paper_tables", f"{results}/tables/{p.key}.md", (cells,)) for p in plan.papers]
    yield from tables
    page = Job("report_page", f"{results}/report.html", (cells, claims, *drawn, corpora))
    yield page
    yield Job(TARGET, TARGET, (page.output, *drawn, *(table.output for table in tables)))


def records(plan: Plan, root: Path) -> list[str]:
    """Records of the runs asked for, and those of other runs that exist already."""
    results = plan.config.results
    wanted = [record(results, run, seed) for run in plan.runs for seed in plan.config.seeds]
    there = [
        str(path.relative_to(root))
        for run in plan.every_run
        for path in sorted((root / results / "runs" / run).glob("seed*/record.json"))
    ]
    return list(dict.fromkeys(wanted + there))


def counted(plan: Plan, root: Path) -> list[str]:
    """Encodings that are there, or that runs still to be recorded and tables need."""
    results = plan.config.results
    waiting = [
        spec.encoding
        for run, spec in plan.runs.items()
        for seed in plan.config.seeds
        if not (root / record(results, run, seed)).exists()
    ]
    every = dict.fromkeys(spec.encoding for spec in plan.every_run.values())
    there = [encoding for encoding in every if (root / manifest(encoding)).exists()]
    return list(dict.fromkeys(there + waiting + encodings_asked_for(plan)))


def figure_jobs(plan: Plan) -> Iterator[Job]:
    """Figures, and the breakdowns that are made for them."""
    results = plan.config.results
    for paper in plan.papers:
        for figure in (figure for figure in paper.figures if figure.draw is not None):
            rows = rows_of_figure(paper, figure)
            runs = {plan.specs[row.id].run for row in rows if row.id in plan.specs} & set(plan.runs)
            inputs = [f"{results}/cells.csv"]
            if figure.draw.kind == "breakdown" and runs:
                inputs.append(f"{results}/breakdowns/{figure.id}.csv")
                records = [record(results, run, s) for run in runs for s in plan.config.seeds]
                yield Job("breakdown", inputs[-1], tuple(records))
            yield Job("figure", f"{results}/figures/{figure.id}.json", tuple(inputs))
