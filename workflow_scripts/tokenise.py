"""Tokenise and clean a corpus: normalise, tokenise, lower-case, drop bad training pairs."""

from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import run
from deepmt.data.cleaning import tokenise_split
from deepmt.data.data_settings import load_settings, tokenised_splits, uncleaned
from deepmt.data.lines import split_names
from deepmt.data.tokeniser import steps_for
from deepmt.data.truecase import truecase_files
from deepmt.files import check_listed, hashes_of, write_hashed_json


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write {split}.{language} as tokens for every split in the raw folder, and cleaning.json."""

    data: Path
    raw_dir: Path
    output_dir: Path
    threads: int = 1


def main(args: Args) -> None:
    """Tokenise all splits and clean the training text; other splits keep all lines.

    If cleaning counts subwords (clean_on), segment.py cleans the tokens in uncleaned/ instead.
    """
    settings = load_settings(args.data)
    check_listed(args.raw_dir / "counts.json")
    tokenised = tokenised_splits(args.raw_dir)
    counts = {}
    for name in split_names(args.raw_dir, settings.source):
        folder = args.output_dir if name != "train" else uncleaned(settings, args.output_dir)
        counts[name] = tokenise_split(
            steps_for(settings, name, tokenised),
            {language: args.raw_dir / f"{name}.{language}" for language in settings.languages},
            {language: folder / f"{name}.{language}" for language in settings.languages},
            clean=name == "train" and settings.clean_on == "tokens",
            processes=args.threads,
        )
    if settings.recase:
        if "train" not in tokenised:
            raise ValueError(
                f"data.recase=true needs truecased training text, but corpora.yaml does not list"
                f" train under the tokens of {settings.corpus}"
            )
        for language in settings.languages:
            files = [args.output_dir / f"{n}.{language}" for n in counts if n not in tokenised]
            truecase_files(files, args.raw_dir / f"train.{language}")
    hashes = {"sha256": hashes_of(args.output_dir, "**/*.??")}
    write_hashed_json(args.output_dir / "cleaning.json", counts | hashes)


if __name__ == "__main__":
    run(main, Args)
