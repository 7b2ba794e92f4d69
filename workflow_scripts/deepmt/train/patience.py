"""Decide when a training ends because dev no longer improves."""

import math
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from deepmt.settings.strict import CountOrNone


@dataclass
class Patience:
    """Count the epochs in which the loss on dev was not strictly lower (fairseq's --patience)."""

    lowest: Annotated[float, Field(ge=0, allow_inf_nan=True)] = math.inf
    waited: CountOrNone = 0
    """Epochs since that loss."""

    def note(self, loss: float) -> None:
        """Note the loss at the end of an epoch."""
        if loss < self.lowest:
            self.lowest, self.waited = loss, 0
        else:
            self.waited += 1

    def over(self, epochs: int) -> bool:
        """Check if so many epochs have passed in vain; 0 = never."""
        return 0 < epochs <= self.waited
