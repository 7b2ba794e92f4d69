"""Put the record of a seed together from the files of its jobs."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, fields
from importlib.metadata import PackageNotFoundError, version
from statistics import fmean
from typing import Any, TypeVar

from deepmt.base.errors import UserError
from deepmt.data.manifest import Manifest
from deepmt.measured.record_file import RecordedMilestone, RecordFile, TrainingData
from deepmt.measured.scored import Scored
from deepmt.scores.score import Score
from deepmt.settings.point_names import point_name, weights_at
from deepmt.settings.spec import Spec
from deepmt.train.outcome import EndAtMilestone, Milestone, Outcome, TrainingEnd

PACKAGES = ("sacrebleu", "sacremoses", "sentencepiece", "subword-nmt", "snakemake")
THROUGHPUT = ("target_tokens_per_s", "train_seconds", "core_seconds", "micro_tokens", "padding")
Value = TypeVar("Value")


def record_of(
    spec: Spec,
    scale: str,
    seed: int,
    *,
    ended: Outcome,
    corpus: Manifest,
    scored: Iterable[tuple[str, Scored]],
    synthetic: dict[str, Any] | None = None,
) -> RecordFile:
    """Return the record of a seed; `scored` are its scores, each with the name of its folder.

    `synthetic` says how the back-translated pairs of the corpus were made, if it has some.
    """
    if ended.seed not in (None, seed):
        raise UserError(f"--seed {seed}: the outcome is of seed {ended.seed}")
    points = grouped(scored)
    at_end = [
        one for name, own in points.items() if "milestone" not in weights_at(name) for one in own
    ]
    code = {
        "training_code": ended.code,
        "search_code": " ".join(sorted({one.code for one in at_end})),
    }
    parts = shared(TrainingEnd, ended) | {
        "throughput": {key: getattr(ended, key) for key in THROUGHPUT},
        "software": ended.software | versions(PACKAGES) | code,
        "decoding": asdict(spec.decoding) | decoding(at_end),
    }
    return RecordFile(
        schema="record/1",
        run=spec.run,
        spec=spec.sections,
        spec_sha256=spec.sha256,
        scale=scale,
        seed=seed,
        outcome=ended.outcome,
        **parts,
        unigram_loss=ended.unigram_loss,
        milestones=tuple(
            milestone(one, points.get(point_name("milestone", one.update), ()))
            for one in ended.milestones
        ),
        scores=mean_by_split((one.split, one.scores) for one in at_end),
        perplexities=perplexities(at_end),
        # A split of several checkpoints has the hypotheses of the last one.
        hypotheses={one.split: one.hypotheses for one in reversed(at_end)},
        references={one.split: one.references for one in at_end if one.references},
        log_probabilities=log_probabilities(at_end),
        reference_tokens={
            split: tokens for one in at_end for split, tokens in one.reference_tokens.items()
        },
        data=TrainingData(
            dataset=spec.dataset, note=corpus.note, sha256=corpus.sha256, synthetic=synthetic
        ),
    )


def shared(kind: type, other: object) -> dict[str, Any]:
    """Return the fields of a dataclass that `other` has, too."""
    return {each.name: getattr(other, each.name) for each in fields(kind)}


def grouped(pairs: Iterable[tuple[str, Value]]) -> dict[str, list[Value]]:
    """Return all values of each key, in order."""
    found: dict[str, list[Value]] = defaultdict(list)
    for key, value in pairs:
        found[key].append(value)
    return dict(found)


def milestone(reached: Milestone, scored: Sequence[Scored]) -> RecordedMilestone:
    """Return a milestone with what was measured on its translations.

    Training chose the weights with the lowest perplexity on dev. Signatures are those of the scores
    at the end.
    """
    on_dev = reached.dev_perplexities
    chosen = {"dev": min(on_dev.values())} if on_dev else {}
    ratios = {one.split: one.scores["bleu"].length_ratio for one in scored if "bleu" in one.scores}
    return RecordedMilestone(
        **shared(EndAtMilestone, reached),
        perplexities=chosen | {k: value for one in scored for k, value in one.perplexities.items()},
        scores={one.split: {name: s.value for name, s in one.scores.items()} for one in scored},
        length_ratios={split: ratio for split, ratio in ratios.items() if ratio is not None},
    )


def decoding(scored: Sequence[Scored]) -> dict[str, dict[str, float]]:
    """Return seconds and pace of the search by split, and the sources that it cut."""
    found = grouped((one.split, one) for one in scored)
    seconds = {split: sum(one.seconds for one in own) for split, own in found.items()}
    return {
        "seconds": {split: round(spent, 3) for split, spent in seconds.items()},
        "sentences_per_s": {
            split: round(sum(one.timed for one in own) / seconds[split], 3)
            for split, own in found.items()
            if seconds[split] > 0
        },
        "cut": {one.split: one.cut for one in scored if one.cut},
    }


def perplexities(scored: Iterable[Scored]) -> dict[str, float]:
    """Return the perplexities by split, averaged over checkpoints."""
    found = grouped(pair for one in scored for pair in one.perplexities.items())
    return {split: fmean(values) for split, values in found.items()}


def log_probabilities(scored: Iterable[Scored]) -> dict[str, str]:
    """Return the hashes of their files by split.

    A split of several checkpoints has none: no sentence's log probability gives their mean
    perplexity. Translations of an earlier version have none either.
    """
    found = grouped((one.split, one.log_probabilities) for one in scored)
    return {split: own[0] for split, own in found.items() if len(own) == 1 and own[0]}


def mean_by_split(scores: Iterable[tuple[str, Mapping[str, Score]]]) -> dict[str, dict[str, Score]]:
    """Return the scores by split and measure, averaged over checkpoints."""
    return {
        split: {name: mean([one[name] for one in own]) for name in own[0]}
        for split, own in grouped(scores).items()
    }


def mean(scores: Sequence[Score]) -> Score:
    """Return the mean of one measure, whose signature says of how many checkpoints."""
    first, several = scores[0], f"|mean of {len(scores)} checkpoints" if len(scores) > 1 else ""
    columns = zip(*(one.precisions for one in scores), strict=True)
    means = {
        key: fmean(getattr(one, key) for one in scores)
        for key in ("value", "brevity_penalty", "length_ratio")
        if getattr(first, key) is not None
    }
    return Score(
        **means,
        signature=first.signature + several,
        precisions=tuple(map(fmean, columns)),
    )


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of the packages that are installed."""
    found = {}
    for name in packages:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found
