"""Read scales/<name>.rates.csv: the trials of every system, and which of them is chosen."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from deepmt.base.errors import UserError
from deepmt.settings.csv_lines import read_lines
from deepmt.settings.spec import Spec
from deepmt.settings.strict import unknown
from deepmt.settings.strict_yaml import Section
from deepmt.study.papers import OWN_PAPER
from deepmt.study.tuning import Trial, TrialResult

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

    def refuse(self, problems: Mapping[int, str]) -> None:
        """Raise ValueError with the problem of each line, if there are any."""
        if problems:
            listed = (f"{self.path}:{n + 2}: {text}; {REMEDY}" for n, text in problems.items())
            raise UserError("\n".join(listed))

    def check_choices(self) -> None:
        """Check that each trial is there once, and the best of every system alone is chosen.

        Raises:
            ValueError: names the lines.
        """
        problems = {}
        by_system = {line.system: [*self.lines_of(line.system).values()] for line in self.lines}
        for n, line in enumerate(self.lines):
            best = best_of(by_system[line.system])
            if self.lines_of(line.system, line.trial).keys() != {n}:
                problems[n] = f"{line.system} has this trial twice"
            elif bool(line.chosen) != (line == best):
                what = "is not the best trial" if line.chosen else "is the best trial, not chosen"
                problems[n] = f"chosen: this {what} of {line.system}"
        self.refuse(problems)

    def lines_of(self, system: str, trial: Trial | None = None) -> dict[int, TrialResult]:
        """Return the lines of a system, or of one of its trials, by their place."""
        own = ((n, line) for n, line in enumerate(self.lines) if line.system == system)
        return {n: line for n, line in own if trial in (None, line.trial)}

    def check_runs(self, trials: Mapping[str, Mapping[Trial, Spec]]) -> None:
        """Check that each line's run is that of its system and rate.

        If no line of all with the same share of updates has the run that the settings of today
        give, the settings have changed since, and so have the names of runs.

        Raises:
            ValueError: names the lines.
        """
        strangers = {
            n: unknown("system", line.system, trials)
            for n, line in enumerate(self.lines)
            if line.system not in trials
        }
        self.refuse(strangers)
        expected = [_run(line, trials[line.system]) for line in self.lines]
        same = {
            line.share for line, run in zip(self.lines, expected, strict=True) if line.run == run
        }
        self.refuse(
            {
                n: f"run: this is not the run of {line.system} with lr={line.lr:g},"
                f" warmup={line.warmup} and {line.share:g} of the updates"
                for n, (line, run) in enumerate(zip(self.lines, expected, strict=True))
                if line.share in same and line.run != run
            }
        )


def _run(line: TrialResult, trials: Mapping[Trial, Spec]) -> str:
    """Return the name of a trial's run, or nothing if its settings cannot be run."""
    whole = next(spec for trial, spec in trials.items() if trial.share == 1)
    try:
        return line.trial.spec(whole).run
    except ValueError:
        return ""


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
        ValueError: the file is no ranking, or another trial than the best is chosen.
    """
    rates = Rates(path, read_lines(TrialResult, path, REMEDY))
    rates.check_choices()
    return rates
