"""Compute golden values of a method, for other implementations (docs/enter-a-method.md)."""

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import nn

from deepmt.data.batches import Batch
from deepmt.data.vocabulary import EOS, PAD
from deepmt.init.initialise import initialise_
from deepmt.model.build import build
from deepmt.model.sublayer import Sublayer
from deepmt.model.weights import named_state
from deepmt.settings.spec import Spec
from deepmt.train.event_log import EventLog
from deepmt.train.execution import ExecutionConfig
from deepmt.train.passes import Share
from deepmt.train.update import Updater

SIZES = {
    **{f"{stack}.layers": 6 for stack in ("encoder", "decoder")},
    **{f"{stack}.d_model": 32 for stack in ("encoder", "decoder")},
    **{f"{stack}.feed_forward": 64 for stack in ("encoder", "decoder")},
    **{f"{stack}.heads": 4 for stack in ("encoder", "decoder")},
    "training.updates": 3,
    "training.batch_tokens": 36,
    "training.lr": 1e-3,
    "training.warmup": 1,
}
TYPES = 40
LENGTHS = ((9, 7, 8, 9), (8, 9, 6, 9))
"""Tokens of each sentence with the end symbol, source and target."""
FUSED = {"query_key_value": ("query", "key", "value"), "key_value": ("key", "value")}
"""Matrices that hold several, in their rows."""
SEED = 1
SECTIONS = ("encoder", "decoder", "method", "model", "training")
"""Settings that the values depend on."""
EXACT = ("settings", "source", "target")
ROUNDING = {"deviations": 1e-5, "residual_weights": 1e-5, "updates": 1e-6}
"""Relative differences that rounding makes; it grows with each update."""
AT_FIRST = 1e-9
"""That of the first update."""


def fixed_batch() -> Batch:
    """Return token 3 + (7 b + 5 t) % 37 at position t of sentence b, plus 1 on the target side."""
    sides = []
    for side, lengths in enumerate(LENGTHS):
        rows = torch.arange(len(lengths))[:, None]
        position = torch.arange(max(lengths))
        tokens = 3 + (7 * rows + 5 * position + side) % (TYPES - 3)
        ends = torch.tensor(lengths)[:, None] - 1
        sides.append(tokens.masked_fill(position == ends, EOS).masked_fill(position > ends, PAD))
    return Batch(*sides)


def first_model(spec: Spec) -> nn.Module:
    """Return the model before its first update, in float64 without dropout."""
    batch = fixed_batch()
    torch.manual_seed(SEED)
    model = build(spec, TYPES, TYPES).double()
    initialise_(model, spec, lambda: (batch.source, batch.target))
    return model.eval()


def golden(spec: Spec) -> dict[str, Any]:
    """Return the golden values of a spec, all in float64: weights, constants, three updates."""
    batch, model = fixed_batch(), first_model(spec)
    values = {
        "settings": {part: spec.sections[part] for part in SECTIONS},
        "source": batch.source.tolist(),
        "target": batch.target.tolist(),
        "deviations": deviations(model),
        "residual_weights": {
            s: residual_weights(getattr(model, s)) for s in ("encoder", "decoder")
        },
    }
    execution = ExecutionConfig(precision="float32")
    updater = Updater(spec, model, execution, EventLog(Path(), writes=False))
    updates = []
    for number in range(1, spec.training.updates + 1):
        loss, _ = updater.gradient(Share.whole([batch]), number)
        norm = updater.flat.norm()
        updates.append({"loss": loss.item(), "gradient_norm": norm.item()})
        updater.step(number, norm)
    return values | {"updates": updates}


def differences(found: Mapping[str, Any], written: Mapping[str, Any]) -> list[str]:
    """List where golden values differ beyond rounding, e.g. "updates 0 loss: 3.2, not 3.1"."""
    exact = [f"{key}: not as written" for key in EXACT if found[key] != written[key]]
    return exact + [
        f"{where}: {ours}, not {theirs}"
        for key, most in ROUNDING.items()
        for where, ours, theirs in _numbers(found[key], written[key], key)
        if not math.isclose(
            ours, theirs, rel_tol=AT_FIRST if where.startswith("updates 0") else most
        )
    ]


def _numbers(found: Any, written: Any, where: str) -> Iterator[tuple[str, float, float]]:
    """Yield the numbers of both at the same places; NaN beside those that one side lacks."""
    if isinstance(found, dict) and isinstance(written, dict) and found.keys() == written.keys():
        for key, value in found.items():
            yield from _numbers(value, written[key], f"{where} {key}")
    elif isinstance(found, list) and isinstance(written, list) and len(found) == len(written):
        for number, pair in enumerate(zip(found, written, strict=True)):
            yield from _numbers(*pair, f"{where} {number}")
    elif isinstance(found, float | int) and isinstance(written, float | int):
        yield where, found, written
    else:
        yield where, math.nan, math.nan


def deviations(model: nn.Module) -> dict[str, list[float]]:
    """Return the standard deviation of every kind of matrix, a list over layers, lowest first."""
    found: dict[str, list[float]] = {}
    for name, weight in named_state(model).items():
        if weight.dim() == 2:
            kind = re.sub(r"\.layers\.\d+\.", ".layers.*.", name).removesuffix(".weight")
            parts = FUSED.get(kind.rpartition(".")[2], ("",))
            for part, matrix in zip(parts, weight.detach().chunk(len(parts)), strict=True):
                deviation = matrix.std(correction=0).item()
                found.setdefault(f"{kind}.{part}".rstrip("."), []).append(float(f"{deviation:.6g}"))
    return found


def residual_weights(stack: nn.Module) -> list[float]:
    """Return alpha or omega of every sublayer, lowest first; empty where there is none."""
    residuals = [m.residual for m in stack.modules() if isinstance(m, Sublayer)]
    weights = [getattr(r, "omega", getattr(r, "alpha", None)) for r in residuals]
    return [torch.as_tensor(w, dtype=torch.double).mean().item() for w in weights if w is not None]
