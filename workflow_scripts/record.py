"""Write the record of a finished seed, with everything about it in one JSON object."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

from deepmt.cli import run
from deepmt.config.spec import read_spec
from deepmt.files import read_json, write_hashed_json
from deepmt.results.measured_splits import grouped, perplexities_of, scores_of

PACKAGES = ("sacrebleu", "sacremoses", "sentencepiece", "subword-nmt", "snakemake")
FROM_OUTCOME = (
    "outcome failure updates epochs target_tokens train_loss averaged_updates parameters "
    "peak_memory_mb hardware attempts started finished commit"
).split()
THROUGHPUT = ("target_tokens_per_s", "train_seconds", "core_seconds", "micro_tokens", "padding")


@dataclass(frozen=True, kw_only=True)
class Args:
    """Combine outcome, scores, decoding reports and manifest."""

    spec: Path
    outcome: Path
    manifest: Path
    scores: tuple[Path, ...]
    decoding: tuple[Path, ...]
    milestone_scores: Annotated[tuple[Path, ...], "in folders update<number>"] = ()
    milestone_decoding: tuple[Path, ...] = ()
    synthetic: Annotated[
        tuple[Path, ...], "counts.json of a corpus with back-translated pairs"
    ] = ()
    scale: str
    seed: int
    output: Path


def main(args: Args) -> None:
    """Write record.json; its commit is that of the training."""
    spec = read_spec(args.spec)
    outcome = read_json(args.outcome)
    manifest = read_json(args.manifest)
    reports = [read_json(path) for path in args.decoding]
    seconds = grouped((report["split"], report["seconds"]) for report in reports)
    sentences = grouped((report["split"], timed(report)) for report in reports)
    record = {key: outcome[key] for key in FROM_OUTCOME} | {
        "schema": "record/1",
        "run": spec.run,
        "spec": spec.sections,
        "spec_sha256": spec.sha256,
        "scale": args.scale,
        "seed": args.seed,
        "scores": scores_of(args.scores),
        "perplexities": perplexities_of(reports),
        "milestones": [
            {key: value for key, value in milestone.items() if key != "file"}
            | milestone_scores(args, f"update{milestone['update']}")
            for milestone in outcome.get("milestones", ())
        ],
        # A split of several checkpoints has the hypotheses of the last one.
        "hypotheses": {
            report["split"]: report["sha256"][f"hyp.{report['split']}.txt"]
            for report in reversed(reports)
        },
        "decoding": asdict(spec.decoding)
        | {
            "seconds": {name: round(sum(spent), 3) for name, spent in seconds.items()},
            "sentences_per_s": {
                name: round(sum(sentences[name]) / sum(spent), 3)
                for name, spent in seconds.items()
                if sum(spent) > 0
            },
        },
        "dev_perplexities": outcome.get("dev_perplexities", {}),
        "throughput": {key: outcome.get(key) for key in THROUGHPUT},
        "software": outcome["software"]
        | versions(PACKAGES)
        | {
            "training_code": outcome["code"],
            "search_code": " ".join(sorted({report["code"] for report in reports})),
        },
        "data": {"dataset": spec.dataset}
        | {key: manifest[key] for key in ("note", "sha256")}
        | ({"synthetic": read_json(args.synthetic[0])["synthetic"]} if args.synthetic else {}),
    }
    write_hashed_json(args.output, record)


def milestone_scores(args: Args, folder: str) -> dict[str, Any]:
    """Return perplexities, scores and length ratios of one milestone by split.

    Their signatures are those of the scores at the end.
    """
    scores = {
        path.name.split(".")[1]: read_json(path)["scores"]
        for path in args.milestone_scores
        if path.parent.name == folder
    }
    reports = [read_json(path) for path in args.milestone_decoding if path.parent.name == folder]
    return {
        "perplexities": {key: one for each in reports for key, one in each["perplexities"].items()},
        "scores": {
            split: {name: score["value"] for name, score in found.items()}
            for split, found in scores.items()
        },
        "length_ratios": {split: found["bleu"]["length_ratio"] for split, found in scores.items()},
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
    run(main, Args)
