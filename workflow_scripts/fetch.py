"""Fetch one archive of corpora.yaml; the only stage that needs the network."""

import sys
from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import parse
from deepmt.config.corpora import load_corpora
from deepmt.data.fetch import FetchError, fetch


@dataclass(frozen=True, kw_only=True)
class Args:
    """Fetch one archive: from the mirror if one is given, else from its public addresses."""

    corpora_file: Path
    archive: str
    output: Path
    mirror: str = ""


def main(args: Args) -> None:
    """Write the archive to `output` and check its hash."""
    archive = load_corpora(args.corpora_file).archive(args.archive)
    try:
        fetch(archive, args.output, Path(args.mirror) if args.mirror else None)
    except FetchError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main(parse(Args))
