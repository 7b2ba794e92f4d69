"""The files between jobs, with what a test says and nothing else of interest."""

from pathlib import Path
from typing import Any

from deepmt.base.files import hashes_of, write_hashed_json
from deepmt.data.manifest import Manifest
from deepmt.measured.decoded import Decoded
from deepmt.measured.scored import Scored
from deepmt.scores.score import Score
from deepmt.train.outcome import Outcome

TIME = "2026-01-01T00:00:00+00:00"


def manifest(**given: Any) -> Manifest:
    """What an invented corpus says of itself."""
    plain: dict[str, Any] = dict.fromkeys(("title", "note", "licence", "citation"), "invented")
    plain |= {name: {} for name in ("settings", "vocabulary", "splits", "sha256", "tools")}
    return Manifest(**{**plain, **given})


def outcome(**given: Any) -> Outcome:
    """A training that finished."""
    plain: dict[str, Any] = {
        "outcome": "finished",
        "failure": None,
        "updates": 40,
        "epochs": 1.0,
        "target_tokens": 4000,
        "target_tokens_per_s": 1.0,
        "train_loss": 1.0,
        "train_seconds": 1.0,
        "unigram_loss": 3.0,
        "averaged": (),
        "averaged_updates": (40,),
        "parameters": 100,
        "peak_memory_mb": 200,
        "micro_tokens": 60,
        "padding": 0.1,
        "hardware": {},
        "software": {},
        "code": "1234",
        "commit": "abc",
        "started": TIME,
        "finished": TIME,
        "attempts": 1,
    }
    return Outcome(**{**plain, **given})


def decoding(split: str, **given: Any) -> dict[str, Any]:
    """What is said of a translation of five sentences."""
    return {
        "split": split,
        "sentences": 5,
        "seconds": 1.0,
        "resumed_sentences": 0,
        "perplexities": {split: 20.0},
        "reference_tokens": {split: 40},
        "beam": 4,
        "alpha": 0.6,
        "length_penalty": "wu",
        "precision": "float32",
        "batch_size": 64,
        "workers": 1,
        "hardware": {},
        "code": "1",
        "sha256": {f"hyp.{split}.txt": "0", f"logprobs.{split}.csv": "1"},
        **given,
    }


def decoded(split: str, **given: Any) -> Decoded:
    """The report on a translation."""
    return Decoded(**decoding(split, **given))


def scored(split: str, bleu: float = 20.0, **given: Any) -> Scored:
    """The scores of a translation."""
    scores = {name: Score(bleu, "s", length_ratio=bleu / 10) for name in ("bleu", "chrf")}
    plain = {"target_language": "de", "segments": 5, "empty_hypotheses": 0, "scores": scores}
    return Scored(**decoding(split, **{**plain, **given}))


def list_hashes(archive: Path) -> None:
    """List the CSV files of an archive that a test made."""
    write_hashed_json(archive / "hashes.json", {"sha256": hashes_of(archive, "**/*.csv")})
