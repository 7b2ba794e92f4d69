"""The seeds that a plan asks for, and those that lie under results/ besides."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from deepmt.config.requested_splits import sets_asked_for
from deepmt.config.settings import Plan
from deepmt.config.spec import Spec, from_json


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """One seed of a run, and what is to be made of it."""

    scale: str
    run: str
    seed: int
    spec: Spec
    sets: tuple[str, ...] = ()
    """What its weights translate; none if only the weights are asked for."""
    planned: bool = True
    """Whether the plan asks for it, or it only lies there."""
    threads: int = 1
    gpus: int = 0

    @cached_property
    def folder(self) -> Path:
        """Of the seed, below the root."""
        return Path("results", self.scale, "runs", self.run, f"seed{self.seed}")

    @property
    def points(self) -> tuple[str, ...]:
        """Folders of what is translated, below `folder`: its mean weights, or each checkpoint."""
        recipe = self.spec.training
        last = recipe.average_last if recipe.average == "scores" else 1
        return ("", *(f"/checkpoint{k}" for k in range(2, last + 1)))


def of_plan(plan: Plan) -> list[Wanted]:
    """Every seed of the rows asked for, and the runs that translate text for them."""
    if plan.config.from_ == "records":
        return []
    scale, own = plan.scale, sets_asked_for(plan)

    def seed_of(spec: Spec, seed: int, sets: Iterable[str] = ()) -> Wanted:
        return Wanted(
            scale=scale.name,
            run=spec.run,
            seed=seed,
            spec=spec,
            sets=tuple(dict.fromkeys(sets)),
            threads=scale.threads,
            gpus=scale.gpus,
        )

    found = []
    for spec in plan.runs.values():
        there = plan.corpora.corpus(spec.data.corpus).set_names
        sets = [name for name in scale.decode if name in there] + list(own.get(spec.run, ()))
        found += [seed_of(spec, seed, sets) for seed in plan.config.seeds]
    known = {(wanted.run, wanted.seed) for wanted in found}
    for corpus in sorted({spec.data.corpus for spec in plan.runs.values()} & plan.reverse.keys()):
        spec, synthetic = plan.reverse[corpus], plan.corpora.corpus(corpus).synthetic
        if synthetic is not None and (spec.run, synthetic.seed) not in known:
            found.append(seed_of(spec, synthetic.seed))
    return found


def others(root: Path, planned: Iterable[Wanted]) -> Iterator[Wanted | str]:
    """Seeds that have a log and are not in the plan; a message for one whose spec is unreadable."""
    known = {wanted.folder for wanted in planned}
    for log in sorted(root.glob("results/*/runs/*/seed*/log.jsonl")):
        folder = log.parent.relative_to(root)
        number = folder.name.removeprefix("seed")
        if folder in known or not number.isdigit():
            continue
        path = log.parents[1] / "spec.json"
        try:
            spec = from_json(path.read_text())
        except (OSError, ValueError) as error:
            yield f"{path}: {error}: what lies beside it is left out"
            continue
        _, scale, _, run, _ = folder.parts
        yield Wanted(
            scale=scale, run=run, seed=int(number), spec=spec, sets=("test",), planned=False
        )
