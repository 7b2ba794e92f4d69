"""Keep translations from outside, of which nothing is known but their scores."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic.dataclasses import dataclass

from deepmt.base.errors import UserError
from deepmt.base.files import visible
from deepmt.scores.score import Scores
from deepmt.settings.strict import CHECKED, Name, Some
from deepmt.settings.typed_file import TypedFile


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class Outside(TypedFile):
    """Hold translations that were made elsewhere; no table and no ranking has them."""

    schema: Literal["outside/1"] = "outside/1"
    name: Name
    corpus: Name
    split: Name
    entered: str
    """The day."""
    scores: Scores
    translations: Some[str]
    """Detokenised, a line each."""

    def enter(self, archive: Path) -> Path:
        """Put the file into an archive, and return its path.

        Raises:
            UserError: another one has its name.
        """
        path = archive / "outside" / f"{self.name}.{self.corpus}.{self.split}.json"
        if path.exists():
            raise UserError(f"{path} is there already: give another --enter NAME, or delete it")
        self.write(path)
        return path


def entered(archive: Path, corpora: set[str]) -> Iterator[Outside]:
    """Yield the translations of these corpora, those of the highest BLEU first."""
    found = map(Outside.read, visible(archive, "outside/*.json"))
    own = (one for one in found if one.corpus in corpora)
    yield from sorted(own, key=lambda one: -one.scores["bleu"].value if one.scores else 0.0)
