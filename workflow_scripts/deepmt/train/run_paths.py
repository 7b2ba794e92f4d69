"""Name the files of one run."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deepmt.base.files import content_hash, read_json
from deepmt.data.encoded import EncodedPair
from deepmt.data.vocabulary import Vocabulary
from deepmt.model.weights import kept_hash
from deepmt.settings.seed_folder import SeedFolder
from deepmt.settings.spec import Spec, read_spec


@dataclass(frozen=True, kw_only=True)
class RunPaths:
    """Hold the files that one seed of a run reads, and the outcome that it writes."""

    spec: Path
    dataset: Path
    init: Path
    output: Path

    @property
    def files(self) -> SeedFolder:
        """Return the files beside the outcome: the log and the checkpoints."""
        return SeedFolder(self.output.parent)

    @property
    def folder(self) -> Path:
        """Return the folder of the outcome."""
        return self.output.parent

    def pair(self, spec: Spec, split: str) -> EncodedPair:
        """Open a split of the encoded corpus."""
        return EncodedPair(self.dataset / "ids", split, spec.data.source, spec.data.target)

    def vocabularies(self, spec: Spec) -> tuple[int, int]:
        """Return the number of source and target types."""
        source, target = (
            len(Vocabulary.load(self.dataset / f"vocab.{language}"))
            for language in (spec.data.source, spec.data.target)
        )
        return source, target

    def fingerprint(self, seed: int) -> dict[str, Any]:
        """Return hashes of the settings, data and initial weights of a checkpoint, and its seed.

        The settings are those that decide what an update does.
        """
        return {
            "spec": read_spec(self.spec).sha256_of_updates,
            "data": content_hash(read_json(self.dataset / "manifest.json")),
            "init": kept_hash(self.init),
            "seed": seed,
        }
