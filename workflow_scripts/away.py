"""Run seeds on a machine without Snakemake or network, within the minutes that it is lent.

Takes a checkout with data/encoded/ and the references in data/raw/. Exit status: 0 = every seed is
recorded; 75 = the time was up, run it again; 1 = something failed, all else was done.
"""

import signal
import sys
import tarfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from deepmt.away.commands import Seed, seeds_asked_for
from deepmt.away.pool import STOPPED, Pool
from deepmt.away.ready import broken_import, lent_gpus, missing_files
from deepmt.cli import parse
from deepmt.config import hardware as machines
from deepmt.config.settings import load_plan, read_overrides
from deepmt.estimate.estimate import estimate
from deepmt.files import replacing

COMES_BACK = (
    *("record.json", "course.json", "outcome.json", "log.jsonl", "admin_profile.json"),
    *("hyp.*.txt", "scores.*.json", "decoding.*.json"),
)
"""Records, what they are made of, and hypotheses; no weights."""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Train, translate and score what the settings ask for; pack what comes back."""

    config: tuple[str, ...] = field(
        metadata={"help": "as Snakemake takes it: scale=iwslt14-subset rows=unified.table1 seeds=1"}
    )
    output: Path = field(metadata={"help": "archive of records and hypotheses, a .tar.xz"})
    minutes: float = field(metadata={"help": "until everything is asked to save and stop"})
    at_once: int = field(default=1, metadata={"help": "seeds side by side"})
    gpus: int = field(
        default=0, metadata={"help": "shared; the first in CUDA_VISIBLE_DEVICES; 0 = use the CPU"}
    )


def main(args: Args) -> int:
    """Stop with a message if the settings need mending, or a file or package is missing."""
    until = time.monotonic() + 60 * args.minutes
    try:
        plan = load_plan(Path(), read_overrides(args.config))
        known = machines.load_hardware(Path("hardware.yaml"))
        hardware, _ = machines.parse(plan.config.hardware, known, args.gpus)
        seeds = seeds_asked_for(plan, "cuda" if args.gpus else "cpu")
        gpus = lent_gpus(args.gpus)
    except ValueError as error:
        sys.exit(f"The settings need mending:\n{error}")
    if missing := missing_files(seeds):
        sys.exit(
            f"missing: {', '.join(missing[:5])}; make them where Snakemake is and bring them along"
        )
    if broken := broken_import():
        sys.exit(f"{broken}; docs/away.md lists the packages that must be installed here")

    def predicted(seed: Seed) -> float:
        cost = estimate(seed.spec, hardware, threads=plan.scale.threads)
        return cost.train_seconds + cost.other_seconds

    pool = Pool(
        at_once=args.at_once,
        gpus=gpus,
        until=until,
        predicted=predicted,
        done=lambda seed: pack(seeds, args.output),
    )
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: pool.stop())
    left = pool.run(seeds)
    pack(seeds, args.output)
    print(f"{len(seeds) - len(left)} of {len(seeds)} seeds are recorded in {args.output}")
    if pool.failed:
        return 1
    return STOPPED if left else 0


def pack(seeds: list[Seed], output: Path) -> None:
    """Write the archive of every seed that has a record, whole or not at all."""
    with replacing(output) as temporary, tarfile.open(temporary, "w:xz") as tar:
        for seed in seeds:
            if (seed.folder / "record.json").exists():
                tar.add(seed.folder.parent / "spec.json")
                for path in files(seed.folder):
                    tar.add(path)


def files(folder: Path) -> list[Path]:
    """What of a seed comes back."""
    return sorted({path for pattern in COMES_BACK for path in folder.glob(pattern)})


if __name__ == "__main__":
    sys.exit(main(parse(Args)))
