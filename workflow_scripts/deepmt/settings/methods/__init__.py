"""Collect the options of all methods, one file each; a choice is the union of its options.

`option_of` names the choice of a class of options, and the module that implements the method. That
module has a function named after the choice, which `model/build.py` or `init/initialise.py` calls.
A new method needs a file here and a module there, and no list of them.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from inspect import get_annotations
from pkgutil import iter_modules
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Literal,
    TypeVar,
    Union,
    dataclass_transform,
)

from pydantic import Field, ValidationError
from pydantic.dataclasses import dataclass

from deepmt.base.errors import UserError
from deepmt.settings.strict import STRICT, message_of

if TYPE_CHECKING:
    from deepmt.settings.spec import Spec


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Options:
    """Hold the name of a method, and its options in subclasses."""

    choice: ClassVar[str]
    module: ClassVar[str]
    named: ClassVar[bool] = True
    """Show the method in the names of runs."""
    exported: ClassVar[bool] = False
    """Other toolkits have the method, or `wings/export` rewrites it as one that they have."""
    needs: ClassVar[Mapping[str, tuple[str | bool, ...]]] = {}
    """Another choice -> the options of it that the method combines with, if these are not all."""
    keeps: ClassVar[float] = 0.0
    """Numbers that it keeps for the backward pass, for each number of a sublayer's input."""
    keeps_inside: ClassVar[float] = 0.0
    """The same for each number of an attention's context and of an inner layer."""
    name: str

    def excludes(self, spec: "Spec") -> dict[str, bool]:
        """Return each rule about what it combines with, and whether a spec breaks it."""
        rules = {}
        for choice, options in self.needs.items():
            allowed = " or ".join(str(option).lower() for option in options)
            chosen = getattr(spec.method, choice)
            rule = f"method.{self.choice}={self.name} needs method.{choice}={allowed}"
            rules[rule] = getattr(chosen, "name", chosen) not in options
        return rules


Class = TypeVar("Class", bound=type[Options])


@dataclass_transform(frozen_default=True, kw_only_default=True)
def option_of(choice: str, *, module: str) -> Callable[[Class], Class]:
    """Make a class the options of a method: of this choice, and implemented by this module."""

    def make(options: Class) -> Class:
        where = f"{options.__module__}.{options.__name__}"
        check_types(options, where)
        options.choice, options.module = choice, module
        made = dataclass(frozen=True, kw_only=True, config=STRICT)(options)
        check_defaults(made, where)
        return made  # type: ignore[return-value]

    return make


def check_types(options: type[Options], where: str) -> None:
    """Raise ValueError for a number or text without a type, which would be no option."""
    known = {*get_annotations(options), *dir(Options)}
    for key, value in vars(options).items():
        if isinstance(value, bool | int | float | str) and key not in known:
            kind = type(value).__name__
            raise UserError(f"{where}: {key} needs its type: {key}: {kind} = {value!r}")


def check_defaults(made: type[Any], where: str) -> None:
    """Raise ValueError for a name that is not fixed, or options without a valid default."""
    options = made.__pydantic_fields__
    name = options["name"]
    if name.is_required() or name.annotation != Literal[name.default]:
        raise UserError(f'{where}: give it its name in both places: name: Literal["x"] = "x"')
    if wrong := [key for key, option in options.items() if option.is_required()]:
        raise UserError(f"{where}: {wrong[0]} needs a default, since papers may leave it out")
    defaults = {key: one.get_default(call_default_factory=True) for key, one in options.items()}
    try:
        made(**defaults)
    except ValidationError as error:
        raise UserError(f"{where}: the default of {message_of(error)}") from None


def all_options() -> list[type[Options]]:
    """Return the classes of options of all methods.

    Raises:
        ValueError: one names neither its choice nor its module.
    """
    modules = [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)]
    classes = [value for module in modules for value in vars(module).values()]
    found = [one for one in classes if isinstance(one, type) and issubclass(one, Options)]
    found = [one for one in dict.fromkeys(found) if one is not Options]
    if bare := [one for one in found if "module" not in vars(one)]:
        where = f"{bare[0].__module__}.{bare[0].__name__}"
        raise UserError(f"{where}: needs @option_of, with its choice and module, above the class")
    return found


def options_of(choice: str) -> dict[str, type[Options]]:
    """Return the classes of options that belong to a choice, by method name.

    Raises:
        ValueError: two have one name, so that one would train under the other's.
    """
    known: dict[str, type[Options]] = {}
    for one in all_options():
        name = one.__dataclass_fields__["name"].default
        if one.choice == choice and (other := known.setdefault(name, one)) is not one:
            places = f"{other.__module__} and {one.__module__}"
            raise UserError(f"{places}: two options of {choice} have the name {name!r}; rename one")
    return known


def union_of(choice: str) -> Any:
    """Return the type of a choice: the union of its options, distinguished by name."""
    return Annotated[Union[tuple(options_of(choice).values())], Field(discriminator="name")]  # noqa: UP007
