"""Jobs as a graph: which of them a target needs, and which of those are still to be done."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

TARGET = "all"
"""The job that asks for everything and writes nothing."""


@dataclass(frozen=True)
class Job:
    """A rule and its wildcards; paths are relative to the project."""

    rule: str
    output: str
    """The file that marks it as done."""
    inputs: tuple[str, ...] = ()
    """Files of other jobs; those that nothing makes may stand here too."""
    run: str = ""
    seed: int = 0
    set: str = ""
    """What it trains, and what it translates."""


def needed(
    jobs: Mapping[str, Job], exists: Callable[[str], bool], target: str = TARGET
) -> dict[str, Job]:
    """Jobs by output whose output is missing and asked for by the target or by another of them.

    As in Snakemake, what a finished job once read need not be there any more.
    """
    found: dict[str, Job] = {}
    waiting = [target]
    while waiting:
        output = waiting.pop()
        if output in jobs and output not in found and not exists(output):
            found[output] = jobs[output]
            waiting += jobs[output].inputs
    return found


def by_output(jobs: Iterable[Job]) -> dict[str, Job]:
    """Jobs under what they write."""
    return {job.output: job for job in jobs}
