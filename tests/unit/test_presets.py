"""Every corpus of the papers has a preset at the paper scale, each paper its own build."""

from pathlib import Path

import pytest

import projects
from deepmt.study.papers import settings_of
from deepmt.study.plan import Plan

ROOT = Path(__file__).parents[2]
BUILDS = {
    ("zhang2019", "wmt14-en-de"): "wmt14-stanford.en-de",
    ("bapna2018", "wmt14-en-de"): "wmt14.en-de",
    ("liu2020", "wmt14-en-de"): "wmt14-admin.en-de",
    ("wang2019", "wmt16-en-de"): "wmt16-google.en-de",
    ("zhang2019", "wmt14-en-fr"): "wmt14.en-fr",
    ("liu2020", "wmt14-en-fr"): "wmt14-fairseq.en-fr",
}


@pytest.fixture(scope="module")
def plan() -> Plan:
    papers = "zhang2019,wang2019,bapna2018,liu2020"
    return projects.plan(scale="paper", papers=papers, rows="all")


def test_no_system_of_a_paper_is_without_a_corpus(plan: Plan) -> None:
    reasons = set(plan.unavailable.values())
    assert reasons <= {"the paper trains nothing for this row"}


@pytest.mark.parametrize(("paper", "printed"), BUILDS)
def test_each_paper_has_its_own_build(plan: Plan, paper: str, printed: str) -> None:
    [found] = [p for p in plan.papers if p.key == paper]
    rows = [row for table in found.tables for row in table.rows if row.id in plan.specs]
    corpora = {
        plan.specs[row.id].data.corpus
        for row in rows
        if settings_of(found, str(row.system))["data.corpus"] == printed
    }
    assert corpora == {BUILDS[paper, printed]}


def test_what_holds_less_than_a_paper_s_corpus_says_so(plan: Plan) -> None:
    used = {spec.data.corpus for spec in plan.specs.values()}
    partial = {key for key in used if plan.corpora.corpus(key).partial}
    assert partial == {"wmt15.cs-en", "wmt18-bt.zh-en", "nist12.zh-en"}


def test_only_text_that_came_true_cased_is_recased(plan: Plan) -> None:
    for spec in plan.specs.values():
        tokenised = "train" in plan.corpora.corpus(spec.data.corpus).tokens
        assert spec.data.recase == (tokenised and "wmt18" in spec.data.corpus)


@pytest.mark.parametrize("scale", ["toy", "multi30k", "iwslt14", "iwslt14-narrow"])
def test_smaller_scales_take_none_of_the_papers_steps(scale: str) -> None:
    specs = projects.plan(scale=scale, papers="all", rows="all").specs.values()
    steps = {
        (s.data.printable, s.data.straight_quotes, s.data.recase, s.data.clean_on) for s in specs
    }
    assert steps == {(False, False, False, "tokens")}
