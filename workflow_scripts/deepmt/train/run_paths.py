"""Name the files of one run."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from deepmt.base.files import content_hash
from deepmt.data.dataset import Dataset
from deepmt.data.encoded import EncodedPair
from deepmt.model.weight_file import kept_hash
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
        return Dataset(self.dataset, spec.data).pair(split)

    def vocabularies(self, spec: Spec) -> tuple[int, int]:
        """Return the number of source and target types."""
        source, target = map(len, Dataset(self.dataset, spec.data).vocabularies)
        return source, target

    def fingerprint(self, seed: int) -> dict[str, Any]:
        """Return hashes of the settings, data and initial weights of a checkpoint, and its seed.

        The settings are those that decide what an update does, and the data those that it reads.
        """
        return {
            "spec": read_spec(self.spec).sha256_of_updates,
            "data": content_hash(replace(Dataset(self.dataset).manifest, text_sha256=None).content),
            "init": kept_hash(self.init),
            "seed": seed,
        }
