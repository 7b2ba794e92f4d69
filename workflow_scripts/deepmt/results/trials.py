"""Rank the trials of a scale's tuning by their perplexity on dev."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from deepmt.config.plan import Plan
from deepmt.config.tuning import SEED, STAGES, Trial, TrialResult
from deepmt.results.failures import failures
from deepmt.results.records import Record


def trial_results(
    plan: Plan, records: Iterable[Record], systems: Iterable[str], stages: int = STAGES
) -> list[TrialResult]:
    """Return the results of the first stages of some systems, and choose the best of each.

    Trials with all updates count if there are any. A trial that did not finish has an infinite
    perplexity.

    Raises:
        ValueError: a record is missing; names its run.
    """
    by_run = {record.run: record for record in records if record.seed == SEED}
    return [result for system in systems for result in _of_system(plan, by_run, system, stages)]


def _of_system(
    plan: Plan, records: Mapping[str, Record], system: str, stages: int
) -> list[TrialResult]:
    assert plan.scale.tuning is not None
    dev: dict[Trial, float] = {}
    found: list[TrialResult] = []
    following = plan.scale.tuning.stages(system, dev)
    for stage in range(1, stages + 1):
        trials = next(following)
        measured = {trial: _record(plan, records, system, trial) for trial in trials}
        dev |= {trial: dev_perplexity(record) for trial, record in measured.items()}
        found += [
            TrialResult(
                system=system,
                stage=stage,
                lr=trial.lr,
                warmup=trial.warmup,
                share=trial.share,
                outcome=failures([record]) or record.outcome,
                dev_perplexity=dev[trial],
                run=record.run,
                hardware=record.machines,
                commit=record.commit,
            )
            for trial, record in measured.items()
        ]
    whole = [result for result in found if result.share == 1]
    best = min(whole or found, key=lambda result: result.dev_perplexity)
    if math.isinf(best.dev_perplexity):
        return found
    return [replace(result, chosen="yes") if result == best else result for result in found]


def _record(plan: Plan, records: Mapping[str, Record], system: str, trial: Trial) -> Record:
    run = plan.trials[system][trial].run
    if run not in records:
        raise ValueError(
            f"{system} with lr={trial.lr:g} and warmup={trial.warmup} has no record (run {run},"
            f" seed {SEED}): run `snakemake tune` without from=records to train it"
        )
    return records[run]


def dev_perplexity(record: Record) -> float:
    """Return the perplexity on dev of the weights that count, or infinity if training failed."""
    if record.outcome != "finished":
        return math.inf
    return min(record.dev_perplexities.values(), default=math.inf)
