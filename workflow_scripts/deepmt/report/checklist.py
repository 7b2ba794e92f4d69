"""Fill in a reproducibility checklist from the records.

The questions follow Pineau et al. 2021, "Improving Reproducibility in Machine Learning Research",
as far as records can answer them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from deepmt.report.built_corpora import BuiltCorpus
from deepmt.report.claims import JudgedClaim
from deepmt.results.records import Record
from deepmt.results.verdict import FULL_SCALE


class ChecklistItem(NamedTuple):
    """Hold a question and its answer."""

    question: str
    answer: str
    """yes, partly, no, or nothing to count."""
    detail: str


def signed(record: Record) -> bool:
    """Check if every score has a signature."""
    scores = [score for found in record.scores.values() for score in found.values()]
    return bool(scores) and all(score.signature for score in scores)


def of_a_commit(record: Record) -> bool:
    """Check if the code was one or more commits without changes, which a + would mark."""
    commits = record.commit.split()
    return bool(commits) and not any(c == "unknown" or c.endswith("+") for c in commits)


RECORD_QUESTIONS: dict[str, Callable[[Record], bool]] = {
    "Was it made at the paper's own scale?": lambda record: record.scale == FULL_SCALE,
    "Are all hyperparameters recorded?": lambda record: bool(record.spec),
    "Are the hashes of the training data recorded?": lambda record: bool(record.data.sha256),
    "Does every score have a signature?": signed,
    "Are the decoding settings recorded?": lambda record: bool(record.decoding),
    "Is the hardware recorded?": lambda record: bool(record.hardware),
    "Is the training speed recorded?": lambda record: bool(record.throughput),
    "Are the software versions recorded?": lambda record: bool(record.software),
    "Was the code committed, without changes?": of_a_commit,
}


def checklist(
    records: Sequence[Record],
    refused: int,
    corpora: Sequence[BuiltCorpus],
    claims: Sequence[JudgedClaim],
) -> list[ChecklistItem]:
    """Return all questions in order; `refused` is the number of records that were not usable."""
    seeds = Counter(record.run for record in records)
    judged = (claim.status in ("holds", "fails") for claim in claims)
    stated = (bool(corpus.terms.licence and corpus.terms.citation) for corpus in corpora)
    ends = sum(record.failure is not None for record in records)
    attempts = sum(record.attempts for record in records)
    again = sum(record.attempts > 1 for record in records)
    return [
        _share("Could every claim be judged?", "claims", judged),
        _share(
            "Was every run made with more than one seed?", "runs", (n > 1 for n in seeds.values())
        ),
        *(
            _share(question, "records", map(holds, records))
            for question, holds in RECORD_QUESTIONS.items()
        ),
        _share("Are licence and citation of every corpus stated?", "corpora", stated),
        _reported(
            "Are runs that failed reported?",
            f"{ends} of {len(records)} records are of seeds that diverged, stalled or collapsed"
            if records
            else "",
        ),
        _reported(
            "Is the number of attempts reported?",
            f"{attempts} for {len(records)} records; {again} took more than one" if records else "",
        ),
        _share("Could every record be used?", "records", [True] * len(records) + [False] * refused),
    ]


def _share(question: str, unit: str, answers: Iterable[bool]) -> ChecklistItem:
    """Answer yes if all hold, no if none does, and partly otherwise."""
    each = list(answers)
    if not each:
        return ChecklistItem(question, "nothing to count", f"no {unit}")
    answer = "yes" if all(each) else "partly" if any(each) else "no"
    return ChecklistItem(question, answer, f"{sum(each)} of {len(each)} {unit}")


def _reported(question: str, detail: str) -> ChecklistItem:
    """Answer yes if there are records: a record without the fact is refused."""
    return ChecklistItem(question, "yes" if detail else "nothing to count", detail)
