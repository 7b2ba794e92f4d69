"""Write a trained model for another toolkit, and compare the two on a test set."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Annotated

import torch

from deepmt.cli import run
from deepmt.config.spec import read_spec
from deepmt.data.data_settings import check_subwords
from deepmt.data.encoded import EncodedPair
from deepmt.data.vocabulary import Vocabulary
from deepmt.export.agreement import compare, report
from deepmt.export.folder import replacing_folder
from deepmt.export.standard import standard
from deepmt.export.supported import search_notes, unsupported_settings
from deepmt.files import write_json
from deepmt.model.build import build
from deepmt.model.weights import load_model_file


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write a folder that another toolkit reads, with agreement.json."""

    spec: Path
    dataset: Path
    model: Path
    to: Annotated[str, "ctranslate2 or huggingface"]
    split: str
    output: Path
    threads: int = 1


def main(args: Args) -> None:
    """Save the model, load it again, and compare the translations of both.

    Raises:
        ValueError: if the toolkit does not support the method.
    """
    torch.set_num_threads(args.threads)
    spec = read_spec(args.spec)
    if problems := unsupported_settings(spec, args.to):
        raise ValueError("\n".join(problems))
    check_subwords(args.dataset)
    source, target = (Vocabulary.load(args.dataset / f"vocab.{x}") for x in spec.data.languages)
    model = build(spec, len(source), len(target))
    load_model_file(model, args.model)
    toolkit = import_module(f"deepmt.export.{args.to}")
    pair = EncodedPair(args.dataset / "ids", args.split, *spec.data.languages)
    with replacing_folder(args.output) as folder:
        toolkit.save(standard(model, spec), spec, source, target, folder)
        found = compare(model, spec, toolkit.load(folder, source, target), pair)
        agreement = {"split": args.split, "notes": search_notes(spec)} | report(found, target)
        write_json(folder / "agreement.json", agreement)


if __name__ == "__main__":
    run(main, Args)
