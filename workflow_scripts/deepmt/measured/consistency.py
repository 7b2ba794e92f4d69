"""Find records that contradict their own settings, or others of their scale."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence
from datetime import UTC, datetime, timedelta

from deepmt.measured.record_file import ALWAYS, RecordedMilestone
from deepmt.measured.records import Record
from deepmt.measured.seeds import trains

MOST = 100 + 1e-6
OVER_100 = ("ter", "comet")
"""Measures without an upper bound."""
Facts = Iterator[tuple[Hashable, str, Hashable]]
"""What a fact is about, its name, and its value, which all records of a scale must share."""


def contradictions(records: Sequence[Record]) -> Iterator[tuple[Record, str]]:
    """Yield each record that cannot be, differs from most or repeats a seed, with the reason.

    Where no value has more records than each other one, nothing says which is wrong: all are.
    """
    shared: dict[Hashable, Counter[Hashable]] = defaultdict(Counter)
    for record in records:
        for about, _, value in facts(record):
            shared[about][value] += 1
    for record in records:
        yield from ((record, why) for why in impossible(record))
        for about, name, value in facts(record):
            (usual, most), *others = shared[about].most_common(2)
            if value != usual:
                yield record, f"{name} is {value}, and {usual} in other records of this scale"
                break
            if others and others[0][1] == most:
                yield record, f"{name} is {value}, and {others[0][0]} in as many of this scale"
                break
    yield from repeated(records)


def impossible(record: Record) -> Iterator[str]:
    """Yield what cannot be so, by the record's own settings."""
    recipe = record.spec["training"]
    counted = recipe.get("batch_counts", "longer") == "longer"
    whole = record.outcome == "finished" and not recipe.get("patience")
    if record.updates > recipe["updates"] or (whole and record.updates < recipe["updates"]):
        yield f"updates: {record.updates}, and its spec has {recipe['updates']}"
    reached = [milestone.update for milestone in record.milestones]
    if reached != sorted({*reached} & {*recipe.get("milestones", ())}):
        yield f"milestones: {reached} are not some of its spec's, each once and in order"
    if max(reached, default=0) > record.updates:
        yield f"milestones: beyond the last update, {record.updates}"
    if record.epochs > record.updates:  # none has less than one
        yield f"epochs: {record.epochs} in {record.updates} updates"
    ends: list[Record | RecordedMilestone] = [record, *record.milestones]
    for last, one in zip((record.updates, *reached), ends, strict=True):
        if [*one.averaged_updates] != sorted({*one.averaged_updates}):
            yield f"averaged_updates: {[*one.averaged_updates]} must rise"
        if max(one.averaged_updates, default=0) > last:
            yield f"averaged_updates: {one.averaged_updates[-1]} is beyond the last, {last}"
        if counted and one.target_tokens > (most := last * recipe["batch_tokens"]):
            yield f"target_tokens: {one.target_tokens}, and its updates hold {most} at most"
    if record.finished < record.started:
        yield f"finished: {record.finished} is before started, {record.started}"
    if record.finished > (datetime.now(UTC) + timedelta(days=1)).isoformat():
        yield f"finished: {record.finished} is in the future"
    for split, scores in record.scores.items():
        # BLEU is not defined for short references; then unigrams tell what was learned.
        needed = {*ALWAYS} - ({"bleu"} if record.unigram_loss is not None else set())
        if lacking := needed - scores.keys():
            yield f"scores.{split}: lacks {', '.join(sorted(lacking))}"
        if split not in record.perplexities:
            yield f"perplexities: lack {split}, which has scores"
        if high := [m for m, one in scores.items() if one.value > MOST and m not in OVER_100]:
            yield f"scores.{split}.{high[0]}: {scores[high[0]].value} is above 100"
    earlier = record.hardware.get("earlier", [])
    if not (isinstance(earlier, list) and all(isinstance(one, dict) for one in earlier)):
        yield "hardware.earlier: must be a list of mappings"


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
