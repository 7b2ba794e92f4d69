"""Read bench/toolkits.yaml: what toolkits and forks do, and our settings that do the same."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from pathlib import Path

from pydantic.dataclasses import dataclass

from deepmt.base.errors import UserError
from deepmt.settings.strict import STRICT, look_up
from deepmt.settings.strict_yaml import read_file

PATH = Path("bench/toolkits.yaml")
Value = str | int | float
Settings = dict[str, bool | Value]
"""Values of settings by dotted key."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Convention:
    """Define a column of a table."""

    column: str
    about: str
    ours: dict[str, Settings] | None = None
    """Value -> our settings that follow it, none where ours always does so. A value that is missing
    is not offered; without a mapping, the column only informs."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Toolkit:
    """Hold what one version of a toolkit does, by the way in which it was seen."""

    version: str
    set: str
    package: str = ""
    ran: dict[str, Value] = field(default_factory=dict)
    called: dict[str, Value] = field(default_factory=dict)
    read: dict[str, Value] = field(default_factory=dict)
    also: Settings = field(default_factory=dict)
    """Settings that follow what no column shows."""

    @property
    def values(self) -> dict[str, str]:
        """Return all values by convention, as texts."""
        return {key: text(value) for key, value in (self.ran | self.called | self.read).items()}


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Fork:
    """Name the code that a paper was trained with, and a row of the paper that follows it."""

    row: str
    code: str


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Switch:
    """Hold what follows, as a value of our setting, what forks do in a file or by a flag."""

    file: str
    does: dict[str, bool | Value]
    why: dict[str, str] = field(default_factory=dict)
    """Fork -> why our paper's file has another value."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Toolkits:
    """Hold the whole file."""

    toolkits: dict[str, Toolkit]
    tables: dict[str, dict[str, Convention]]
    forks: dict[str, Fork]
    switches: dict[str, Switch]

    def __post_init__(self) -> None:
        known = self.conventions
        for name, toolkit in self.toolkits.items():
            ways = toolkit.ran, toolkit.called, toolkit.read
            for key in (key for way in ways for key in way):
                look_up("convention", key, known, f"{name}: ")
                if sum(key in way for way in ways) > 1:
                    raise UserError(f"{name}: {key} is given twice: one way to see it is enough")

    @property
    def conventions(self) -> Mapping[str, Convention]:
        """Return the columns of all tables."""
        return {key: one for table in self.tables.values() for key, one in table.items()}

    def settings(self, name: str, table: str | None = None) -> Iterator[Settings | str]:
        """Yield our settings that follow a toolkit, or the column of what is not offered."""
        values = self.toolkits[name].values
        columns = self.conventions if table is None else self.tables[table]
        for key in (key for key, one in columns.items() if key in values and one.ours is not None):
            yield (columns[key].ours or {}).get(values[key], columns[key].column)


def text(value: bool | Value) -> str:
    """Return a value as pages show it: 0.9, 1e-5, pairs, true."""
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else f"{value:g}".replace("e-0", "e-")


def read_toolkits(root: Path) -> Toolkits:
    """Read the file of the project at `root`."""
    return read_file(root / PATH, Toolkits)
