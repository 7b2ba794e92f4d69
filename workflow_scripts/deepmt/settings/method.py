"""Define the choices for each part of a model."""

from dataclasses import asdict, fields
from typing import Any

from pydantic.dataclasses import dataclass

from deepmt.settings.methods import all_options, options_of, union_of
from deepmt.settings.methods.transformer_options import (
    Glorot,
    IdentityResidual,
    PostNorm,
    PreviousLayer,
    SoftmaxAttention,
    StackedLayer,
    TopLayer,
    TransformerFamily,
)
from deepmt.settings.strict import STRICT, look_up


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Method:
    """Hold one option of every choice; a scale never changes any of them."""

    family: union_of("family") = TransformerFamily()  # type: ignore[valid-type]
    norm: union_of("norm") = PostNorm()  # type: ignore[valid-type]
    residual: union_of("residual") = IdentityResidual()  # type: ignore[valid-type]
    encoder_residual: bool = True
    """False: no residual connections in the encoder, an ablation of Bapna 2018."""
    layer_aggregation: union_of("layer_aggregation") = PreviousLayer()  # type: ignore[valid-type]
    encoder_output: union_of("encoder_output") = TopLayer()  # type: ignore[valid-type]
    decoder_self_attention: union_of("decoder_self_attention") = SoftmaxAttention()  # type: ignore[valid-type]
    decoder_layer: union_of("decoder_layer") = StackedLayer()  # type: ignore[valid-type]
    initialisation: union_of("initialisation") = Glorot()  # type: ignore[valid-type]

    @property
    def names(self) -> dict[str, str]:
        """Return the name of the selected option, by choice."""
        return {choice: getattr(self, choice).name for choice in CHOICES}

    @property
    def changes(self) -> dict[str, Any]:
        """Return the options and flags that differ from the Transformer's, in order."""
        values = ((field, getattr(self, field.name)) for field in fields(self))
        return {field.name: value for field, value in values if value != field.default}

    @property
    def words(self) -> list[str]:
        """Return how a run's name describes it: norm or family, then all that differs."""
        found = self.changes
        first = found.pop("family", self.norm)
        found.pop("norm", None)
        shown = {key: value for key, value in found.items() if getattr(value, "named", True)}
        return [
            first.name,
            *(getattr(value, "name", SHORT.get(k, k)) for k, value in shown.items()),
        ]

    def non_defaults(self) -> dict[str, Any]:
        """Return only what differs from the Transformer, so that new options change no old run."""
        found: dict[str, Any] = {}
        for key, value in self.changes.items():
            found[key] = value
            if key in CHOICES:
                plain = type(value)()
                options = {k: v for k, v in asdict(value).items() if v != getattr(plain, k)}
                found[key] = {"name": value.name} | options
        return found


SHORT = {"encoder_residual": "nores"}
"""Words of flags in the names of runs."""


CHOICES = {field.name: options_of(field.name) for field in fields(Method) if field.type is not bool}
"""Names of every choice's options, with their classes."""
MODEL = CHOICES.keys() - {"initialisation"}
"""The choices that make a model."""
for _one in all_options():
    look_up("choice", _one.choice, CHOICES, f"{_one.__module__}: ")


def functions_of(method: Method) -> set[tuple[str, str]]:
    """Return every module that implements a method, with the function that it must have."""
    model = {(getattr(method, choice).module, choice) for choice in MODEL}
    return model | {(initialisation_module(method), "initialisation")}


def modules_of(method: Method) -> list[str]:
    """Return the modules that implement a method and initialise its weights."""
    return sorted({module for module, _ in functions_of(method)})


def defaults_of(method: Method) -> list[str]:
    """Return the options that a spec leaves out, with their values: another default, another run.

    Names of runs do not hold them, so that a new option changes no old one.
    """
    chosen = {choice: getattr(method, choice) for choice in CHOICES}
    return [
        f"{choice}.{option.name} = {option.default!r}"
        for choice, options in chosen.items()
        for option in fields(options)
        if option.name != "name" and getattr(options, option.name) == option.default
    ]


def model_modules(method: Method) -> list[str]:
    """Return the modules that implement a method's model."""
    return sorted({getattr(method, choice).module for choice in MODEL})


def initialisation_module(method: Method) -> str:
    """Return the module that initialises the weights: the family's own, if it has one."""
    return method.family.initialisation or method.initialisation.module


def make_method(**choices: Any) -> Method:
    """Make a method from names, e.g. make_method(norm="pre", layer_aggregation="dlcl")."""
    plain: dict[str, Any] = {key: one for key, one in choices.items() if not isinstance(one, str)}
    named: dict[str, Any] = {
        key: CHOICES[key][one](name=one) for key, one in choices.items() if isinstance(one, str)
    }
    return Method(**plain, **named)
