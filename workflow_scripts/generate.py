"""Write the raw text of a corpus that the project makes itself."""

from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import parse
from deepmt.config.corpora import load_corpora
from deepmt.data.grammar import generate
from deepmt.files import write_json, write_text


@dataclass(frozen=True, kw_only=True)
class Args:
    """Generate {set}.{language} beside counts.json, from the seed and sizes in corpora.yaml."""

    corpora_file: Path
    corpus: str
    output: Path


def main(args: Args) -> None:
    """Each pair is English and German, whichever side the corpus translates from."""
    corpus = load_corpora(args.corpora_file).corpus(args.corpus)
    if corpus.seed is None or corpus.sizes is None:
        raise ValueError(f"{args.corpus} is not generated: use extract.py")
    for name, pairs in generate(corpus.seed, corpus.sizes).items():
        for side, language in enumerate(("en", "de")):
            lines = "".join(f"{pair[side]}\n" for pair in pairs)
            write_text(args.output.parent / f"{name}.{language}", lines)
    write_json(args.output, corpus.sizes)


if __name__ == "__main__":
    main(parse(Args))
