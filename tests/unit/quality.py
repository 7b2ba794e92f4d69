"""Systems of a scale with made-up perplexities, for tests of who is better."""

import math
from typing import Any

import invented

from deepmt.judge.quality import TrainedSystem
from deepmt.measured.dev_progress import LogDev
from deepmt.measured.records import Record
from deepmt.study.papers import Row


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
    spec = invented.spec(2, updates=last, checkpoint_every=1, milestones=tuple(early))

    def record(seed: int, log: float) -> Record:
        found = {split: math.exp(log + (sets or {}).get(split, 0.0)) for split in tokens}
        value, bleu = chrf + seed / 100, chrf / 2 + seed / 100
        scores = {
            "chrf": {"value": value, "signature": "made up"},
            "bleu": {"value": bleu, "signature": "made up", "length_ratio": 1.0},
        }
        return invented.seed_of(
            spec,
            seed,
            run=name,
            epochs=last / 500,
            hardware={"device": "cuda" if seed in gpu else "cpu"},
            milestones=[invented.milestone(update, (dev or {})[update]) for update in early],
            perplexities=found | {"dev": (dev or {}).get(last, math.exp(log))},
            scores=dict.fromkeys(tokens, scores),
        )

    deep = not name.startswith("shallow")
    return TrainedSystem(
        row=Row(id=name, label=name, status="trained", system=name, values={}),
        run=name,
        seeds={seed: record(seed, log) for seed, log in logs.items()},
        tokens=tokens,
        layers=(12, 12) if deep else (3, 3),
        deep=deep,
        dev={seed: LogDev(log + before, log) for seed, log in logs.items()},
        **{"method": spec.method} | changes,
    )
