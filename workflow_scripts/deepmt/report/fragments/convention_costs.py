"""Say what conventions of toolkits are worth, beside methods of papers."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from deepmt.judge.contrast import plain
from deepmt.judge.interval import Error, half_width
from deepmt.judge.quality import BLEU
from deepmt.measured.failures import failures
from deepmt.measured.records import Record
from deepmt.measured.seeds import low_scores, trains
from deepmt.report.answer_in_words import ratio
from deepmt.report.fragments.recorded_scale import RecordedScales
from deepmt.report.fragments.row_tables import EARLY, NOTHING, Cells
from deepmt.study.measures import PPL
from deepmt.study.papers import find_table

COSTS = "unified.table8", "multi30k-budget"
"""The table of conventions, and the scale that runs it."""
NOT_RUN = "*not run yet*"
NORMS = "post", "pre"
UPDATES = {EARLY: "", None: ", 6,000 updates"}
"""How labels tell updates; none for those of most rows, and nothing for all of the scale."""
USUAL = "usual"
"""The row that all others of a norm are set beside, after as many updates."""
LONG = "-long"
"""The end of rows with all updates; they are set beside `WHOLE`."""
WHOLE = {"post": "unified.t1.shallow-post", "pre": "unified.t1.shallow-pre"}
METHODS = {
    "pre-norm": "unified.t1.shallow-pre",
    "transparent attention": "unified.t1.shallow-transparent",
    "T-Fixup": "unified.t7.shallow-tfixup",
}
"""Methods of 3+3 layers, each at its own rate, beside post-norm after as many updates."""
NEITHER: Cells = (NOTHING, NOTHING)
"""The cells of a norm that a method has no row for."""


def costs(recorded: RecordedScales) -> Iterator[Cells]:
    """Yield conventions of toolkits, and methods, by what they do to post-norm and pre-norm.

    Each is set beside the same system without it, by pairs of seeds. Intervals rest on the spread
    of all pairs of a group of rows together.
    """
    table, scale = COSTS
    found = recorded[scale]
    rows = find_table(found.unified, table).rows
    groups: dict[tuple[str, str], dict[str, Pairs]] = {}
    for row in rows:
        prefix, _, system = row.id.rpartition(".")
        norm = system.partition("-")[0]
        beside = WHOLE[norm] if system.endswith(LONG) else f"{prefix}.{norm}-{USUAL}"
        if row.id != beside:
            pairs = Pairs.of(found.known.records_of(row.id), found.known.records_of(beside))
            groups.setdefault((norm, row.group), {})[row.label] = pairs
    base = found.known.records_of(WHOLE["post"])
    for update, label in UPDATES.items():
        groups["post", f"methods{label}"] = {
            f"*{method}*{label}": Pairs.of(found.known.records_of(row_id), base, update)
            for method, row_id in METHODS.items()
        }
    known: dict[str, dict[str, tuple[Pairs, Error]]] = {}
    for (norm, _), own in groups.items():
        spread = pooled(own.values())
        for label, pairs in own.items():
            known.setdefault(label, {})[norm] = pairs, spread
    size = {label: max(pairs.size for pairs, _ in own.values()) for label, own in known.items()}
    for label in sorted(known, key=lambda each: -size[each]):
        cells = (known[label].get(norm) for norm in NORMS)
        yield label, *(cell for one in cells for cell in (effect(*one) if one else NEITHER))


@dataclass(frozen=True)
class Pairs:
    """Hold differences between two systems, of log perplexity and BLEU, by seed."""

    logs: Sequence[float]
    bleu: Sequence[float]
    lost: str
    """How the first system ended with further seeds, with which the second one trains."""

    @classmethod
    def of(
        cls, one: Sequence[Record], other: Sequence[Record], update: int | None = None
    ) -> "Pairs":
        """Return one less the other, over the seeds with which both train."""
        ones, others = ({record.seed: record for record in side} for side in (one, other))
        known = [seed for seed in sorted(ones.keys() & others.keys()) if trains(others[seed])]
        ended = [ones[seed] for seed in known]
        seeds = [one.seed for one in ended if trains(one)]

        def less(of: Callable[[Record], float]) -> list[float]:
            return [of(ones[seed]) - of(others[seed]) for seed in seeds]

        return cls(
            less(lambda record: math.log(record.value(PPL, "test", update))),
            less(lambda record: record.value(BLEU, "test", update)),
            " and ".join(filter(None, (failures(ended), low_scores(ended)))),
        )

    @property
    def size(self) -> float:
        """Return how large the effect on perplexity is; negative if it was not run."""
        if not self.logs:
            return math.inf if self.lost else -1.0
        return abs(fmean(self.logs))


def pooled(every: Iterable[Pairs]) -> Error:
    """Return the spread of pairs around their means, over all comparisons."""
    known = [one.logs for one in every if one.logs]
    freedom = sum(len(logs) - 1 for logs in known)
    if not freedom:
        return Error(math.inf, 0)
    squares = math.fsum((log - fmean(logs)) ** 2 for logs in known for log in logs)
    return Error(math.sqrt(squares / freedom), freedom)


def effect(found: Pairs, spread: Error) -> Cells:
    """Return the ratio of perplexities with its interval, and the difference in BLEU."""
    if not found.logs:
        return found.lost or NOT_RUN, NOTHING
    error = Error(spread.size / math.sqrt(len(found.logs)), spread.freedom)
    worth = ratio(plain(fmean(found.logs), half_width([error])))
    cell = "; ".join(filter(None, (worth, found.lost)))
    return cell, f"{fmean(found.bleu):+z.1f}"
