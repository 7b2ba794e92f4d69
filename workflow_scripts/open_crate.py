"""Open an archive of results in a clone of the project: verify it, and take in its records."""

import sys
from dataclasses import dataclass, field
from pathlib import Path

from deepmt.cli import parse
from deepmt.export.crate_opening import open_crate


@dataclass(frozen=True, kw_only=True)
class Args:
    """Check every file of a crate, unpack it, and put its records where from=records finds them.

    Nothing is written if a file differs from the crate's list, or a record from that of the clone.
    """

    crate: Path = field(metadata={"positional": True, "help": "what crate.py made"})
    folder: Path | None = field(
        default=None, metadata={"help": "of all its files; without, results/crates/<its name>"}
    )
    replace: bool = field(
        default=False, metadata={"help": "where this clone has another record, take the crate's"}
    )
    root: Path = Path()


def main(args: Args) -> None:
    """Print what was verified and done, what differs here, and how to make the tables."""
    folder = args.folder or args.root / "results/crates" / args.crate.stem
    opened = open_crate(args.crate, folder, args.root, replace=args.replace)
    print(f"{folder}: {opened.files} files, {opened.size:,} bytes, each with its sha256")
    for merge in opened.merges:
        print(f"{merge.path}: {merge.told}")
    for warning in opened.warnings:
        print(f"warning: {warning}")
    print(f"now: {opened.made.command}")


if __name__ == "__main__":
    try:
        main(parse(Args))
    except ValueError as error:
        sys.exit(str(error))
