"""What a toolkit is asked for, and what it answers."""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, ClassVar, Protocol

from bench.systems import interpreter, variables
from deepmt.config.spec import Spec


@dataclass(frozen=True, kw_only=True)
class Order:
    """A run to train, on what, and where."""

    spec: Spec
    encoding: Path
    """data/encoded/<corpus>: subwords, vocabularies, ids."""
    seed: int
    threads: int
    folder: Path
    """Where the toolkit works; a model of before is written over."""
    environments: Path

    @property
    def languages(self) -> tuple[str, str]:
        """Source and target."""
        return self.spec.data.source, self.spec.data.target

    def python(self, environment: str) -> Path:
        """Of a toolkit's environment.

        Raises:
            Unavailable: it is not installed.
        """
        return interpreter(environment, self.environments)

    def release(self, environment: str, package: str) -> str:
        """The version of a package there."""
        code = f"import importlib.metadata as m; print(m.version({package!r}))"
        command = [str(self.python(environment)), "-c", code]
        found = subprocess.run(command, check=True, capture_output=True, text=True)
        return found.stdout.strip()

    def run(
        self,
        command: list[str],
        log: str,
        *,
        stdin: IO[str] | None = None,
        stdout: IO[str] | None = None,
    ) -> None:
        """Run a command with the threads that are asked for, and what it says in a log.

        Raises:
            subprocess.CalledProcessError: it failed.
        """
        with (self.folder / log).open("w") as said:
            subprocess.run(
                command,
                check=True,
                stdin=stdin,
                stdout=stdout or said,
                stderr=said,
                env=variables(self.threads),
            )


class Toolkit(Protocol):
    """A toolkit with its order."""

    its_own: ClassVar[str]
    """What is not made alike."""
    norms: ClassVar[tuple[str, ...]]
    """Places of the layer norm that it knows."""

    def __init__(self, order: Order) -> None: ...

    @property
    def version(self) -> str:
        """Name and release."""

    def configuration(self) -> dict[str, Any]:
        """Its settings in its own words."""

    def train(self) -> None:
        """Make the updates and keep the checkpoints that count."""

    def translate(self, source: Path, output: Path) -> None:
        """Write a line of subwords for each one of `source`, by the mean of the checkpoints."""
