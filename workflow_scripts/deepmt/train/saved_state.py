"""Define what a saved training state holds, and check a file before anything of it is loaded."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired

import torch
from pydantic import Field, TypeAdapter
from pydantic.dataclasses import dataclass
from torch import Tensor, nn
from typing_extensions import TypedDict

from deepmt.base.errors import UserError
from deepmt.settings.strict import STRICT, Count, CountOrNone, NotNegative, Seed, Tokens, message_of
from deepmt.train.divergence import BatchIndex
from deepmt.train.history import History, Some
from deepmt.train.muon import MuonAndAdam
from deepmt.train.optimiser import AnyAdam
from deepmt.train.outcome import Milestone
from deepmt.train.patience import Patience
from deepmt.train.saved_file import SavedFile


class Fingerprint(TypedDict):
    """Name what must be the same for a training to go on."""

    spec: str
    data: str
    init: str
    seed: Seed
    code: str
    precision: Literal["float32", "bfloat16"]
    form: NotRequired[Literal["flat"]]
    """Of states of 0.5, in place of `schema`."""


@dataclass(config=STRICT)
class Progress:
    """Count the progress of a training between two updates."""

    update: CountOrNone = 0
    epoch: CountOrNone = 0
    batch: CountOrNone = 0
    """Batches of this epoch already used."""
    target_tokens: Tokens = 0
    seconds: NotNegative = 0.0
    core_seconds: NotNegative = 0.0
    """Processor time of all threads of the first worker."""

    def advance(self, index: BatchIndex, tokens: int) -> None:
        """Count an update of these batches, which have so many target tokens."""
        self.update += 1
        self.epoch, self.batch = index.epoch, index.batch + 1
        self.target_tokens += tokens


@dataclass(kw_only=True, config=STRICT)
class SavedState:
    """Hold everything that the next update depends on."""

    schema: Literal["state/2"] = "state/2"
    fingerprint: Fingerprint
    position: Progress
    losses: list[Annotated[float, Field(ge=0)]]
    micro_tokens: Some[Count]
    """Of each worker: dropout depends on the first row of a micro-batch."""
    diverged: bool
    patience: Patience
    milestones: dict[int, Milestone]
    best: Milestone | None
    history: History
    model: Any = None
    optimiser: Any = None
    """What each part of the optimiser keeps, by the number of a weight."""


ADAPTER = TypeAdapter(SavedState)


def read_state(file: SavedFile) -> SavedState:
    """Return the state in a file; any device may have written it.

    Raises:
        UserError: another program or version wrote it; names what it lacks.
    """
    try:
        found = torch.load(file.path, map_location="cpu", weights_only=True)
        model, optimiser = found.pop("model"), found.pop("optimiser")
        if "schema" not in found:
            found = completed(found)
        # As JSON, because a strict dataclass takes no dictionary.
        state = ADAPTER.validate_json(json.dumps(found))
        for key in ("position", "patience", "history"):
            if lacking := vars(getattr(state, key)).keys() - found[key].keys():
                raise UserError(f"{key} lacks {', '.join(sorted(lacking))}")
        state.model = model
        state.optimiser = [part["state"] for part in optimiser.get("parts", [optimiser])]
    except Exception as error:  # a foreign pickle raises whatever it likes
        of_memory = type(error) is RuntimeError and "PytorchStreamReader" not in str(error)
        if of_memory or isinstance(error, OSError | MemoryError):
            raise
        why = message_of(error) if isinstance(error, ValueError) else repr(error)
        raise refused(file, why.partition("\\n")[0].partition("\n")[0]) from error
    if state.position.update != file.update:
        raise refused(file, f"it is of update {state.position.update}")
    return state


def completed(older: Mapping[str, Any]) -> dict[str, Any]:
    """Return a state of 0.5, which names no schema, with what it lacks."""
    history = {"started": 0.0, "attempts": 0, **older["history"]}
    return {"best": None, **older, "history": history}


def refused(file: SavedFile, why: str) -> UserError:
    """Return the error for a file that is whole and cannot be continued."""
    return UserError(
        f"{file.path} holds no state of this version ({why}): delete it and run again, which"
        " continues an older state, if there is one"
    )


def check_tensors(
    file: SavedFile,
    saved: SavedState,
    model: nn.Module,
    optimiser: AnyAdam | MuonAndAdam,
) -> None:
    """Raise UserError if tensors have other names, shapes or types than those of this run."""
    kept = [kept_by(part, saved.position.update) for part in parts_of(optimiser)]
    own = {"model": model.state_dict(), "optimiser": kept}
    if why := misfit(own, {"model": saved.model, "optimiser": saved.optimiser}, "state"):
        raise refused(file, why)


def parts_of(optimiser: Any) -> tuple[AnyAdam, ...]:
    """Return the optimisers of torch that one consists of."""
    return optimiser.parts if isinstance(optimiser, MuonAndAdam) else (optimiser,)


def misfit(own: Any, saved: Any, name: str) -> str:
    """Return where saved tensors differ from one's own in names, shapes or types, or nothing."""
    if isinstance(own, list) and isinstance(saved, list):
        own, saved = (dict(enumerate(each)) for each in (own, saved))
    if isinstance(own, Mapping):
        if not isinstance(saved, Mapping) or own.keys() != saved.keys():
            return f"{name} has other names"
        return next(filter(None, (misfit(own[k], saved[k], f"{name}.{k}") for k in own)), "")
    fits = isinstance(saved, Tensor) and (own.shape, own.dtype) == (saved.shape, saved.dtype)
    return "" if fits else f"{name} is no {own.dtype} of {tuple(own.shape)}"


def kept_by(optimiser: AnyAdam, update: int) -> dict[int, dict[str, Tensor]]:
    """Return tensors of the shapes that an optimiser keeps for each weight after an update."""
    one = nn.Parameter(torch.zeros(1, 1))
    one.grad = torch.zeros(1, 1)
    twin = type(optimiser)([one])
    twin.step()
    weights = (weight for group in optimiser.param_groups for weight in group["params"])
    return {
        number: {key: weight if value.dim() else value for key, value in twin.state[one].items()}
        for number, weight in enumerate(weights if update else ())
    }
