"""Find records of one scale that contradict each other, each of them sound by itself."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence

from deepmt.measured.records import Record
from deepmt.measured.seed_files import Refusal
from deepmt.measured.seeds import trains

Facts = Iterator[tuple[Hashable, str, Hashable]]
"""What a fact is about, its name, and its value, which all records of a scale must share."""


def consistent(records: Sequence[Record]) -> tuple[list[Record], list[Refusal]]:
    """Return the records that agree with each other, and refuse the others."""
    wrong = {id(record): (record, why) for record, why in contradictions(records)}
    return [record for record in records if id(record) not in wrong], [
        Refusal(record.run, f"{record.location}: {why}") for record, why in wrong.values()
    ]


def contradictions(records: Sequence[Record]) -> Iterator[tuple[Record, str]]:
    """Yield each record that differs from most others, or repeats another seed, with the reason.

    Where no value has more records than each other one, nothing says which is wrong: all are.
    """
    shared: dict[Hashable, Counter[Hashable]] = defaultdict(Counter)
    for record in records:
        for about, _, value in facts(record):
            shared[about][value] += 1
    for record in records:
        for about, name, value in facts(record):
            (usual, most), *others = shared[about].most_common(2)
            if value != usual:
                yield record, f"{name} is {value}, and {usual} in other records of this scale"
                break
            if others and others[0][1] == most:
                yield record, f"{name} is {value}, and {others[0][0]} in as many of this scale"
                break
    yield from repeated(records)


def facts(record: Record) -> Facts:
    """Yield what must be the same in all records of a run, a dataset or a scale."""
    yield ("parameters", record.run), "parameters", record.parameters
    dataset = record.data.dataset
    for file, digest in record.data.sha256.items():
        yield ("data", dataset, file), f"the hash of {file}", digest
    for split, files in record.references.items():
        for file, digest in files.items():
            yield ("reference", dataset, split, file), f"the hash of the {file} of {split}", digest
    for split, scores in record.scores.items():
        for measure, score in scores.items():
            name = f"the signature of {measure} on {split}"
            yield ("signature", dataset, split, measure), name, score.signature


SAME: dict[str, Callable[[Record], Hashable]] = {
    "hypotheses": lambda record: trains(record) and tuple(sorted(record.hypotheses.items())),
    "initial_weights": lambda record: record.initial_weights,
    "train_loss": lambda record: record.train_loss,
}
"""What no two seeds that finished have in common; those that learned nothing may write alike."""


def repeated(records: Sequence[Record]) -> Iterator[tuple[Record, str]]:
    """Yield every seed that is a copy of another one of its run."""
    for name, of in SAME.items():
        seen: dict[Hashable, Record] = {}
        for record in records:
            value = of(record)
            if record.outcome != "finished" or not value:
                continue
            first = seen.setdefault((record.run, value), record)
            if first is not record:
                yield record, f"{name}: the same as seed {first.seed}'s: one is a copy"
