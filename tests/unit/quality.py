"""Systems of a scale with made-up perplexities, for tests of who is better."""

import math
from types import SimpleNamespace
from typing import Any

from deepmt.judge.quality import TrainedSystem
from deepmt.results.dev_progress import LogDev

STARTED = "2026-11-28T00:00:00+00:00"


def system(
    name: str,
    logs: dict[int, float] | list[float],
    *,
    chrf: float = 60.0,
    before: float = 0.0,
    dev: dict[int, float] | None = None,
    tokens: dict[str, int] | None = None,
    sets: dict[str, float] | None = None,
    gpu: tuple[int, ...] = (),
    **changes: Any,
) -> TrainedSystem:
    """A system with these log perplexities by seed, or of seeds 2, 3, ...

    Those of `gpu` were trained on one. `sets` adds to those of single test sets; `dev` has
    perplexities on dev by update. At two thirds of training, the logarithm of that on dev was
    `before` higher.
    """
    logs = logs if isinstance(logs, dict) else dict(enumerate(logs, 2))
    tokens = tokens or {"test": 1000}
    *early, last = dev or {100: math.exp(min(logs.values(), default=0.0))}
    seeds = {
        seed: SimpleNamespace(
            run=name,
            seed=seed,
            updates=last,
            epochs=last / 500,
            spec={"method": {}},
            started=STARTED,
            hardware={"device": "cuda" if seed in gpu else "cpu"},
            milestones=[
                SimpleNamespace(update=u, perplexities={"dev": (dev or {})[u]}, scores={})
                for u in early
            ],
            perplexities={split: math.exp(log + (sets or {}).get(split, 0.0)) for split in tokens}
            | {"dev": (dev or {}).get(last, math.exp(log))},
            scores={
                split: {
                    "chrf": SimpleNamespace(value=chrf + seed / 100),
                    "bleu": SimpleNamespace(value=chrf / 2 + seed / 100, length_ratio=1.0),
                }
                for split in tokens
            },
        )
        for seed, log in logs.items()
    }
    deep = not name.startswith("shallow")
    return TrainedSystem(
        row=SimpleNamespace(id=name, label=name, system=name, group=""),
        run=name,
        seeds=seeds,
        tokens=tokens,
        layers=(12, 12) if deep else (3, 3),
        deep=deep,
        dev={seed: LogDev(log + before, log) for seed, log in logs.items()},
        **changes,
    )
