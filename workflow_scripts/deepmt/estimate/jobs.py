"""Every job of the target `all`, from the settings alone: Snakemake is not asked.

What the rules decide with functions is said here once more, in the same words; a test compares the
numbers of jobs with those of `snakemake -n`.
"""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from deepmt.config.papers import rows_of_figure
from deepmt.config.settings import Plan
from deepmt.config.statistics import encodings_asked_for
from deepmt.estimate.graph import TARGET, Job, by_output
from deepmt.estimate.run_jobs import record, run_jobs
from deepmt.estimate.text_jobs import text_jobs, word_counts


def all_jobs(plan: Plan, root: Path) -> dict[str, Job]:
    """Jobs by output, also those that `all` does not need; `root` tells what is there already."""
    return by_output(chain(text_jobs(plan), run_jobs(plan, root), report_jobs(plan, root)))


def report_jobs(plan: Plan, root: Path) -> Iterator[Job]:
    """From records to tables, figures, claims and report."""
    results = plan.config.results
    found = records(plan)
    corpora, cells = f"{results}/corpora.csv", f"{results}/cells.csv"
    sizes = [f"{results}/params.csv"] if any(paper.vocabulary for paper in plan.papers) else []
    yield Job("corpora", corpora, tuple(map(word_counts, counted(plan))))
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


def records(plan: Plan) -> list[str]:
    """Records of the runs asked for."""
    results = plan.config.results
    return [record(results, run, seed) for run in plan.runs for seed in plan.config.seeds]


def counted(plan: Plan) -> list[str]:
    """Encodings that runs and statistics need which were asked for."""
    needed = [spec.encoding for spec in plan.runs.values()]
    return list(dict.fromkeys(needed + encodings_asked_for(plan)))


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
                yield Job("breakdown", inputs[-1], (f"{results}/cells.csv",))
            yield Job("figure", f"{results}/figures/{figure.id}.json", tuple(inputs))
