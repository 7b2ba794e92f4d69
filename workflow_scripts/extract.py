"""Extract the text pairs of every split of a corpus from its archives."""

from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import run
from deepmt.config.corpora import load_corpora
from deepmt.data.extraction import extract


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write {split}.{language} for every split, and counts.json."""

    corpora_file: Path
    corpus: str
    archives: tuple[Path, ...]  # in the order of Corpus.archives
    output_dir: Path


def main(args: Args) -> None:
    """Extract the archives, given in the order in which the corpus first names them."""
    corpus = load_corpora(args.corpora_file).corpus(args.corpus)
    if not corpus.archives or len(corpus.archives) != len(args.archives):
        raise ValueError(
            f"{args.corpus} is extracted from {len(corpus.archives)} archives"
            f" ({', '.join(corpus.archives) or 'it is generated'}), but --archives names"
            f" {len(args.archives)}; pass them in this order"
        )
    archives = dict(zip(corpus.archives, args.archives, strict=True))
    extract(corpus, archives, args.output_dir)


if __name__ == "__main__":
    run(main, Args)
