"""Average the last checkpoints of a run: the arithmetic mean of every parameter, in float32."""

import json
from dataclasses import dataclass
from pathlib import Path

from safetensors.numpy import load_file, save_file

from deepmt.cli import parse
from deepmt.files import replacing, sha256


@dataclass(frozen=True, kw_only=True)
class Args:
    """Average the checkpoints that the outcome names; they lie in resume/ beside it."""

    outcome: Path
    output: Path


def main(args: Args) -> None:
    """Write the mean; sum in order of updates, so that the result does not depend on anything."""
    names = json.loads(args.outcome.read_text())["averaged"]
    paths = [args.outcome.parent / "resume" / name for name in names]
    for path in paths:
        if not path.exists() or not sha256(path).startswith(path.stem.rsplit("-", 1)[1]):
            raise ValueError(f"{path} is missing or damaged: delete {args.outcome} and train again")
    total = load_file(paths[0])
    for path in paths[1:]:
        for name, value in load_file(path).items():
            total[name] = total[name] + value
    with replacing(args.output) as temporary:
        save_file({name: value / len(paths) for name, value in total.items()}, temporary)


if __name__ == "__main__":
    main(parse(Args))
