"""Rank the trials of a scale's tuning by their perplexity on dev."""

import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import islice

from deepmt.base.errors import UserError
from deepmt.measured.failures import failures
from deepmt.measured.records import Record
from deepmt.study.measures import PPL
from deepmt.study.plan import Plan
from deepmt.study.rates import best_of
from deepmt.study.tuning import SEED, Trial, TrialResult


def results_of(
    system: str, plan: Plan, records: Mapping[str, Record], stages: int, *, complete: bool
) -> list[TrialResult]:
    """Return the results of a system's trials from records by run, and choose the best.

    A trial that did not finish has an infinite perplexity. Stages from the first one on that lacks
    a record are left out, unless the system is to be `complete`.

    Raises:
        ValueError: a record is missing; names its run.
    """
    assert plan.scale.tuning is not None
    specs = plan.trials[system]
    dev: dict[Trial, float] = {}
    found: list[TrialResult] = []
    for stage, trials in islice(enumerate(plan.scale.tuning.stages(system, dev), 1), stages):
        missing = [trial for trial in trials if specs[trial].run not in records]
        if missing and not complete:
            break
        if missing:
            trial = missing[0]
            raise UserError(
                f"{system} with lr={trial.lr:g} and warmup={trial.warmup} has no record (run"
                f" {specs[trial].run}, seed {SEED}): run `snakemake tune` to train it"
            )
        results = [_result(system, stage, trial, records[specs[trial].run]) for trial in trials]
        dev |= {trial: result.dev_perplexity for trial, result in zip(trials, results, strict=True)}
        found += results
    best = best_of(found)
    return [replace(result, chosen="yes") if result == best else result for result in found]


def _result(system: str, stage: int, trial: Trial, record: Record) -> TrialResult:
    return TrialResult(
        system=system,
        stage=stage,
        lr=trial.lr,
        warmup=trial.warmup,
        share=trial.share,
        outcome=failures([record]) or record.outcome,
        dev_perplexity=dev_perplexity(record),
        run=record.run,
        hardware=record.machines,
        commit=record.commit,
    )


def dev_perplexity(record: Record) -> float:
    """Return the perplexity on dev of the weights that count, or infinity if training failed."""
    found = record.value(PPL, "dev")
    return math.inf if math.isnan(found) or record.outcome != "finished" else found
