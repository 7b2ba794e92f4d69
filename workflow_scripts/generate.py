"""Write the embedded corpus: train, dev and test in English and German."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from deepmt import cli
from deepmt.data.grammar import generate


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write the embedded English-German corpus, one sentence a line."""

    output_dir: Path = field(metadata={"help": "folder for train.en, train.de, dev.*, test.*"})
    seed: int = field(default=1, metadata={"help": "seed of the random sentences"})
    train: int = field(default=20_000, metadata={"help": "number of training pairs"})
    dev: int = field(default=500, metadata={"help": "number of development pairs"})
    test: int = field(default=500, metadata={"help": "number of test pairs"})


def main(args: Args) -> None:
    """Generate the three splits and write each side whole or not at all."""
    sizes = {"train": args.train, "dev": args.dev, "test": args.test}
    args.output_dir.mkdir(parents=True, exist_ok=True)
    for split, pairs in generate(args.seed, sizes).items():
        for side, language in enumerate(("en", "de")):
            lines = [pair[side] for pair in pairs]
            write_lines(args.output_dir / f"{split}.{language}", lines)


def write_lines(path: Path, lines: list[str]) -> None:
    """Write to a temporary name in the same folder, then rename."""
    temporary = path.with_name(path.name + ".tmp")
    with temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(line + "\n" for line in lines)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


if __name__ == "__main__":
    main(cli.parse(Args))
