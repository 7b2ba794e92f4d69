"""Find runs in which the encoder or the decoder no longer learns, from their logged gradients."""

from collections.abc import Mapping
from itertools import takewhile
from typing import Any

VANISHED = 0.01
"""Largest ratio r_t of the first layer's gradient to the last one's that trains nothing."""
LASTING = 0.2
"""Share of the logged updates, up to the last one, in which it must have vanished."""
ENOUGH = 5
"""Least number of these updates: a ratio may be small by chance."""
STACKS = {"encoder": "output_gradients", "decoder": "gradients"}
"""Section of the training curves with the gradients of each stack."""


def collapse(curves: Mapping[str, Mapping[str, Any] | None]) -> tuple[int, str] | None:
    """Return the update at which the first stack collapsed and the reason; None if none did.

    A stack of N layers has collapsed at update t if r_s = |g_1| / |g_N| <= 0.01 at every logged
    update s >= t, t being the first such update, and these are at least a fifth of all logged
    updates and five. g_l is dL/dh_l for the encoder (Bapna 2018, section 2.3), the gradient of the
    parameters of layer l for the decoder (Zhang 2019, Figure 4). A gradient that returns has not
    collapsed; a gradient of 0 everywhere has.
    """
    found = []
    for stack, name in STACKS.items():
        section = curves.get(name) or {}
        updates, layers = section.get("update", []), section.get(stack, [])
        lost = len(list(takewhile(_vanished, reversed(layers))))
        if lost >= max(ENOUGH, LASTING * len(updates)):
            share = f"{VANISHED:g} of the last one's"
            reason = f"the gradient of the first {stack} layer stays below {share}"
            found.append((updates[-lost], reason))
    return min(found, key=lambda pair: pair[0], default=None)


def _vanished(norms: list[float | None]) -> bool:
    """Check r_t without a division; a norm that was not finite has not vanished."""
    first, last = norms[0], norms[-1]
    return first is not None and last is not None and first <= VANISHED * last
