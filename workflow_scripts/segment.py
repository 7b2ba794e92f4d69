"""Learn subwords from the training text and cut every set with them."""

from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import parse
from deepmt.data.lines import read_lines, replacing, set_names
from deepmt.data.settings import load_settings, subwords
from deepmt.data.subword import learn, load_segmenter


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write codes.joint or codes.{language}, and bpe/{set}.{language} for every set."""

    data: Path
    tok_dir: Path
    output_dir: Path


def main(args: Args) -> None:
    """Dev and test sets never take part in learning."""
    settings = load_settings(args.data)
    training = {language: args.tok_dir / f"train.{language}" for language in settings.languages}
    learn(subwords(settings), training, args.output_dir)
    for language in settings.languages:
        segmenter = load_segmenter(subwords(settings), args.output_dir, language)
        for name in set_names(args.tok_dir, language):
            lines = read_lines(args.tok_dir / f"{name}.{language}")
            with replacing(args.output_dir / "bpe" / f"{name}.{language}") as stream:
                stream.writelines(segmenter.segment(line) + "\n" for line in lines)


if __name__ == "__main__":
    main(parse(Args))
