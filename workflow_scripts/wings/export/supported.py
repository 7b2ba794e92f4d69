"""Check which of our models other toolkits support; needs no torch, since rules call it."""

from collections.abc import Iterable

from deepmt.base.errors import UserError
from deepmt.settings.method import CHOICES, Method
from deepmt.settings.spec import Spec

TOOLKITS = ("ctranslate2", "huggingface")
HUGGINGFACE_EPSILON = 1e-5


def exportable(spec: Spec, toolkit: str) -> Spec:
    """Return a spec that a toolkit supports.

    Raises:
        UserError: the toolkit lacks some of its settings.
    """
    if problems := unsupported_settings(spec, toolkit):
        reasons = "\n".join(problems)
        raise UserError(f"{spec.run} has no counterpart in {toolkit}:\n{reasons}")
    return spec


def left_out(specs: Iterable[Spec]) -> list[str]:
    """Say of which runs only the folder that translates by itself is written, and why."""
    return [
        f"{spec.run}: no {toolkit}: {problems[0]}"
        for spec in specs
        for toolkit in TOOLKITS
        if (problems := unsupported_settings(spec, toolkit))
    ]


def unsupported_settings(spec: Spec, toolkit: str) -> list[str]:
    """List the settings that a toolkit does not support, each with a remedy.

    Raises:
        ValueError: if the toolkit is unknown.
    """
    if toolkit not in TOOLKITS:
        raise UserError(f"to={toolkit!r} is not one of {', '.join(TOOLKITS)}")
    return nonstandard_settings(spec) + (
        fixed_by_huggingface(spec) if toolkit == "huggingface" else []
    )


def nonstandard_settings(spec: Spec) -> list[str]:
    """List the settings that no other toolkit supports.

    They support the default of every choice, what its options declare as `exported` and, since it
    changes weights alone, every initialisation.
    """
    return [
        f"method.{key}={getattr(value, 'name', value)} is not supported by other toolkits: "
        f"translate with this one, or export a run with method.{key}={' or '.join(exported(key))}"
        for key, value in spec.method.changes.items()
        if key != "initialisation"
        and not (getattr(value, "exported", False) and value == type(value)())
    ]


def exported(key: str) -> list[str]:
    """Return the values of a setting of the method that other toolkits support."""
    plain = getattr(Method(), key)
    others = [name for name, options in CHOICES.get(key, {}).items() if options.exported]
    return [str(getattr(plain, "name", plain)), *others]


def fixed_by_huggingface(spec: Spec) -> list[str]:
    """List the settings that conflict with HuggingFace's fixed architectures."""
    found = []
    if spec.model.norm_epsilon != HUGGINGFACE_EPSILON:
        found.append(
            f"model.norm_epsilon={spec.model.norm_epsilon} must be {HUGGINGFACE_EPSILON} in "
            "HuggingFace's architectures: export to ctranslate2, where it is configurable"
        )
    if spec.encoder.d_model != spec.decoder.d_model:
        found.append(
            f"encoder.d_model={spec.encoder.d_model} and decoder.d_model={spec.decoder.d_model} "
            "must be equal in HuggingFace's architectures: export to ctranslate2"
        )
    return found


def search_notes(spec: Spec) -> list[str]:
    """List how the search of other toolkits differs from the spec's."""
    if spec.decoding.length_penalty == "wu":
        return [
            "decoding.length_penalty=wu is not supported by other toolkits: the comparison divides "
            f"log P by n^{spec.decoding.alpha}"
        ]
    return []
