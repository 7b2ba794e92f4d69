"""Whether a run fits into one device, and if not, what the trainer then does.

    memory(parts) = states + (peak - states) / parts

where states are what every parameter needs whatever the batch is. The trainer halves micro-batches
by itself until they fit; `recompute` saves more, at the price of a second way forward.
"""

from deepmt.estimate.run_memory import MB, PROCESS, SLACK, STATES
from deepmt.estimate.runs import Run

MOST_PARTS = 64
"""Beyond, a micro-batch is a few sentences."""
GB = 1024


def parts(run: Run) -> int | None:
    """Micro-batches of an update, a power of two; None if nothing helps."""
    room, peak = run.machines.hardware.memory_mb, run.cost.train_memory_mb
    states = states_mb(run)
    powers = (2**power for power in range(MOST_PARTS.bit_length()))
    return next((n for n in powers if states + max(0, peak - states) / n <= room), None)


def states_mb(run: Run) -> float:
    """Of the libraries, weights, gradients, moments."""
    device = run.machines.hardware.device
    return PROCESS[device] + SLACK * STATES * run.cost.parameters / MB


def fit(run: Run) -> str:
    """Peak memory, and in how many parts an update fits."""
    number, peak = parts(run), run.cost.train_memory_mb / GB
    text = f"{peak:,.0f} GB" if peak >= 10 else f"{peak:.1f} GB"
    return f"{text} !" if number is None else text if number == 1 else f"{text} /{number}"
