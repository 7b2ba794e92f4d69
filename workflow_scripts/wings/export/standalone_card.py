"""Write README.md of a folder that translates by itself."""

from deepmt.data.manifest import Manifest
from deepmt.measured.records import Record
from deepmt.settings.spec import Spec
from wings.export.model_card import TextOfModel, head, licence, shown_scores, table

LIBRARY = "deepmt"


def standalone_card(spec: Spec, record: Record, corpus: Manifest) -> str:
    """Return how to use a model, how good it is, and what it was trained on."""
    source, target = spec.data.languages
    split = next(iter(record.scores), "")
    found = shown_scores(record.scores.get(split, {}))
    sizes = corpus.splits.get(split)
    of = f"{split}, {sizes.sentences:,} sentences" if sizes else split
    last = max(record.averaged_updates, default=record.updates)
    parts = [
        head(spec, LIBRARY, f"{corpus.title}, {split or 'no test set'}", found),
        f"# Translation from {source} to {target}: {corpus.title}",
        "## How to use it",
        "It needs Python 3.11 or newer, this folder, and the packages of `requirements.txt`:",
        f"```\npip install -r requirements.txt\npython translate.py < mine.{source} > mine.{target}"
        "\n```",
        "n lines of raw text in UTF-8 give n lines, in blocks of 1,000; standard error says how"
        " many are done. `python translate.py --help` lists its flags.",
        "## How good it is",
        f"On {of}:" if found else "No test set was translated.",
        *([table(found)] if found else []),
        *licence(spec, TextOfModel(title=corpus.title, licence=corpus.licence)),
        f"Weights: up to update {last:,}, of seed {record.seed}. Settings: `model/spec.json`. The"
        " modules in `deepmt/` are copies of those that trained it.",
    ]
    return "\n\n".join(parts) + "\n"
