"""Disk by stage: what lies here, and what the jobs left will write.

Text is estimated from pairs and words a sentence (text_sizes), weights from parameters.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from deepmt.config.settings import Plan
from deepmt.config.spec import Data
from deepmt.estimate.graph import Job
from deepmt.estimate.run_memory import STATE, STATES_KEPT, TEXT_A_SENTENCE, WEIGHT
from deepmt.estimate.runs import Run, sentences
from deepmt.estimate.text_estimates import below_data, texts
from deepmt.estimate.text_sizes import SUBWORDS_A_WORD, Text, text_of

BYTES_A_WORD = 6.5
"""Of text with its space, assumed: English has 6, German 7; Chinese has a like number a word."""
BYTES_AN_ID, BYTES_AN_OFFSET = 2, 8
MARKS = 1.1
"""Text with subword marks over text without, assumed."""


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One kind of files."""

    name: str
    here: int
    """Bytes that lie on this disk."""
    to_come: float
    """Bytes that jobs left will write: an estimate."""

    @property
    def bytes(self) -> float:
        """In the end."""
        return self.here + self.to_come


SEEDS = "{results}/runs/*/seed*"
FOLDERS = {
    "archives": "data/archives",
    "raw text": "data/raw data/monolingual data/back_translation",
    "encoded text": "data/encoded",
    "checkpoints": f"{SEEDS}/resume",
    "weights": f"{SEEDS}/*.safetensors {SEEDS}/checkpoint*/*.safetensors",
    "hypotheses": f"{SEEDS}/hyp.* {SEEDS}/checkpoint*/hyp.*",
}
"""Stage -> patterns of the files that it writes."""


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """Bytes that a job writes, by kind of job."""

    plan: Plan
    runs: Mapping[str, Run]
    fetched: Mapping[str, int]

    @cached_property
    def data(self) -> dict[str, Data]:
        """By encoding and by corpus."""
        return texts(self.plan)

    def archive(self, job: Job) -> float:
        """As far as corpora.yaml says."""
        return self.fetched[below_data(job)]

    def text(self, job: Job) -> float:
        """Both sides of a corpus; of one that no run reads nothing is known."""
        return (
            text_bytes(text_of(self.data[below_data(job)])) if below_data(job) in self.data else 0.0
        )

    def marked(self, job: Job) -> float:
        """The same with subword marks."""
        return MARKS * self.text(job)

    def ids(self, job: Job) -> float:
        """Tokens, and where each sentence begins."""
        found = text_of(self.data[below_data(job)])
        return found.pairs * (BYTES_AN_ID * (found.source + found.target) + 2 * BYTES_AN_OFFSET)

    def weights(self, job: Job) -> float:
        """Of one model."""
        run = Path(job.output).parts[3]
        return WEIGHT * self.runs[run].cost.parameters if run in self.runs else 0.0

    def checkpoints(self, job: Job) -> float:
        """States to go on from, and weights to average."""
        run = self.runs[job.run]
        return run.cost.parameters * (STATES_KEPT * STATE + WEIGHT * run.spec.training.average_last)

    def translations(self, job: Job) -> float:
        """A sentence in all its files."""
        return TEXT_A_SENTENCE * sentences(job, self.plan)


WRITERS: dict[str, tuple[str, Callable[[Sizes, Job], float]]] = {
    "fetch_archive": ("archives", Sizes.archive),
    "extract": ("raw text", Sizes.text),
    "generate": ("raw text", Sizes.text),
    "back_translate": ("raw text", Sizes.translations),
    "join_synthetic": ("raw text", Sizes.text),
    "tokenise": ("encoded text", Sizes.text),
    "segment": ("encoded text", Sizes.marked),
    "encode": ("encoded text", Sizes.ids),
    "initialise": ("weights", Sizes.weights),
    "train": ("checkpoints", Sizes.checkpoints),
    "average": ("weights", Sizes.weights),
    "translate": ("hypotheses", Sizes.translations),
}
"""Rule -> stage, and how much it writes."""


def stages(sizes: Sizes, left: Iterable[Job], root: Path) -> list[Stage]:
    """Every stage, in the order of the work."""
    to_come = dict.fromkeys(FOLDERS, 0.0)
    for job in left:
        if job.rule in WRITERS:
            stage, size = WRITERS[job.rule]
            to_come[stage] += size(sizes, job)
    results = sizes.plan.config.results
    return [
        Stage(
            name=name, here=on_disk(patterns.format(results=results), root), to_come=to_come[name]
        )
        for name, patterns in FOLDERS.items()
    ]


def text_bytes(text: Text) -> float:
    """Both sides as plain text."""
    words = (text.source + text.target - 2) / SUBWORDS_A_WORD
    return text.pairs * words * BYTES_A_WORD


def on_disk(patterns: str, root: Path) -> int:
    """Bytes of files that match, or lie in folders that do."""
    found = [path for pattern in patterns.split() for path in root.glob(pattern)]
    files = {file for path in found for file in ([path] if path.is_file() else path.rglob("*"))}
    return sum(file.stat().st_size for file in files if file.is_file())
