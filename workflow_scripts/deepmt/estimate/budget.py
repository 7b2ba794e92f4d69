"""What fits into a budget, by one rule that RULE states."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from deepmt.config.settings import Plan
from deepmt.estimate.uses import Use, rows_of_claim

RULE = (
    "Runs are taken one after the other, each as long as it still fits: those of headline rows"
    " first, then those with the fewest hours for each printed cell that they answer (what only a"
    " figure or a claim needs counts as one cell). A run that rows share counts once; one that"
    " makes text for others is taken along with the first of them."
)


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A run in the order of the rule: the last ones are the first to drop."""

    run: str
    hours: float
    hours_a_cell: float
    kept: bool


@dataclass(frozen=True, kw_only=True)
class Budget:
    """What is kept and dropped, and what the report then lacks."""

    limit: float
    choices: tuple[Choice, ...]
    tables: Mapping[str, tuple[int, int]]
    """Tables that lose rows: how many, and how many were asked for."""
    claims: tuple[str, ...]
    """Claims that lose a row."""

    @property
    def kept(self) -> tuple[str, ...]:
        """Runs that fit."""
        return tuple(choice.run for choice in self.choices if choice.kept)

    @property
    def hours(self) -> float:
        """What they cost."""
        return sum(choice.hours for choice in self.choices if choice.kept)


def choose(plan: Plan, uses: Mapping[str, Use], hours: Mapping[str, float], limit: float) -> Budget:
    """Apply the rule; `hours` are those of all seeds of a run that are still to be made."""
    maker = {fed: run for run, use in uses.items() for fed in use.feeds}
    chain = {run: _chain(run, maker) for run in uses}
    price = {run: sum(hours[one] for one in chain[run]) / uses[run].weight for run in uses}
    order = sorted(
        (run for run, use in uses.items() if use.rows),
        key=lambda run: (not uses[run].headline, price[run], run),
    )
    taken: dict[str, bool] = {}
    spent = 0.0
    for run in order:
        new = [one for one in chain[run] if not taken.get(one)]
        fits = spent + sum(hours[one] for one in new) <= limit
        taken |= dict.fromkeys(new if fits else [run], fits)
        spent += sum(hours[one] for one in new) if fits else 0.0
    taken |= {run: False for run in uses if run not in taken}
    choices = [
        Choice(run=run, hours=hours[run], hours_a_cell=price[run], kept=kept)
        for run, kept in taken.items()
    ]
    lost = {row for run, kept in taken.items() if not kept for row in uses[run].rows}
    return Budget(
        limit=limit,
        choices=tuple(choices),
        tables=_tables(plan, lost),
        claims=tuple(_claims(plan, lost)),
    )


def _chain(run: str, maker: Mapping[str, str]) -> list[str]:
    """The run that makes its text, if any, and itself."""
    return [*(_chain(maker[run], maker) if run in maker else []), run]


def _tables(plan: Plan, lost: set[str]) -> dict[str, tuple[int, int]]:
    found = {}
    for table in (table for paper in plan.papers for table in paper.tables):
        asked = {row.id for row in table.rows} & plan.selected
        if gone := len(asked & lost):
            found[table.id] = (gone, len(asked))
    return found


def _claims(plan: Plan, lost: set[str]) -> Iterable[str]:
    for paper in plan.papers:
        yield from (claim.id for claim in paper.claims if rows_of_claim(paper, claim) & lost)
