"""Write a trained model for another toolkit, and compare the two on a test set."""

from importlib import import_module
from pathlib import Path
from typing import Annotated, Literal

import torch

from deepmt.base.cli import run
from deepmt.base.files import replacing_folder, write_json, write_text
from deepmt.base.printable import printable
from deepmt.data.dataset import Dataset
from deepmt.decode.load_model import plain_model
from deepmt.measured.scored import Scored
from deepmt.settings.spec import read_spec
from deepmt.settings.strict import Few
from wings.export.agreement import compare
from wings.export.model_card import TextOfModel, in_words, is_low, model_card
from wings.export.raw_text import copy_subwords
from wings.export.standard import standard
from wings.export.supported import exportable, search_notes


def main(
    *,
    spec: Path,
    dataset: Path,
    model: Path,
    to: Literal["ctranslate2", "huggingface"],
    scores: Annotated[Path, "scores.<split>.json of this model; the two are compared on its split"],
    title: Annotated[str, "title of the text that it was trained on"],
    licence: Annotated[str, "licence of that text"],
    output: Path,
    threads: Few = 1,
) -> None:
    """Write a folder that another toolkit reads, with subwords, README.md and agreement.json.

    README.md has a program for raw text, scores, and the text with its licence. agreement.json
    compares translations with ours; if few are equal, that is printed.

    Raises:
        UserError: the toolkit does not support the method.
    """
    torch.set_num_threads(threads)
    system, scored = exportable(read_spec(spec), to), Scored.read(scores)
    data = Dataset(dataset, system.data)
    source, target = data.vocabularies
    built = plain_model(system, (len(source), len(target)), model, "cpu")
    toolkit = import_module(f"wings.export.{to}")
    pair = data.pair(scored.split)
    with replacing_folder(output) as folder:
        toolkit.save(standard(built, system), system, source, target, folder)
        found = compare(built, system, toolkit.load(folder, source, target), pair)
        agreement = {"split": scored.split, "notes": search_notes(system)} | found
        write_json(folder / "agreement.json", agreement)
        copy_subwords(data, folder)
        text = TextOfModel(title=title, licence=licence)
        write_text(folder / "README.md", model_card(system, to, text, scored, agreement))
    if is_low(agreement):
        print(printable(f"{output}: {in_words(agreement)}"), flush=True)


if __name__ == "__main__":
    run(main)
