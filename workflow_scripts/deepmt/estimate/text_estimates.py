"""What is known of the texts that jobs work on, and the core hours that these take."""

from collections.abc import Iterable
from pathlib import Path

from deepmt.config.settings import Plan
from deepmt.config.spec import Data
from deepmt.estimate.graph import Job
from deepmt.estimate.resources import SECONDS_A_PAIR
from deepmt.estimate.text_sizes import text_of

PASSES = ("extract", "tokenise", "segment", "encode")
"""Rules that go over a whole corpus."""


def texts(plan: Plan) -> dict[str, Data]:
    """Data settings by encoding, and by corpus those of some run on it."""
    every = [spec.data for spec in plan.every_run.values()]
    encodings = {spec.encoding: spec.data for spec in plan.every_run.values()}
    return {data.corpus: data for data in every} | encodings


def below_data(job: Job) -> str:
    """The archive, corpus or encoding that a job in data/ is for."""
    return Path(job.output).parts[2]


def core_hours(plan: Plan, left: Iterable[Job]) -> float:
    """Of the text stages left, each taken to be as slow as tokenising."""
    known = texts(plan)
    names = [below_data(job) for job in left if job.rule in PASSES]
    pairs = sum(text_of(known[name]).pairs for name in names if name in known)
    return SECONDS_A_PAIR * pairs / 3600
