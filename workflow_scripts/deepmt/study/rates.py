"""Read scales/<name>.rates.csv: the trials of every system, and which of them is chosen."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from deepmt.settings.csv_lines import read_lines
from deepmt.settings.strict_yaml import Section
from deepmt.study.papers import OWN_PAPER
from deepmt.study.tuning import TrialResult

REMEDY = "`snakemake tune` would not write this: restore it from git, or delete it and tune again"


@dataclass(frozen=True)
class Rates:
    """Represent the trials of a scale's systems as a file ranks them."""

    path: Path
    lines: Sequence[TrialResult]

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


def read_rates(path: Path) -> Rates:
    """Return the trials of a file, or none if it is not there.

    Raises:
        ValueError: the file is no ranking.
    """
    return Rates(path, read_lines(TrialResult, path, REMEDY))
