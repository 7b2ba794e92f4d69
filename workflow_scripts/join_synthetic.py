"""Join a bitext with the pairs that back-translation made, as the raw text of a corpus."""

from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import parse
from deepmt.config.corpora import load_corpora
from deepmt.data.back_translation import join_synthetic


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write {split}.{language}, and counts.json with the share and origin of each."""

    corpora_file: Path
    corpus: str
    bitext: Path
    text: Path
    reports: tuple[Path, ...]  # one a shard, in their order, beside translations and lengths
    output: Path


def main(args: Args) -> None:
    """Only the training text grows; all other splits are those of the bitext."""
    corpus = load_corpora(args.corpora_file).corpus(args.corpus)
    join_synthetic(corpus, args.bitext, args.text, args.reports, args.output)


if __name__ == "__main__":
    main(parse(Args))
