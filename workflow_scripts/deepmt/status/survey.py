"""Everything that is known of all runs at one moment."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deepmt.config.hardware import load_hardware, parse
from deepmt.config.settings import load_plan
from deepmt.estimate.estimate import Cost, estimate
from deepmt.status.forecast import Forecast, forecast
from deepmt.status.life import Moment, moment
from deepmt.status.seed import Seed, look
from deepmt.status.tasks import ORDER, State
from deepmt.status.wanted import Wanted, of_plan, others


@dataclass(frozen=True, kw_only=True)
class Survey:
    """What a reader is shown."""

    title: str
    moment: Moment
    seeds: tuple[Seed, ...]
    """What needs attention first; then in the order of the plan."""
    forecast: Forecast
    hardware: str
    """What the cost model counts in."""
    problems: tuple[str, ...]

    def of(self, *states: State) -> list[Seed]:
        """Seeds in some states."""
        return [seed for seed in self.seeds if seed.state in states]

    @property
    def diverged(self) -> list[Seed]:
        """Whatever came after."""
        return [seed for seed in self.seeds if seed.diverged]


class Observer:
    """Looks at the runs of a plan, as often as it is asked: the plan is read once."""

    def __init__(self, root: Path, overrides: Mapping[str, Any]) -> None:
        """Read the plan.

        Raises:
            ValueError: every problem of every settings file.
        """
        self.root = root
        self.plan = load_plan(root, overrides)
        self.planned = of_plan(self.plan)
        self.with_others = not overrides
        known = load_hardware(root / "hardware.yaml")
        self.hardware, _ = parse(self.plan.config.hardware, known, self.plan.scale.gpus)

    def survey(self) -> Survey:
        """How everything stands now."""
        found = list(others(self.root, self.planned)) if self.with_others else []
        wanted = self.planned + [each for each in found if isinstance(each, Wanted)]
        now = moment(self.root / "results")
        seeds = [look(self.root, each, now) for each in wanted]
        # What nobody asks for counts in no forecast, unless it takes a place now.
        counted = [seed for seed in seeds if seed.wanted.planned or seed.state == "running"]
        return Survey(
            title=self.plan.scale.title,
            moment=now,
            seeds=tuple(sorted(seeds, key=lambda seed: ORDER.index(seed.state))),
            forecast=forecast(counted, self.cost_of, self.hardware.start),
            hardware=self.hardware.title,
            problems=tuple(each for each in found if isinstance(each, str)),
        )

    def cost_of(self, wanted: Wanted) -> Cost:
        """What a seed is estimated to cost on the hardware that is planned for."""
        place = {"threads": wanted.threads, "gpus": max(1, wanted.gpus)}
        return estimate(wanted.spec, self.hardware, **place)
