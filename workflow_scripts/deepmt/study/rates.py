"""Read scales/<name>.rates.csv: the trials of every system, and which of them is chosen."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from deepmt.base.errors import UserError
from deepmt.settings.csv_lines import read_lines
from deepmt.settings.strict_yaml import Section
from deepmt.study.papers import OWN_PAPER
from deepmt.study.tuning import Trial, TrialResult, Tuning

REMEDY = "`snakemake tune` would not write this: restore it from git, or delete it and tune again"


@dataclass(frozen=True)
class Rates:
    """Represent the trials of a scale's systems as a file ranks them."""

    path: Path
    lines: Sequence[TrialResult]
    tuning: Tuning | None = None
    """By which they were tried, if it is known."""

    def check_stages(self) -> None:
        """Raise ValueError unless each system has all trials of its stages, and no others."""
        if (tuning := self.tuning) is None:
            return
        for system in dict.fromkeys(line.system for line in self.lines):
            lines = [line for line in self.lines if line.system == system]
            dev: dict[Trial, float] = {}
            known = tuning.groups or system in tuning.systems
            stages = tuning.stages(system, dev) if known else [[]]
            for stage, trials in islice(enumerate(stages, 1), lines[-1].stage):
                own = [line for line in lines if line.stage == stage]
                if sorted(line.trial for line in own) != sorted(trials):
                    wrong = f"stage {stage} of {system} has other trials than `tuning` in its scale"
                    raise UserError(f"{self.path}: {wrong}; {REMEDY}")
                dev |= {line.trial: line.dev_perplexity for line in own}

    @cached_property
    def chosen(self) -> dict[str, Section]:
        """Return the settings that were chosen for each system, such as unified/deep-post."""
        found = {}
        for number, line in enumerate(self.lines, start=2):
            if line.chosen:
                settings = {"training.lr": line.lr, "training.warmup": line.warmup}
                place = f"{self.path}:{number}"
                own = Section(settings, place, dict.fromkeys(settings, place))
                found[f"{OWN_PAPER}/{line.system}"] = own
        return found


def best_of(results: Sequence[TrialResult]) -> TrialResult | None:
    """Return the trial of a system that is chosen; None if no trial finished.

    Trials with all updates count if there are any.
    """
    whole = [result for result in results if result.share == 1]
    best = min(whole or results, key=lambda result: result.dev_perplexity, default=None)
    return None if best is None or math.isinf(best.dev_perplexity) else best


def read_rates(path: Path, tuning: Tuning | None = None) -> Rates:
    """Return the trials of a file, or none if it is not there.

    Raises:
        ValueError: the file is no ranking.
    """
    return Rates(path, read_lines(TrialResult, path, REMEDY), tuning)
