"""Tokenise and clean a corpus: normalise, tokenise, lower-case, drop bad training pairs."""

from pathlib import Path

from deepmt.cli import run
from deepmt.data.cleaning import tokenise_split
from deepmt.data.data_settings import load_settings, tokenised_splits, uncleaned
from deepmt.data.lines import split_names
from deepmt.data.tokeniser import steps_for
from deepmt.data.truecase import truecase_files
from deepmt.files import write_json


def main(
    *,
    data: Path,
    raw_dir: Path,
    output_dir: Path,
    threads: int = 1,
) -> None:
    """Write tokens of every split as {split}.{language}, and cleaning.json.

    Only the training text is cleaned. If cleaning counts subwords (clean_on), encode.py cleans the
    tokens in uncleaned/ instead.
    """
    settings = load_settings(data)
    tokenised = tokenised_splits(raw_dir)
    counts = {}
    for name in split_names(raw_dir, settings.source):
        folder = output_dir if name != "train" else uncleaned(settings, output_dir)
        counts[name] = tokenise_split(
            steps_for(settings, name, tokenised),
            {language: raw_dir / f"{name}.{language}" for language in settings.languages},
            {language: folder / f"{name}.{language}" for language in settings.languages},
            clean=name == "train" and settings.clean_on == "tokens",
            processes=threads,
        )
    if settings.recase:
        if "train" not in tokenised:
            raise ValueError(
                f"data.recase=true needs truecased training text, but corpora.yaml does not list"
                f" train under the tokens of {settings.corpus}"
            )
        for language in settings.languages:
            files = [output_dir / f"{n}.{language}" for n in counts if n not in tokenised]
            truecase_files(files, raw_dir / f"train.{language}")
    write_json(output_dir / "cleaning.json", counts)


if __name__ == "__main__":
    run(main)
