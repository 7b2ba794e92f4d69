"""Write README.md of an exported model, which HuggingFace reads as its model card."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from deepmt.base.languages import language
from deepmt.measured.scored import Scored
from deepmt.scores.score import Score
from deepmt.settings.spec import Spec
from deepmt.study.measures import SHOWN_SCORES
from wings.export.raw_text import PACKAGES, program

LOW = 0.9
"""Share of equal translations below which the agreement is called low."""
BAR = r"\|"
"""A bar in a cell of a table."""


@dataclass(frozen=True, kw_only=True)
class TextOfModel:
    """Hold the title and licence of the text that a model was trained on."""

    title: str
    licence: str


def model_card(
    spec: Spec,
    toolkit: str,
    text: TextOfModel,
    scored: Scored,
    agreement: Mapping[str, Any],
) -> str:
    """Return how good a model is, how to use it, and what it was trained on, with a head of YAML.

    `agreement` is agreement.json.
    """
    found = shown_scores(scored.scores)
    parts = [
        head(spec, PACKAGES[toolkit], f"{text.title}, {agreement['split']}", found),
        f"# Translation from {spec.data.source} to {spec.data.target}: {text.title}",
        "## How to use it",
        _use(spec, toolkit),
        "## How good it is",
        f"On {agreement['split']}, {scored.segments:,} sentences, by the search of the project"
        " that trained it:",
        table(found),
        in_words(agreement),
        *licence(spec, text),
    ]
    return "\n\n".join(parts) + "\n"


def shown_scores(scores: Mapping[str, Score]) -> dict[str, Score]:
    """Return the scores that people read, by their names."""
    return {shown: scores[name] for name, shown in SHOWN_SCORES.items() if name in scores}


def head(spec: Spec, library: str, dataset: str, found: Mapping[str, Score]) -> str:
    """Return the head of a card, which HuggingFace reads."""
    metrics = [{"type": name.lower(), "value": round(s.value, 2)} for name, s in found.items()]
    result = {
        "task": {"type": "translation"},
        "dataset": {"name": dataset, "type": spec.data.corpus},
        "metrics": metrics,
    }
    keys = {
        "language": [language(code).code for code in spec.data.languages],
        "license": "other",
        "library_name": library,
        "pipeline_tag": "translation",
        "model-index": [{"name": spec.run, "results": [result]}],
    }
    return f"---\n{yaml.safe_dump(keys, sort_keys=False, allow_unicode=True)}---"


def table(found: Mapping[str, Score]) -> str:
    """Return scores with their signatures."""
    rows = (
        f"| {name} | {score.value:.1f} | `{score.signature.replace('|', BAR)}` |"
        for name, score in found.items()
    )
    return "\n".join(["| measure | value | signature |", "| --- | --- | --- |", *rows])


def licence(spec: Spec, text: TextOfModel) -> list[str]:
    """Return what a model learned from, and what it is."""
    return [
        "## Text and licence",
        f"Text: {text.title} (`{spec.data.corpus}`). Its licence: {text.licence}. Find out"
        " whether that allows you to share a model that learned from it.",
        f"Model: `{spec.run}`, {spec.encoder.layers} + {spec.decoder.layers} layers,"
        f" {spec.encoder.d_model} wide, trained for {spec.training.updates:,} updates.",
    ]


def _use(spec: Spec, toolkit: str) -> str:
    """Return the program that translates raw text, or what to do without one."""
    code = program(spec, toolkit)
    source, target = spec.data.languages
    if not code:
        return (
            "It reads and writes subwords with spaces between them. Its steps from raw text are in"
            " no package: translate raw text with `./deepmt translate` of the project that trained"
            " it."
        )
    packages = f"{PACKAGES[toolkit]} " + (
        "sentencepiece" if spec.data.subword == "sentencepiece" else "sacremoses subword-nmt"
    )
    if toolkit == "huggingface":
        packages += " torch"
    return (
        f"`pip install {packages}`, save these lines as `translate.py` in this folder, and run"
        f" `python translate.py < mine.{source} > mine.{target}` there:\n\n```python\n{code}```"
    )


def is_low(agreement: Mapping[str, Any]) -> bool:
    """Check if few translations are equal to ours."""
    return bool(agreement["identical"] < LOW * agreement["sentences"])


def in_words(agreement: Mapping[str, Any]) -> str:
    """Return how many translations are equal to ours, and if these are few, what that means."""
    said = (
        f"{agreement['identical']} of {agreement['sentences']} translations are equal to those of"
        " that search"
    )
    if not is_low(agreement):
        return f"{said}."
    return (
        f"{said}, which is low. Probabilities agree to {agreement['log_probability_apart']:.0e} per"
        " token, so the model is the same: weak models often write up to the limit of length, where"
        " other searches charge no end symbol."
    )
