"""Name the devices of this machine."""

from typing import Annotated

import torch
from pydantic import AfterValidator

from deepmt.base.errors import UserError


def check_device(name: str) -> str:
    """Raise UserError unless torch has the device here; look for GPUs only if one is named."""
    count = 0 if name == "cpu" else torch.cuda.device_count()
    here = ["cpu", *["cuda"] * bool(count), *(f"cuda:{number}" for number in range(count))]
    if name not in here:
        raise UserError(f"is no device of this machine, which has {', '.join(here)}")
    return name


Device = Annotated[str, AfterValidator(check_device)]
