"""Configure device, precision and memory; on a processor only the precision changes the results."""

import ctypes
import os
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated

import torch
from torch import nn

from deepmt.kernels.devices import Device
from deepmt.kernels.limits import NARROWEST
from deepmt.kernels.recompute import recompute
from deepmt.settings.spec import Spec
from deepmt.settings.strict import CountOrNone, one_of

M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_MAX = -1, -2, -4
"""Parameters of mallopt in glibc's malloc.h."""
CACHES = ("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "LRU_CACHE_CAPACITY")
"""Number of compiled products that oneDNN keeps, and that torch keeps of them itself."""
SHAPES_KEPT = 64
"""Compiled products to keep; a pass over a layer needs fewer than 30."""


@dataclass(frozen=True, kw_only=True)
class ExecutionConfig:
    """Set device, precision and memory of one trainer."""

    device: Device = "cpu"
    precision: Annotated[
        str, one_of(("float32", "bfloat16", "auto")), "float32, bfloat16 or auto, as in the spec"
    ] = "auto"
    micro_tokens: Annotated[CountOrNone, "tokens at once; 0 = a device batch; GPU: 25,000"] = 0
    recompute: Annotated[bool, "recompute activations in the backward pass: less memory"] = False
    deterministic: Annotated[bool, "refuse operations of a GPU that differ from run to run"] = False
    resumable: Annotated[bool, "save states to resume from; without them, a stop loses all"] = True

    def dtype(self, spec: Spec) -> torch.dtype:
        """Return the type of matrix products; weights, sums and the rest stay in float32."""
        precision = spec.training.precision if self.precision == "auto" else self.precision
        if precision != "auto":
            return getattr(torch, precision)
        wide = min(spec.encoder.d_model, spec.decoder.d_model) >= NARROWEST
        return torch.bfloat16 if wide and multiplies_bfloat16(self.device) else torch.float32


def recompute_layers(model: nn.Module) -> None:
    """Let all layers recompute their activations in the backward pass."""
    for layer in (*model.encoder.layers, *model.decoder.layers):
        recompute(layer)


def be_deterministic() -> None:
    """Let torch choose operations that give the same bits in every run, and refuse all others.

    cuBLAS needs a workspace of fixed size for it, set before the first product of a GPU.
    """
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True)


def keep_memory() -> None:
    """Let the C library keep freed memory instead of returning each large tensor to the system.

    Mapping the pages again at every update takes up to a tenth of the time. Compiled products are
    kept for few shapes, not for 1,024: nearly every batch brings new ones, of half a megabyte each.
    """
    for name in CACHES:
        os.environ.setdefault(name, str(SHAPES_KEPT))
    with suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        library.mallopt(M_MMAP_MAX, 0)
        library.mallopt(M_TOP_PAD, 1 << 26)
        library.mallopt(M_TRIM_THRESHOLD, (1 << 31) - 1)


def multiplies_bfloat16(device: str) -> bool:
    """Check if the hardware itself multiplies bfloat16: AVX512-BF16, AMX, or a GPU.

    Emulation would be slower than float32.
    """
    if torch.device(device).type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    return torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()
