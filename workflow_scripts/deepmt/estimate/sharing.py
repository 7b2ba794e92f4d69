"""What the papers share: a run that rows of several papers use is made once."""

from collections.abc import Mapping
from dataclasses import dataclass

from deepmt.estimate.runs import Run
from deepmt.estimate.uses import paper_of


@dataclass(frozen=True, kw_only=True)
class Share:
    """One paper's part."""

    paper: str
    rows: int
    runs: int
    shared: int
    """Runs that another paper uses too."""
    hours: float
    """As if it stood alone."""


def shares(runs: Mapping[str, Run], papers: list[str]) -> list[Share]:
    """Of each paper; their hours add up to the total and what is saved."""
    return [
        Share(
            paper=paper,
            rows=sum(paper_of(row) == paper for run in own for row in run.use.rows),
            runs=len(own),
            shared=sum(len(run.use.papers) > 1 for run in own),
            hours=sum(run.hours for run in own),
        )
        for paper in papers
        for own in [[run for run in runs.values() if paper in run.use.papers]]
    ]


def saved(runs: Mapping[str, Run]) -> float:
    """Hours that sharing between papers saves."""
    return sum((len(run.use.papers) - 1) * run.hours for run in runs.values())
