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
    archives: tuple[Path, ...]  # named by their keys in corpora.yaml
    output_dir: Path


def main(args: Args) -> None:
    """Extract all parts of all splits from the archives."""
    corpus = load_corpora(args.corpora_file).corpus(args.corpus)
    archives = {path.name: path for path in args.archives}
    if corpus.origin != "archives" or archives.keys() != set(corpus.archives):
        needed = ", ".join(corpus.archives) or "none: it is not extracted"
        raise ValueError(f"{args.corpus}: --archives must name {needed}")
    extract(corpus, archives, args.output_dir)


if __name__ == "__main__":
    run(main, Args)
