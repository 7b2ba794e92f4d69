"""Take the archives out of a bundle, so that the workflow needs no internet."""

from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import parse
from deepmt.config.corpora import load_corpora
from deepmt.data.bundle import import_bundle


@dataclass(frozen=True, kw_only=True)
class Args:
    """Put the archives of a bundle into a folder, each checked; what is there already stays."""

    bundle: Path
    folder: Path = Path("data/archives")
    corpora_file: Path = Path("corpora.yaml")


def main(args: Args) -> None:
    """Print what was done with each."""
    for key, done in import_bundle(load_corpora(args.corpora_file), args.bundle, args.folder):
        print(f"{key}: {done}", flush=True)


if __name__ == "__main__":
    main(parse(Args))
