"""Write corpora.csv: every set of every encoding that was built, with its licence and citation."""

from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import parse
from deepmt.results.encoded_corpora import read_encoding, write_sets


@dataclass(frozen=True, kw_only=True)
class Args:
    """Gather what the folders of encodings, with words.json in each, say of themselves."""

    counts: tuple[Path, ...]
    raw: Path
    output: Path


def main(args: Args) -> None:
    """One line a set."""
    found = [line for path in args.counts for line in read_encoding(path.parent, args.raw)]
    write_sets(found, args.output)


if __name__ == "__main__":
    main(parse(Args))
