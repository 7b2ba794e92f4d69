"""The commands of rules/{train,evaluate}.smk: what makes each file of a seed."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

from deepmt.config.requested_splits import sets_asked_for
from deepmt.config.settings import Plan
from deepmt.config.spec import Spec
from deepmt.estimate.graph import Job
from deepmt.estimate.run_jobs import decoded_sets, seed_jobs

Words = list[str | Path | int]


@dataclass(frozen=True, kw_only=True)
class Step:
    """A file of a seed, and the script with its flags that writes it."""

    output: Path
    script: str
    flags: tuple[str, ...]


@dataclass(frozen=True)
class Seed:
    """One seed of a run, and how it is computed."""

    plan: Plan
    spec: Spec
    number: int
    device: str = "cpu"

    @property
    def name(self) -> str:
        """As logs and messages call it."""
        return f"{self.spec.run}.seed{self.number}"

    @property
    def folder(self) -> Path:
        """Where all its files lie."""
        return Path(self.plan.config.results) / "runs" / self.spec.run / f"seed{self.number}"

    @cached_property
    def jobs(self) -> list[Job]:
        """From the spec to the record, each after those that it reads."""
        asked = sets_asked_for(self.plan).get(self.spec.run, ())
        sets = decoded_sets(self.spec, self.plan, asked)
        settings = Job("resolve", str(self.folder.parent / "spec.json"))
        return [settings, *seed_jobs(self.spec, self.number, str(self.folder), sets, self.plan)]

    def steps(self) -> Iterator[Step]:
        """The same as commands."""
        for job in self.jobs:
            flags = tuple(str(word) for word in FLAGS[job.rule](self, job))
            yield Step(output=Path(job.output), script=job.rule, flags=flags)

    def inputs(self) -> set[Path]:
        """What must be there before: its encoded corpus, and references of what is scored."""
        read = {path for job in self.jobs for path in job.inputs}
        flags = [word for job in self.jobs if job.rule == "score" for word in score(self, job)]
        references = [flags[i + 1] for i, word in enumerate(flags) if word == "--reference"]
        return {Path(path) for path in (*read, *map(str, references))} - {
            Path(job.output) for job in self.jobs
        }


def seeds_asked_for(plan: Plan, device: str) -> list[Seed]:
    """All runs of the first seed before those of the second.

    Raises:
        ValueError: there is nothing to train.
    """
    if plan.config.from_ == "records":
        raise ValueError("from=records trains nothing, so there is nothing to run: leave it out")
    if not plan.runs:
        asked = ",".join(plan.config.rows)
        raise ValueError(f"rows={asked} has nothing to train at the {plan.scale.name} scale")
    return [
        Seed(plan, spec, number, device)
        for number, spec in product(plan.config.seeds, plan.runs.values())
    ]


def resolve(seed: Seed, job: Job) -> Words:
    """spec.json."""
    return ["--run", seed.spec.run, "--scale", seed.plan.scale.name, "--output", job.output]


def initialise(seed: Seed, job: Job) -> Words:
    """init.safetensors."""
    spec, ids = job.inputs
    profile = seed.folder / "admin_profile.json"
    return [
        *("--spec", spec, "--encoding", Path(ids).parent, "--seed", seed.number),
        *("--output", job.output, "--profile", profile, "--threads", seed.plan.scale.threads),
    ]


def train(seed: Seed, job: Job) -> Words:
    """outcome.json."""
    spec, ids, init = job.inputs
    scale = seed.plan.scale
    return [
        *("--spec", spec, "--encoding", Path(ids).parent, "--init", init, "--seed", seed.number),
        *("--output", job.output, "--threads", scale.threads, "--device", seed.device),
        *("--dev-every", scale.dev_every, "--gradients-every", scale.gradients_every),
        *("--mixtures-every", scale.mixtures_every),
    ]


def average(seed: Seed, job: Job) -> Words:
    """model.safetensors, of all last checkpoints or of the k-th last one."""
    spec, outcome = job.inputs
    point = Path(job.output).parent.name.removeprefix("checkpoint")
    checkpoint = int(point) if point.isdigit() else 0
    return [
        *("--spec", spec, "--outcome", outcome, "--checkpoint", checkpoint),
        *("--output", job.output),
    ]


def translate(seed: Seed, job: Job) -> Words:
    """hyp.<set>.tok.txt, hyp.<set>.txt and decoding.<set>.json."""
    spec, ids, _, model = job.inputs
    folder = Path(job.output).parent
    return [
        *("--spec", spec, "--encoding", Path(ids).parent, "--model", model, "--set", job.set),
        *("--tokenised", folder / f"hyp.{job.set}.tok.txt"),
        *("--output", folder / f"hyp.{job.set}.txt", "--report", job.output),
        *("--threads", seed.plan.scale.threads, "--device", seed.device),
    ]


def score(seed: Seed, job: Job) -> Words:
    """scores.<set>.json."""
    encoded, decoding = map(Path, job.inputs)
    name, target = decoding.name.split(".")[1], seed.spec.data.target
    raw = encoded.parent / "raw" if name == "train" else Path("data/raw") / seed.spec.data.corpus
    hypotheses = decoding.parent / f"hyp.{name}.tok.txt"
    meteor = seed.plan.config.meteor
    return [
        *("--hypotheses", hypotheses, "--detokenised", decoding.parent / f"hyp.{name}.txt"),
        *("--reference", raw / f"{name}.{target}"),
        *("--tokenised-reference", encoded.parent / "tok" / f"{name}.{target}"),
        *("--target-language", target, "--output", job.output),
        *("--conventions", decoding.parent / f"conventions.{name}.md"),
        *(["--meteor", meteor] if meteor else []),
    ]


def course(seed: Seed, job: Job) -> Words:
    """course.json."""
    spec, outcome = job.inputs
    return [
        *("--spec", spec, "--outcome", outcome, "--scale", seed.plan.scale.name),
        *("--seed", seed.number, "--output", job.output),
    ]


def record(seed: Seed, job: Job) -> Words:
    """record.json."""
    spec, ids, outcome, *rest = job.inputs
    scores = [path for path in rest if Path(path).name.startswith("scores.")]
    decodings = [path for path in rest if Path(path).name.startswith("decoding.")]
    synthetic = [path for path in rest if path not in {*scores, *decodings}]
    return [
        *("--spec", spec, "--outcome", outcome, "--manifest", ids),
        *("--scores", *scores, "--decoding", *decodings, "--synthetic", *synthetic),
        *("--scale", seed.plan.scale.name, "--seed", seed.number, "--output", job.output),
    ]


FLAGS = {
    "resolve": resolve,
    "initialise": initialise,
    "train": train,
    "course": course,
    "average": average,
    "translate": translate,
    "score": score,
    "record": record,
}
"""By rule."""
