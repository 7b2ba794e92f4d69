"""Tokenise and clean a corpus: normalise, tokenise, lower-case, drop bad training pairs."""

from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import parse
from deepmt.data.cleaning import tokenise_set
from deepmt.data.lines import set_names
from deepmt.data.settings import load_settings, text_steps
from deepmt.files import write_json


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write {set}.{language} as tokens for every set in the raw folder, and cleaning.json."""

    data: Path
    raw_dir: Path
    output_dir: Path


def main(args: Args) -> None:
    """Only the train set is cleaned; the lines of all others stay, empty ones too."""
    settings = load_settings(args.data)
    counts = {
        name: tokenise_set(
            text_steps(settings),
            {language: args.raw_dir / f"{name}.{language}" for language in settings.languages},
            {language: args.output_dir / f"{name}.{language}" for language in settings.languages},
            clean=name == "train",
        )
        for name in set_names(args.raw_dir, settings.source)
    }
    write_json(args.output_dir / "cleaning.json", counts)


if __name__ == "__main__":
    main(parse(Args))
