"""Generate the raw text of a synthetic corpus."""

from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import run
from deepmt.config.corpora import load_corpora
from deepmt.data.grammar import generate
from deepmt.data.lines import write_lines
from deepmt.files import sha256, write_hashed_json


@dataclass(frozen=True, kw_only=True)
class Args:
    """Generate {split}.{language} beside counts.json, from the seed and sizes in corpora.yaml."""

    corpora_file: Path
    corpus: str
    output: Path


def main(args: Args) -> None:
    """Generate pairs of English and German, for both translation directions."""
    corpus = load_corpora(args.corpora_file).corpus(args.corpus)
    if corpus.seed is None or corpus.sizes is None:
        raise ValueError(f"{args.corpus} is not a generated corpus: use extract.py")
    sums = {}
    for name, pairs in generate(corpus.seed, corpus.sizes).items():
        for language, lines in zip(("en", "de"), zip(*pairs, strict=True), strict=True):
            file = args.output.with_name(f"{name}.{language}")
            write_lines(file, lines)
            sums[file.name] = sha256(file)
    write_hashed_json(args.output, {"pairs": corpus.sizes, "sha256": sums})


if __name__ == "__main__":
    run(main, Args)
