"""Count the words of a dataset, and the merges that were learned for it."""

from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import run
from deepmt.data.data_settings import load_settings
from deepmt.data.word_counts import learned_merges, words_by_split
from deepmt.files import write_json


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write words.json from the folder's tok/ and codes."""

    dataset: Path
    output: Path
    threads: int = 1


def main(args: Args) -> None:
    """Count words and merges; joint merges count for both languages."""
    settings = load_settings(args.dataset / "data.json")
    counts = {
        "words": words_by_split(args.dataset, settings, args.threads),
        "merges": learned_merges(args.dataset, settings),
    }
    write_json(args.output, counts)


if __name__ == "__main__":
    run(main)
