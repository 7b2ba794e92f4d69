"""Write everything that was fetched to one tar file, for machines without internet."""

from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import parse
from deepmt.config.corpora import load_corpora
from deepmt.data.bundle import export_bundle


@dataclass(frozen=True, kw_only=True)
class Args:
    """Bundle the archives of a folder, each checked; import_bundle.py is its counterpart."""

    output: Path
    archives: Path = Path("data/archives")
    corpora_file: Path = Path("corpora.yaml")


def main(args: Args) -> None:
    """Print what the bundle holds."""
    sums = export_bundle(load_corpora(args.corpora_file), args.archives, args.output)
    for key, digits in sums.items():
        print(f"{digits}  {key}")


if __name__ == "__main__":
    main(parse(Args))
