"""Every flag of every script refuses, by its name, what its job cannot use; scripts are found."""

import re
import types
import typing
from collections.abc import Callable
from datetime import date
from importlib import import_module
from inspect import Parameter
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field

from deepmt.base.cli import flags, parse
from deepmt.base.errors import UserError
from projects import ROOT

LOOKED_UP = """
    against archive cell corpus datasets direction hardware hours kind language methods models name
    only paper papers rows run scale steps systems text
""".split()
"""Flags whose words a script looks up, and says what there is."""
FREE = "authors config licence mirror title".split()
"""Flags of any text, and settings, which have tests of their own."""
WRONG: dict[Any, list[str]] = {
    int: ["-1", "1.5", "one", "1" + "0" * 30],
    float: ["-1", "nan", "inf", "one"],
    str: ["../x", "a b"],
    date: ["yesterday"],
    bool: [],
    Path: [],
}
RIGHT = {int: "1", float: "1", date: "2026-01-31", Path: "file"}


def scripts() -> list[str]:
    """The names of the modules that are started as scripts."""
    places = {"workflow_scripts": ROOT / "workflow_scripts", "bench": ROOT, "docs": ROOT}
    paths = {path: top for name, top in places.items() for path in (ROOT / name).rglob("*.py")}
    found = [path for path in sorted(paths) if "\n    run(main)\n" in path.read_text()]
    return [".".join(path.relative_to(paths[path]).with_suffix("").parts) for path in found]


SCRIPTS = scripts()


def main_of(script: str) -> Callable[..., Any]:
    """The main function of a script."""
    return import_module(script).main


def plain(hint: Any) -> Any:
    """The type of a word of a flag."""
    if typing.get_origin(hint) in (Annotated, typing.Union, types.UnionType, tuple):
        return plain(typing.get_args(hint)[0])
    return hint


def right(flag: Parameter) -> list[str]:
    """The flag with a value that it takes."""
    kind = plain(flag.annotation)
    if kind is bool:
        return [spelt(flag)]
    words = re.findall(r"pattern='\^\(([\w-]+)\|", repr(flag.annotation)) or typing.get_args(kind)
    other = "cpu" if flag.name == "device" else "test"
    return [spelt(flag), next(iter(words), RIGHT.get(kind, other))]


def spelt(flag: Parameter) -> str:
    return f"--{flag.name.replace('_', '-')}"


def words(main: Callable[..., Any], but: str = "") -> list[str]:
    """What a script needs, but for one flag."""
    return [word for one in flags(main) if one.name != but for word in needed(one)]


def needed(flag: Parameter) -> list[str]:
    if flag.default is not Parameter.empty:
        return []
    return right(flag)[1:] if positional(flag) else right(flag)


def positional(flag: Parameter) -> bool:
    notes = getattr(flag.annotation, "__metadata__", ())
    return any(type(note).__name__ == "Positional" for note in notes)


def said(main: Callable[..., Any], given: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What is said of a command line that is refused."""
    with pytest.raises((SystemExit, ValueError)) as refused:
        parse(main, given)
    return f"{refused.value} {capsys.readouterr().err}"


def test_scripts_are_found() -> None:
    assert {"jobs.train", "commands.translate", "wings.export.crate", "docs.golden"} <= {*SCRIPTS}


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_flag_that_is_left_out_is_not_refused(script: str) -> None:
    main = main_of(script)
    device = [word for one in flags(main) if one.name == "device" for word in right(one)]
    parse(main, [*words(main, "device"), *device])


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_value_that_no_job_can_use_is_refused_by_the_name_of_the_flag(
    script: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main = main_of(script)
    for flag in flags(main):
        kind = plain(flag.annotation)
        wrong = WRONG[str if typing.get_origin(kind) is typing.Literal else kind]
        for word in [] if flag.name in LOOKED_UP + FREE or positional(flag) else wrong:
            found = said(main, [*words(main, flag.name), spelt(flag), word], capsys)
            assert re.search(rf"argument {spelt(flag)}: .*{word}", found), found


@pytest.mark.parametrize("script", SCRIPTS)
def test_no_flag_is_given_twice(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    main = main_of(script)
    for flag in flags(main):
        if not positional(flag):
            given = [*words(main, flag.name), *right(flag), *right(flag)]
            assert f"argument {spelt(flag)}" in (told := said(main, given, capsys))
            assert "is given twice" in told


def test_a_flag_without_bounds_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    def bounded(*, count: Annotated[int, Field(ge=0, le=9), "how many"] = 1) -> None: ...

    def free(*, count: Annotated[int, "how many"] = 1) -> None: ...

    assert "--count: '-1' should be" in said(bounded, ["--count", "-1"], capsys)
    assert parse(free, ["--count", "-1"]) == {"count": -1}
    assert parse(bounded, ["--count", "3"]) == {"count": 3}


NAMED = [
    ("jobs.fetch", "--archive", "toy.tar.xy", "unknown archive .*did you mean 'toy.tar.xz'"),
    ("jobs.extract", "--corpus", "toy.en-du", "unknown corpus .*did you mean 'toy.en-de'"),
    ("jobs.monolingual", "--text", "news", "unknown monolingual text 'news' .allowed: "),
    ("jobs.join_synthetic", "--corpus", "toy.en-du", "did you mean 'toy.en-de'"),
    ("jobs.join_synthetic", "--corpus", "toy.en-de", "has no synthetic pairs"),
    ("jobs.params", "--papers", "wang2018", "papers/wang2018.yaml: cannot be read"),
    ("jobs.probe", "--kind", "table2", "probes: unknown kind 'table2'"),
    ("jobs.tune", "--systems", "deep-prae", "unknown system .*did you mean 'deep-pre'"),
    ("commands.status", "--scale", "tay", "did you mean 'toy'"),
]
"""A flag with a name that does not exist, and what is said of it."""


@pytest.mark.parametrize(("script", "flag", "name", "message"), NAMED)
def test_a_name_that_does_not_exist_gets_those_that_do(
    tmp_path: Path, script: str, flag: str, name: str, message: str
) -> None:
    main = main_of(script)
    given = {
        "--root": ROOT,
        "--corpora-file": ROOT / "corpora.yaml",
        "--paper": "zhang2019",
        "--scale": "multi30k-fair",
        "--output": tmp_path / "out",
        flag: name,
    }
    told = [[spelt(each), str(given[spelt(each)])] for each in flags(main) if spelt(each) in given]
    needs = [needed(each) for each in flags(main) if spelt(each) not in given]
    with pytest.raises(UserError, match=message):
        main(**parse(main, [word for each in (*needs, *told) for word in each]))
