"""Name the files of one seed of a run, and those of each point that it is scored at."""

import re
from dataclasses import dataclass
from pathlib import Path

from deepmt.base.files import visible

SEED = re.compile(r"runs/([^/]+)/seed(\d+)(?=/|$)")


@dataclass(frozen=True)
class PointFolder:
    """Name what scored weights translate: those of a seed's end, or of a point before it."""

    path: Path

    @property
    def model(self) -> Path:
        """Return the weights."""
        return self.path / "model.safetensors"

    def hypotheses(self, split: str) -> Path:
        """Return the detokenised translation of a split."""
        return self.path / f"hyp.{split}.txt"

    def tokenised(self, split: str) -> Path:
        """Return the translation of a split in tokens."""
        return self.path / f"hyp.{split}.tok.txt"

    def log_probabilities(self, split: str) -> Path:
        """Return the log probability of every reference of a split."""
        return self.path / f"logprobs.{split}.csv"

    def decoded(self, split: str) -> Path:
        """Return the report on the translation of a split."""
        return self.path / f"decoding.{split}.json"

    def scored(self, split: str) -> Path:
        """Return the scores of a split."""
        return self.path / f"scores.{split}.json"


class SeedFolder(PointFolder):
    """Name what is written about one seed of a run, in its folder."""

    @classmethod
    def of(cls, results: Path, run: str, seed: int | str) -> "SeedFolder":
        """Return the folder of a seed below results/<scale>."""
        return cls(results / "runs" / run / f"seed{seed}")

    @classmethod
    def around(cls, path: Path) -> "SeedFolder | None":
        """Return the folder of the seed that a path lies in; None if its name is no seed's."""
        found = list(SEED.finditer(str(path.absolute())))
        return cls(Path(found[-1].string[: found[-1].end()])) if found else None

    @property
    def results(self) -> Path:
        """Return results/<scale>."""
        return self.path.parents[2]

    @property
    def run(self) -> str:
        """Return the name of the run."""
        return self.path.parent.name

    @property
    def seed(self) -> int:
        """Return the number of the seed."""
        return int(self.path.name.removeprefix("seed"))

    @property
    def is_numbered(self) -> bool:
        """Check if the folder is named after a seed."""
        return self.path.name.removeprefix("seed").isdecimal()

    @property
    def spec(self) -> Path:
        """Return the settings of the run."""
        return self.path.parent / "spec.json"

    @property
    def init(self) -> Path:
        """Return the weights that training starts from."""
        return self.path / "init.safetensors"

    @property
    def states(self) -> Path:
        """Return the folder of states to resume from, and of weights to average."""
        return self.path / "resume"

    @property
    def lock(self) -> Path:
        """Return the file that a training locks."""
        return self.path / "lock"

    @property
    def log(self) -> Path:
        """Return the log of events."""
        return self.path / "log.jsonl"

    @property
    def outcome(self) -> Path:
        """Return how the training ended."""
        return self.path / "outcome.json"

    @property
    def record(self) -> Path:
        """Return the record."""
        return self.path / "record.json"

    def point(self, name: str) -> PointFolder:
        """Return the folder of a point, such as update1200; "" is the end."""
        return PointFolder(self.path / name)


def seeds_in(results: Path, run: str = "*") -> list[SeedFolder]:
    """Return the folders of all seeds below results/<scale>, by name."""
    return list(map(SeedFolder, visible(results, f"runs/{run}/seed*")))
