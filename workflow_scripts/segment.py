"""Learn subwords from the training text and segment every split."""

from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import run
from deepmt.config.spec import Data
from deepmt.data.cleaning import segment_and_clean
from deepmt.data.data_settings import load_settings, uncleaned
from deepmt.data.lines import split_names
from deepmt.data.subword import learn, load_segmenter, segment_file
from deepmt.files import check_listed, hashes_of, write_hashed_json, write_json


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write codes.joint or codes.{language}, bpe/{split}.{language} for every split, and bpe/done.

    With clean_on=subwords, also write the tokens of kept training pairs, and bpe/cleaning.json.
    """

    data: Path
    tok_dir: Path
    output_dir: Path
    threads: int = 1


def main(args: Args) -> None:
    """Learn from the training text only, then segment all splits."""
    settings = load_settings(args.data)
    check_listed(args.tok_dir / "cleaning.json")
    tokens = uncleaned(settings, args.tok_dir)
    training = {language: tokens / f"train.{language}" for language in settings.languages}
    # Like fairseq's scripts, learn before cleaning, which counts subwords.
    learn(settings, training, args.output_dir, args.threads)
    if settings.clean_on == "subwords":
        clean(args, settings, training)
    for language in settings.languages:
        segmenter = load_segmenter(settings, args.output_dir, language)
        for name in split_names(args.tok_dir, language):
            if name == "train" and settings.clean_on == "subwords":
                continue
            stem = f"{name}.{language}"
            output = args.output_dir / "bpe" / stem
            segment_file(segmenter, args.tok_dir / stem, output, args.threads)
    segmented = args.output_dir / "bpe"
    write_hashed_json(segmented / "done", {"sha256": hashes_of(segmented, "*.??")})


def clean(args: Args, settings: Data, training: dict[str, Path]) -> None:
    """Segment the training pairs, and write those of valid length as subwords and as tokens."""
    languages = settings.languages
    kept = [args.tok_dir / f"train.{language}" for language in languages]
    kept += [args.output_dir / "bpe" / f"train.{language}" for language in languages]
    segmenters = [load_segmenter(settings, args.output_dir, language) for language in languages]
    counts = segment_and_clean(settings, segmenters, training, kept, args.threads)
    write_json(args.output_dir / "bpe" / "cleaning.json", {"train": counts})


if __name__ == "__main__":
    run(main, Args)
