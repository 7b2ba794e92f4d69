"""Write corpora.csv: every split of every dataset, with its licence and citation."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from deepmt.cli import run
from deepmt.config.csv_lines import write_lines
from deepmt.results.encoded_corpora import EncodedSplit, read_dataset


@dataclass(frozen=True, kw_only=True)
class Args:
    """Gather the descriptions in the folders of datasets."""

    datasets: Annotated[tuple[str, ...], "datasets; those without words.json are left out"]
    data: Path
    output: Path


def main(args: Args) -> None:
    """Write one line per split."""
    folders = [args.data / "encoded" / name for name in args.datasets]
    found = [folder for folder in folders if (folder / "words.json").exists()]
    lines = [line for folder in found for line in read_dataset(folder, args.data / "raw")]
    write_lines(EncodedSplit, lines, args.output)


if __name__ == "__main__":
    run(main)
