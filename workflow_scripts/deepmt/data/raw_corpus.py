"""Open the text of a corpus, which lies in data/raw/<corpus>."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from deepmt.base.files import checked_file, read_json, sha256, write_hashed_json
from deepmt.settings.strict import look_up


class RawCorpus:
    """Open the files of data/raw/<corpus>, each compared with its hash in counts.json.

    A text in one language, data/monolingual/<text>, is its only side of its only split.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def checked(cls, path: Path) -> Path:
        """Return the path of one of its files, compared with its hash."""
        split, _, language = path.name.partition(".")
        return cls(path.parent).file(split, language)

    def file(self, split: str, language: str) -> Path:
        """Return a side of a split; versions before 0.6 left no hash to compare it with."""
        look_up("split", split, self.counts.get("pairs", {split: 0}), f"{self.folder}: ")
        remedy = f"delete {self.folder} and run again"
        return checked_file(self.folder, f"{split}.{language}", self.counts.get("sha256"), remedy)

    @cached_property
    def counts(self) -> Mapping[str, Any]:
        """Return what counts.json says of the text."""
        return read_json(self.folder / "counts.json", hashed=False)

    @property
    def is_built(self) -> bool:
        """Check if the text is complete: counts.json is written last."""
        return (self.folder / "counts.json").exists()

    @property
    def tokenised(self) -> tuple[str, ...]:
        """Return the splits that came tokenised."""
        return tuple(self.counts.get("tokens", ()))

    def describe(self, pairs: Mapping[str, int], languages: Sequence[str], **about: object) -> None:
        """Write counts.json, with the hashes of all splits."""
        names = [f"{split}.{language}" for split in pairs for language in languages]
        sums = {name: sha256(self.folder / name) for name in names}
        write_hashed_json(self.folder / "counts.json", {"pairs": pairs, "sha256": sums, **about})
