"""Read and write the JSON files between jobs: a class for each, which checks its content."""

import json
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from deepmt.base.errors import UserError
from deepmt.base.files import REMEDY, read_json, write_hashed_json
from deepmt.settings.seed_folder import SeedFolder
from deepmt.settings.strict import CHECKED, IF_GIVEN, message_of


class TypedFile:
    """Let a dataclass be read from a JSON file and written to it, with the hash of its content."""

    @classmethod
    def read(cls, path: Path, remedy: str = REMEDY) -> Self:
        """Read a file that `write` wrote.

        Raises:
            UserError: it cannot be read, or is damaged; names file, key, rule and remedy.
        """
        try:
            # As JSON, because a strict dataclass takes no Python list for a tuple.
            return TypeAdapter(cls).validate_json(json.dumps(read_json(path, remedy)))
        except OSError as error:
            raise UserError(f"{path} cannot be read ({error.strerror}); {remedy}") from error
        except ValidationError as error:
            raise UserError(f"{path} is damaged ({message_of(error)}); {remedy}") from None

    def write(self, path: Path) -> None:
        """Write the file atomically."""
        write_hashed_json(path, self.content)

    @property
    def content(self) -> dict[str, Any]:
        """Return what the file holds, without the hash."""
        return dict(TypeAdapter(type(self)).dump_python(self))


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class SeedFile(TypedFile):
    """Name the seed that a file is about; files of before 0.6 do not."""

    run: Annotated[str | None, IF_GIVEN] = None
    spec_sha256: Annotated[str | None, IF_GIVEN] = None
    seed: Annotated[int | None, IF_GIVEN] = None

    @classmethod
    def read(cls, path: Path, remedy: str = REMEDY) -> Self:
        """Read the file of a seed; refuse one that lies in the folder of another."""
        found, folder = super().read(path, remedy), SeedFolder.around(path)
        theirs = f"seed {found.seed} of {found.run}"
        if folder and found.run and theirs != (ours := f"seed {folder.seed} of {folder.run}"):
            raise UserError(f"{path} is of {theirs}, not of {ours}; {remedy}")
        return found
