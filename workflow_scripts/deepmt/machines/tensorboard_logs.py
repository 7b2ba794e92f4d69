"""Write what trainings log in TensorBoard's form; no training knows of it."""

import math
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from deepmt.base.errors import UserError
from deepmt.base.files import visible
from deepmt.measured.attempts import Event, events_of, merge_attempts
from deepmt.settings.seed_folder import seeds_in

NO_SERIES = {"event", "attempt", "time", "update", "code_changed"}


def write_logs(root: Path, scale: str, folder: Path) -> list[str]:
    """Write the numbers of every seed's log of some scales; return the names of the seeds.

    Raises:
        UserError: TensorBoard is not installed.
    """
    try:
        from torch.utils.tensorboard.writer import SummaryWriter
    except ImportError:
        raise UserError(
            "--tensorboard needs a package: .venv/bin/python -m pip install -c requirements.lock"
            " tensorboard==2.21.0"
        ) from None
    names = []
    folders = visible(root, f"results/{scale}")
    seeds = (seed for results in folders for seed in seeds_in(results) if seed.is_numbered)
    for seed in (seed for seed in seeds if seed.log.exists()):
        names.append(f"{seed.results.name}/{seed.run}/seed{seed.seed}")
        with SummaryWriter(str(folder / names[-1])) as writer:
            for tag, value, update, time in numbers(
                merge_attempts(events_of(seed.log.read_bytes()))
            ):
                writer.add_scalar(tag, value, update, walltime=time)
    return names


def numbers(events: Iterable[Event]) -> Iterator[tuple[str, float, int, float]]:
    """Yield tag, value, update and time of each finite number that depends on the update."""
    for event in events:
        for key in event.keys() - NO_SERIES if "update" in event else ():
            for part, value in parts(event[key]).items():
                if isinstance(value, int | float) and math.isfinite(value):
                    yield f"{event['event']}/{key}{part}", value, event["update"], event["time"]


def parts(value: Any) -> Mapping[str, Any]:
    """Return the values of a list or mapping by the end of their tag; a number has none."""
    if isinstance(value, list):
        return {f"/{number}": one for number, one in enumerate(value, 1)}
    if isinstance(value, Mapping):
        return {f"/{name}": one for name, one in value.items()}
    return {"": value}
