"""Fetch one archive of corpora.yaml; the only stage that needs the network."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from deepmt.cli import run
from deepmt.config.corpora import load_corpora
from deepmt.data.fetch import fetch


@dataclass(frozen=True, kw_only=True)
class Args:
    """Fetch one archive: from the mirror if one is given, else from its public addresses."""

    archive: str
    corpora_file: Path = Path("corpora.yaml")
    output: Annotated[Path | None, "default: data/archives/ARCHIVE"] = None
    mirror: str = ""


def main(args: Args) -> None:
    """Write the archive to `output` and check its checksum."""
    output = args.output or Path("data/archives", args.archive)
    archive = load_corpora(args.corpora_file).archive(args.archive)
    fetch(archive, output, Path(args.mirror) if args.mirror else None)


if __name__ == "__main__":
    run(main)
