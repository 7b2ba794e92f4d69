"""Say what conventions of toolkits are worth, beside methods of papers."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from deepmt.judge.contrast import of_pairs, plain
from deepmt.judge.interval import half_width
from deepmt.judge.quality import BLEU
from deepmt.measured.failures import ends
from deepmt.measured.records import Record
from deepmt.measured.seeds import trains
from deepmt.report.answer_in_words import difference, ratio
from deepmt.report.fragments.recorded_scale import RecordedScale, RecordedScales
from deepmt.report.fragments.row_tables import EARLY, NOTHING, Cells
from deepmt.study.measures import PPL
from deepmt.study.papers import find_table
from deepmt.study.questions import FEWEST_PAIRS

COSTS = "unified.table8", "multi30k-budget"
"""The table of conventions, and the scale that runs it."""
NOT_RUN = "*not run yet*"
NORMS = "post", "pre"
USUAL = "usual"
"""The row that all others of a norm are set beside, after as many updates."""
LONG = "-long"
"""The end of rows with all updates of the scale, which are set beside `WHOLE`."""
WHOLE = {"post": "unified.t1.shallow-post", "pre": "unified.t1.shallow-pre"}
METHODS = {
    "*pre-norm*": "unified.t1.shallow-pre",
    "*transparent attention*": "unified.t1.shallow-transparent",
    "*T-Fixup*": "unified.t7.shallow-tfixup",
}
"""Methods of 3+3 layers, each at its own rate, which are set beside post-norm."""
RATE = re.compile(r", (half|twice) the rate$")
Updates = int | None
"""Updates after which systems are compared; None for all of them."""


def costs(recorded: RecordedScales, of: str) -> Iterator[Cells]:
    """Yield conventions by what they do to post-norm and pre-norm, the largest effect first.

    `of` ends the name of their group. Rows of another rate follow the one that they change.
    """
    scale = recorded[COSTS[1]]
    found = _pairs(scale, {}, of)
    if of == "convention":
        found |= _methods(scale, EARLY)
    size = {name: max(pairs.size for pairs in own.values()) for name, own in found.items()}

    def place(name: str) -> tuple[float, str, int]:
        base = RATE.sub("", name)
        return -size[base], base, len(name)

    for name in sorted(found, key=place):
        cells = (found[name].get(norm) for norm in NORMS)
        yield name, *(text for one in cells for text in _cells(one))


def later_costs(recorded: RecordedScales) -> Iterator[Cells]:
    """Yield what is left of conventions and methods after all updates, beside the early effect."""
    scale = recorded[COSTS[1]]
    early = _pairs(scale, {}) | _methods(scale, EARLY)
    late = _pairs(scale, WHOLE) | _methods(scale, None)
    for name, own in late.items():
        yield (
            name,
            *(
                text
                for norm in NORMS
                for text in (_cells(early[name].get(norm))[0], *_cells(own.get(norm)))
            ),
        )


def _pairs(scale: RecordedScale, beside: Mapping[str, str], group: str = "") -> "ByNorm":
    """Return pairs with the system without a convention, by label and norm.

    Rows whose group ends so are taken, those of all updates if `beside` names what they are set
    beside, and else those with a row for that.
    """
    found: ByNorm = {}
    for row in find_table(scale.unified, COSTS[0]).rows:
        prefix, _, system = row.id.rpartition(".")
        norm, _, name = system.partition("-")
        other = beside.get(norm, f"{prefix}.{norm}-{USUAL}")
        if row.group.endswith(group) and name != USUAL and name.endswith(LONG) == bool(beside):
            label = row.label.removesuffix(", 6,000 updates")
            found.setdefault(label, {})[norm] = Pairs.of(scale, row.id, other)
    return found


def _methods(scale: RecordedScale, updates: Updates) -> "ByNorm":
    return {
        name: {"post": Pairs.of(scale, row_id, WHOLE["post"], updates)}
        for name, row_id in METHODS.items()
    }


@dataclass(frozen=True)
class Pairs:
    """Hold differences between two systems over all test sets, of log perplexity and BLEU."""

    logs: Sequence[float]
    bleu: Sequence[float]
    lost: str
    """How the first system ended with further seeds, with which the second one trains."""

    @classmethod
    def of(cls, scale: RecordedScale, one: str, other: str, updates: Updates = None) -> "Pairs":
        """Return a row less another, over the seeds with which both train."""
        tokens = scale.known.test_tokens(scale.plan.specs[one].dataset)
        ones, others = (
            {record.seed: record for record in scale.known.records_of(row)} for row in (one, other)
        )
        known = [seed for seed in sorted(ones.keys() & others.keys()) if trains(others[seed])]
        ended = [ones[seed] for seed in known]
        pairs = [(ones[seed], others[seed]) for seed in known if trains(ones[seed])]

        def over_sets(record: Record, measure: str) -> float:
            values = [record.value(measure, split, updates) for split in tokens]
            values = [*map(math.log, values)] if measure == PPL else values
            return fmean(values, weights=tokens.values())

        def less(measure: str) -> list[float]:
            return [over_sets(a, measure) - over_sets(b, measure) for a, b in pairs]

        return cls(less(PPL), less(BLEU), ends(ended))

    @property
    def size(self) -> float:
        """Return how large the effect on perplexity is; negative if it was not run."""
        if not self.logs:
            return math.inf if self.lost else -1.0
        return abs(fmean(self.logs))


ByNorm = dict[str, dict[str, Pairs]]
"""Pairs by label and norm."""


def _cells(found: Pairs | None) -> tuple[str, str]:
    """Return the ratio of perplexities and the difference in BLEU, with Student's intervals."""
    if not found:
        return NOTHING, NOTHING
    if not found.logs:
        return found.lost or NOT_RUN, NOTHING
    count = len(found.logs)
    few = f"{count} seed{'s' * (count > 1)}" if count < FEWEST_PAIRS else ""
    (log, log_errors), (bleu, errors) = map(of_pairs, (found.logs, found.bleu))
    worth = ratio(plain(log, half_width(log_errors)))
    return "; ".join(filter(None, (worth, found.lost or few))), difference(bleu, half_width(errors))
