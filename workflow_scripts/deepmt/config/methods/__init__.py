"""One file for the options of each method; a choice is the union of the options found here.

A class of options says with `choice` which choice it belongs to and with `module` where the method
is implemented: that module has a function with the name of the choice, which `model/build.py` or
`init/initialise.py` calls. A new method is a file here and a module there; nothing lists them.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import Annotated, Any, ClassVar, Union

from pydantic import Field
from pydantic.dataclasses import dataclass

from deepmt.config.strict import STRICT


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Options:
    """What one method may be told, besides its name."""

    choice: ClassVar[str]
    module: ClassVar[str]
    name: str


def options_of(choice: str) -> dict[str, type[Options]]:
    """Return the classes of options that belong to a choice, by the name of their method."""
    modules = [import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)]
    classes = [value for module in modules for value in vars(module).values()]
    found = [one for one in classes if isinstance(one, type) and issubclass(one, Options)]
    return {
        one.__dataclass_fields__["name"].default: one
        for one in found
        if one is not Options and one.choice == choice
    }


def union_of(choice: str) -> Any:
    """Return the type of a choice: one of its options, told apart by their names."""
    return Annotated[Union[tuple(options_of(choice).values())], Field(discriminator="name")]  # noqa: UP007
