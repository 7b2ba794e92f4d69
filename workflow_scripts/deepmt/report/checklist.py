"""A reproducibility checklist whose answers are counted from the records.

The questions follow Pineau et al. 2021, "Improving Reproducibility in Machine Learning Research",
as far as a record can answer them.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from deepmt.report.claims import JudgedClaim
from deepmt.report.material import Material
from deepmt.results.records import Record, Records
from deepmt.results.verdict import FULL_SCALE


@dataclass(frozen=True, kw_only=True)
class Check:
    """A question and its answer."""

    question: str
    answer: Literal["yes", "partly", "no", "nothing to count"]
    detail: str


def signed(record: Record) -> bool:
    """Whether every score says how it was measured."""
    scores = [score for found in record.scores.values() for score in found.values()]
    return bool(scores) and all(score.signature for score in scores)


def of_a_commit(record: Record) -> bool:
    """Whether the code was a commit, or several; a + behind it: the working tree differed."""
    commits = record.commit.split()
    return bool(commits) and not any(c == "unknown" or c.endswith("+") for c in commits)


OF_EACH_RECORD: dict[str, Callable[[Record], bool]] = {
    "Was it made at the paper's own scale?": lambda record: record.scale == FULL_SCALE,
    "Are all hyperparameters recorded?": lambda record: bool(record.spec),
    "Are the hashes of the training data recorded?": lambda record: bool(record.data.sha256),
    "Has every score its signature?": signed,
    "Are the settings of decoding recorded?": lambda record: bool(record.decoding),
    "Is the hardware recorded?": lambda record: bool(record.hardware),
    "Is the speed of training recorded?": lambda record: bool(record.throughput),
    "Are the versions of the software recorded?": lambda record: bool(record.software),
    "Was the code a commit, without changes?": of_a_commit,
}


def checklist(
    records: Records, materials: Sequence[Material], claims: Sequence[JudgedClaim]
) -> list[Check]:
    """All questions, in order."""
    found = [entry.record for entry in records.entries]
    seeds = [sum(r.run == run for r in found) for run in dict.fromkeys(r.run for r in found)]
    sources = [material.source for material in materials]
    used = [True] * len(found) + [False] * len(records.refusals)
    return [
        _share("Could every claim be judged?", "claims", (_judged(claim) for claim in claims)),
        _share("Was every run made with more than one seed?", "runs", (n > 1 for n in seeds)),
        *(
            _share(question, "records", map(holds, found))
            for question, holds in OF_EACH_RECORD.items()
        ),
        _share(
            "Are licence and citation of every corpus stated?",
            "corpora",
            (bool(source.licence and source.citation) for source in sources),
        ),
        _reported("Are runs that failed reported?", _failures(found)),
        _reported("Is the number of attempts reported?", _attempts(found)),
        _share("Could every record be used?", "records", used),
    ]


def _share(question: str, unit: str, answers: Iterable[bool]) -> Check:
    """Yes if all, no if none, partly otherwise."""
    each = list(answers)
    if not each:
        return Check(question=question, answer="nothing to count", detail=f"no {unit}")
    return Check(
        question=question,
        answer="yes" if all(each) else "partly" if any(each) else "no",
        detail=f"{sum(each)} of {len(each)} {unit}",
    )


def _reported(question: str, detail: str) -> Check:
    """What every record must say: a record without it is refused."""
    return Check(question=question, answer="yes" if detail else "nothing to count", detail=detail)


def _judged(claim: JudgedClaim) -> bool:
    return claim.status in ("holds", "fails")


def _failures(found: Sequence[Record]) -> str:
    ends = sum(record.outcome == "diverged" for record in found)
    return f"{ends} of {len(found)} records are of seeds that diverged" if found else ""


def _attempts(found: Sequence[Record]) -> str:
    attempts = sum(record.attempts for record in found)
    again = sum(record.attempts > 1 for record in found)
    return f"{attempts} for {len(found)} records; {again} took more than one" if found else ""
