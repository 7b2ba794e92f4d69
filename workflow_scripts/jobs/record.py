"""Write the record of a finished seed, with everything about it in one JSON object."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

from deepmt.base.cli import run
from deepmt.base.files import read_json, write_hashed_json
from deepmt.measured.log_probabilities import file_of
from deepmt.measured.measured_splits import grouped, perplexities_of, scores_of
from deepmt.settings.point_names import point_name, weights_at
from deepmt.settings.spec import read_spec

PACKAGES = ("sacrebleu", "sacremoses", "sentencepiece", "subword-nmt", "snakemake")
FROM_OUTCOME = (
    "outcome failure updates epochs target_tokens train_loss averaged_updates parameters "
    "peak_memory_mb hardware attempts started finished commit"
).split()
THROUGHPUT = ("target_tokens_per_s", "train_seconds", "core_seconds", "micro_tokens", "padding")


def main(
    *,
    spec: Path,
    outcome: Path,
    manifest: Path,
    scores: Annotated[tuple[Path, ...], "those of milestones lie in folders update<number>"],
    synthetic: Annotated[
        tuple[Path, ...], "counts.json of a corpus with back-translated pairs"
    ] = (),
    scale: str,
    seed: int,
    output: Path,
) -> None:
    """Combine outcome, scores and manifest into record.json.

    Its commit is that of the training.
    """
    system = read_spec(spec)
    ended = read_json(outcome)
    corpus = read_json(manifest)
    measured = grouped((path.parent.name, read_json(path)) for path in scores)
    reports = [
        one
        for point, own in measured.items()
        if "milestone" not in weights_at(point)
        for one in own
    ]
    seconds = grouped((report["split"], report["seconds"]) for report in reports)
    sentences = grouped((report["split"], timed(report)) for report in reports)
    record = {key: ended[key] for key in FROM_OUTCOME} | {
        "schema": "record/1",
        "run": system.run,
        "spec": system.sections,
        "spec_sha256": system.sha256,
        "scale": scale,
        "seed": seed,
        "scores": scores_of(reports),
        "perplexities": perplexities_of(reports),
        "initial_weights": ended.get("initial_weights", ""),
        "milestones": [
            {key: value for key, value in milestone.items() if key != "file"}
            | scores_at(milestone, measured[point_name("milestone", milestone["update"])])
            for milestone in ended.get("milestones", ())
        ],
        # A split of several checkpoints has the hypotheses of the last one.
        "hypotheses": {
            report["split"]: report["sha256"][f"hyp.{report['split']}.txt"]
            for report in reversed(reports)
        },
        "references": {one["split"]: one["references"] for one in reports if "references" in one},
        "log_probabilities": log_probabilities_of(reports),
        "reference_tokens": {
            split: tokens
            for report in reports
            for split, tokens in report.get("reference_tokens", {}).items()
        },
        "decoding": asdict(system.decoding)
        | {
            "seconds": {name: round(sum(spent), 3) for name, spent in seconds.items()},
            "sentences_per_s": {
                name: round(sum(sentences[name]) / sum(spent), 3)
                for name, spent in seconds.items()
                if sum(spent) > 0
            },
            "cut": {one["split"]: one["cut"] for one in reports if one.get("cut")},
        },
        "dev_perplexities": ended.get("dev_perplexities", {}),
        "throughput": {key: ended.get(key) for key in THROUGHPUT},
        "software": ended["software"]
        | versions(PACKAGES)
        | {
            "training_code": ended["code"],
            "search_code": " ".join(sorted({report["code"] for report in reports})),
        },
        "data": {"dataset": system.dataset}
        | {key: corpus[key] for key in ("note", "sha256")}
        | ({"synthetic": read_json(synthetic[0], hashed=False)["synthetic"]} if synthetic else {}),
    }
    write_hashed_json(output, record)


def scores_at(
    milestone: Mapping[str, Any], reports: Sequence[dict[str, Any]]
) -> dict[str, dict[str, Any]]:
    """Return perplexities, scores and length ratios of one milestone by split.

    Training chose the weights with the lowest perplexity on dev. Signatures are those of the scores
    at the end.
    """
    found = {report["split"]: report["scores"] for report in reports}
    on_dev = milestone["dev_perplexities"]
    chosen = {"dev": min(on_dev.values())} if on_dev else {}
    return {
        "perplexities": chosen
        | {key: one for each in reports for key, one in each["perplexities"].items()},
        "scores": {
            split: {name: score["value"] for name, score in each.items()}
            for split, each in found.items()
        },
        "length_ratios": {split: each["bleu"]["length_ratio"] for split, each in found.items()},
    }


def log_probabilities_of(reports: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Return the hashes of their files by split.

    A split of several checkpoints has none: no sentence's log probability gives their mean
    perplexity. Translations of an earlier version have none either.
    """
    found = grouped(
        (report["split"], report["sha256"].get(file_of(report["split"]))) for report in reports
    )
    return {
        split: digests[0] for split, digests in found.items() if len(digests) == 1 and digests[0]
    }


def versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of the packages that are installed."""
    found = {}
    for name in packages:
        with suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def timed(report: dict[str, Any]) -> int:
    """Return the number of sentences decoded in its seconds, without resumed ones."""
    return int(report["sentences"] - report["resumed_sentences"])


if __name__ == "__main__":
    run(main)
