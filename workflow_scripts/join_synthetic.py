"""Join a bitext with back-translated pairs, as the raw text of a corpus."""

from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import run
from deepmt.config.corpora import load_corpora
from deepmt.data.back_translation import join_synthetic


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write {split}.{language}, and counts.json with the share and origin of the pairs."""

    corpora_file: Path
    corpus: str
    bitext: Path
    text: Path
    reports: tuple[Path, ...]  # one per shard, in order, beside translations and lengths
    output: Path


def main(args: Args) -> None:
    """Add the synthetic pairs to the training text; copy all other splits from the bitext."""
    corpus = load_corpora(args.corpora_file).corpus(args.corpus)
    join_synthetic(corpus, args.bitext, args.text, args.reports, args.output)


if __name__ == "__main__":
    run(main, Args)
