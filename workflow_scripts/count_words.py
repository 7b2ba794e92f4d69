"""Count the words of a dataset, and the merges that were learned for it."""

from pathlib import Path

from deepmt.cli import run
from deepmt.data.data_settings import load_settings
from deepmt.data.word_counts import learned_merges, words_by_split
from deepmt.files import write_json


def main(*, dataset: Path, output: Path, threads: int = 1) -> None:
    """Write words.json from the folder's tok/ and codes; joint merges count for both languages."""
    settings = load_settings(dataset / "data.json")
    counts = {
        "words": words_by_split(dataset, settings, threads),
        "merges": learned_merges(dataset, settings),
    }
    write_json(output, counts)


if __name__ == "__main__":
    run(main)
