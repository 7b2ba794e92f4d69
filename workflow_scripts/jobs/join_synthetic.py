"""Join a bitext with back-translated pairs, as the raw text of a corpus."""

from pathlib import Path
from typing import Annotated

from deepmt.base.cli import run
from deepmt.data.back_translation import join_synthetic
from deepmt.settings.corpora import load_corpora


def main(
    *,
    corpora_file: Path,
    corpus: str,
    bitext: Path,
    text: Path,
    reports: Annotated[
        tuple[Path, ...], "one per shard, in order, beside translations and lengths"
    ],
    output: Path,
) -> None:
    """Write {split}.{language}, and counts.json with the share and origin of the pairs.

    Synthetic pairs join the training text; all other splits are those of the bitext.
    """
    entry = load_corpora(corpora_file).corpus(corpus)
    join_synthetic(entry, bitext, text, reports, output)


if __name__ == "__main__":
    run(main)
