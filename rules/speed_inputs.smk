# Which papers print times or speeds.
from functools import cache

from deepmt.metrics.speed_rows import comparisons
from deepmt.config.settings import known, load_papers


def papers_with_speeds(wildcards):
    """Keys of all that do, whichever are asked for: others ask for no second measurement."""
    return list(_with_speeds())


def files_with_speeds(wildcards):
    """Their files."""
    return [f"papers/{key}.yaml" for key in _with_speeds()]


@cache
def _with_speeds():
    folder = Path(workflow.basedir) / "papers"
    papers = load_papers(folder, known(folder))
    return [paper.key for paper in papers if paper.vocabulary and comparisons(paper)]
