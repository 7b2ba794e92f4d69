"""The fifth table and the stability grid: every method at both depths, runs shared by both."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

import projects
from deepmt.settings.corpora import load_corpora
from deepmt.settings.spec import Spec
from deepmt.settings.strict_yaml import names_in
from deepmt.study.papers import Paper, settings_of
from deepmt.study.plan import Plan
from deepmt.study.scale import load_scale

ROOT = Path(__file__).parents[2]
METHODS = ("post", "pre", "ds-init", "dlcl-pre", "admin")
CORPORA = load_corpora(ROOT / "corpora.yaml")
SCALES = [
    name
    for name in names_in(ROOT / "scales")
    if not load_scale(ROOT / f"scales/{name}.yaml", CORPORA).as_printed
]


def plan(scale: str = "toy") -> Plan:
    return projects.plan(papers="unified", rows="all", scale=scale)


def paper() -> Paper:
    return plan().papers[0]


def spec(row: str, scale: str = "toy") -> Spec:
    return plan(scale).specs[f"unified.{row}"]


@pytest.mark.parametrize("scale", SCALES)
def test_every_row_resolves_where_a_corpus_replaces_the_common_one(scale: str) -> None:
    assert "common" in plan(scale).scale.corpora
    every = {row.id: row.system for table in paper().tables for row in table.rows}
    common = {row for row, s in every.items() if settings_of(paper(), s)["data.corpus"] == "common"}
    assert common >= {row for row in every if row.split(".")[1] in ("t1", "t3")}
    assert common <= plan(scale).specs.keys()


def test_the_depth_study_is_six_methods_at_six_depths_and_nothing_else_differs() -> None:
    rows = [row.id for row in paper().tables[3].rows]
    assert len(rows) == 36
    specs = {row: plan("multi30k-narrow").specs[row] for row in rows}
    ways = {s.method for s in specs.values()}
    assert len(ways) == 6
    for method in ways:
        own = [s for s in specs.values() if s.method == method]
        assert [s.encoder.layers for s in own] == [6, 12, 18, 24, 36, 60]
        assert {s.decoder.layers for s in own} == {6}
    assert len({(s.data, s.training, s.decoder, s.encoder.d_model) for s in specs.values()}) == 1


def test_every_method_has_a_deep_setting() -> None:
    groups: dict[str, set[str]] = {}
    for row in paper().tables[0].rows:
        depth = "deep" if row.group.startswith(("deep", "recurrent, deep")) else "shallow"
        groups.setdefault(depth, set()).add(row.label)
    assert groups["shallow"] <= groups["deep"]


@pytest.mark.parametrize("scale", SCALES)
def test_the_grid_shares_the_runs_of_table_1_and_differs_in_the_rate_alone(scale: str) -> None:
    for depth, method in product(("shallow", "deep"), METHODS):
        one, three = (spec(f"t3.{depth}-{method}-x{n}", scale) for n in (1, 3))
        assert one.run == spec(f"t1.{depth}-{method}", scale).run
        assert three.training.lr == pytest.approx(3 * one.training.lr)
        assert vars(three.training) == vars(one.training) | {"lr": three.training.lr}
        assert (three.method, three.encoder) == (one.method, one.encoder)


def conventions(scale: str = "multi30k-budget") -> dict[str, Spec]:
    """The specs of Table 8 by what they end in."""
    begin = "unified.t8."
    return {r.removeprefix(begin): s for r, s in plan(scale).specs.items() if r.startswith(begin)}


@pytest.mark.parametrize("scale", SCALES)
def test_conventions_of_toolkits_are_compared_at_one_scale_alone(scale: str) -> None:
    assert len(conventions(scale)) == 62 * (scale == "multi30k-budget")


def test_conventions_begin_as_the_systems_of_table_1_and_each_is_a_run_of_its_own() -> None:
    found = conventions()
    assert len({one.run for one in found.values()}) == 62
    for name, one in found.items():
        assert one.training.updates == (6000 if name.endswith("-long") else 1200)
    for norm in ("post", "pre"):
        usual = found[f"{norm}-usual"]
        longer = spec(f"t1.shallow-{norm}", "multi30k-budget")
        assert usual.sha256_of_updates == longer.sha256_of_updates
    for name in (name.removeprefix("post-") for name in found if name.startswith("post-")):
        post, pre = (found[f"{norm}-{name}"] for norm in ("post", "pre"))
        assert replace(pre, method=replace(pre.method, norm=post.method.norm)) == post
