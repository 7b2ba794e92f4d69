"""Let torch believe that it has a GPU, in a process that has not imported it yet."""

import ctypes
import os
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

SOURCE = Path(__file__).with_suffix(".cpp")
TORCH, OURS = (Path(find_spec(name).origin).parent for name in ("torch", "deepmt"))
OPTIONS = ["-shared", "-fPIC", "-std=c++20", f"-I{TORCH}/include", f"-L{TORCH}/lib"]
LIBRARIES = ["c10", "torch_cpu"]

library: ctypes.CDLL
found: "Counter[str]" = Counter()
"""What made the CPU wait so far, and where."""
warns = False


def built(folder: Path) -> Path:
    """Compile the device, or return what was compiled before from the same sources."""
    version = (TORCH / "version.py").read_bytes()
    library = folder / f"{sha256(SOURCE.read_bytes() + version).hexdigest()[:16]}.so"
    if not library.exists():
        part = library.with_suffix(f".{os.getpid()}")
        links = [f"-l{name}" for name in LIBRARIES]
        subprocess.run(["g++", *OPTIONS, str(SOURCE), "-o", str(part), *links], check=True)
        part.rename(library)
    return library


def begin(path: Path) -> None:
    """Load the device, before torch: autograd starts a thread for each device that it finds."""
    global library
    for name in LIBRARIES:
        ctypes.CDLL(str(TORCH / f"lib/lib{name}.so"), ctypes.RTLD_GLOBAL)
    library = ctypes.CDLL(str(path))
    pointer = ctypes.c_void_p.in_dll(library, "on_wait")
    pointer.value = ctypes.cast(note, ctypes.c_void_p).value

    import torch

    def clone(storage: Any) -> Any:
        like = torch.empty(storage.nbytes(), dtype=torch.uint8, device=storage.device)
        return like.untyped_storage().copy_(storage)

    def set_sync_debug_mode(mode: str) -> None:
        global warns
        warns = mode == "warn"

    torch.set_num_threads(1)
    torch.UntypedStorage.clone = clone
    torch.cuda.amp.common.amp_definitely_not_available = lambda: False
    torch.cuda.set_sync_debug_mode = set_sync_debug_mode
    for name, value in {
        "_lazy_init": None,
        "current_device": 0,
        "device_count": 1,
        "empty_cache": None,
        "get_device_name": "pretended GPU",
        "get_device_properties": SimpleNamespace(total_memory=2**30),
        "is_bf16_supported": True,
        "max_memory_allocated": 0,
        "reset_peak_memory_stats": None,
        "synchronize": None,
    }.items():
        setattr(torch.cuda, name, lambda *_, value=value, **__: value)


@ctypes.CFUNCTYPE(None, ctypes.c_char_p)
def note(reason: bytes) -> None:
    """Count what makes the CPU wait, by reason and line of the package."""
    frame = sys._getframe()
    while frame and not frame.f_code.co_filename.startswith(f"{OURS}{os.sep}"):
        frame = frame.f_back
    place = f" at {Path(frame.f_code.co_filename).name}:{frame.f_lineno}" if frame else ""
    found[reason.decode() + place] += 1
    if warns:
        warnings.warn(reason.decode(), stacklevel=2)


def calls() -> int:
    """Return how often the GPU was called so far."""
    return ctypes.c_int64.in_dll(library, "calls").value


@contextmanager
def waits() -> "Iterator[Counter[str]]":
    """Yield a counter of what makes the CPU wait meanwhile; it is filled at the end."""
    before, own = found.copy(), Counter()
    yield own
    own.update(found - before)
