"""The ranking says which system is first and what depth does, from records alone."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import invented
import made_up
import pytest
from made_up_cells import cell
from quality import system

import projects
from deepmt.judge.cells import all_cells
from deepmt.judge.contrast import contrast
from deepmt.judge.interval import Judged
from deepmt.judge.question import Answer
from deepmt.judge.ranking import (
    RankedSystem,
    Ranking,
    logs_of,
    placed,
    rates_that_train,
    recorded_ranking,
    too_few_updates,
)
from deepmt.report.answer_in_words import (
    answer_lines,
    difference,
    headline,
    ratio,
    standing,
    words,
)
from deepmt.report.page.html_table import outcome
from deepmt.report.page.names import meaning, meanings
from deepmt.report.page.render import template
from deepmt.report.rendered_tables import render_tables
from deepmt.settings.method import make_method
from deepmt.study.questions import Asked, Question
from deepmt.study.tuning import TrialResult
from recorded import RECORDED

ROOT = Path(__file__).parents[2]


def ranked(name: str, logs: list[float], note: str = "", **changes: Any) -> RankedSystem:
    return RankedSystem(
        system=system(name, logs, **changes),
        cell=cell("a.bleu", 20.0),
        parameters=2_400_000,
        ended="trains" if logs else "fails",
        note=note,
    )


def ranking(*trained: RankedSystem, **parts: Any) -> Ranking:
    return Ranking(title="", note="", systems=placed(trained, "shallow-post"), **parts)


SHALLOW = ranked("shallow-post", [2.0, 2.1, 2.2])
NEAR = ranked("near", [2.001, 2.1, 2.2])
FAR = ranked("far", [2.5, 2.61, 2.7])
BEST = ranked("best", [1.9, 2.0, 2.101])


def test_the_first_by_perplexity_and_its_equals_stand_in_the_headline() -> None:
    found = ranking(FAR, NEAR, SHALLOW)
    assert headline(found) == (
        "3+3 shallow-post has the lowest perplexity of 3 systems on the test set (8.17, 20.0 BLEU)."
        " 12+12 near is level with the first."
    )
    assert [one.level for one in found.systems] == [False, True, False]
    assert [one.with_first and one.with_first.verdict for one in found.systems] == [
        None, "undecided", "worse in perplexity only",
    ]  # fmt: skip
    assert headline(ranking(BEST, SHALLOW)).endswith(
        "of 2 systems on the test set (7.39, 20.0 BLEU). The best shallow one is 3+3 shallow-post"
        " (8.17, 20.0 BLEU)."
    )


def test_table_headline_and_order_name_one_winner() -> None:
    found = ranking(FAR, NEAR, SHALLOW, BEST)
    perplexities = [one.perplexity for one in found.systems]
    assert perplexities == sorted(perplexities)
    assert headline(found).startswith(found.systems[0].system.name)
    assert standing(found.systems[0].with_first, "first") == "first"


def test_a_system_with_too_few_seeds_is_never_first() -> None:
    lucky = ranked("lucky", [1.5])
    found = ranking(FAR, SHALLOW, lucky)
    assert found.systems[-1].system.name == "12+12 lucky"
    assert math.isinf(found.systems[-1].half)
    assert standing(found.systems[-1].with_first, "first") == "0.608, 1 of 3 pairs"
    assert headline(found) == (
        "3+3 shallow-post has the lowest perplexity of 2 systems on the test set (8.17, 20.0 BLEU);"
        " with too few seeds to judge, 12+12 lucky (1 seed) may be better."
    )


def test_the_best_shallow_system_has_enough_seeds_to_be_judged() -> None:
    lucky = ranked("shallow-pre", [1.95])
    assert not lucky.system.deep
    said = headline(ranking(BEST, SHALLOW, lucky))
    assert "1 of the others, and 1 is undecided (ratio and interval above 1: 1)" in said
    assert "The best shallow one with 3 seeds or more is 3+3 shallow-post " in said


def test_a_headline_says_how_many_records_it_is_without() -> None:
    said = headline(ranking(FAR, SHALLOW, refusals=["records/toy.jsonl:3: damaged"]))
    assert said.endswith(" Without 1 refused record, listed below the ranking.")


def test_unequal_budgets_are_not_ranked() -> None:
    failed = ranked("deep-post", [], "collapsed at update 9")
    found = ranking(SHALLOW, BEST, budgets=(1000, 1301), unranked=[failed])
    assert headline(found) == (
        "12+12 best trains; 12+12 deep-post fails. Their budgets differ, so they are not ranked."
    )
    unclear = replace(failed, ended="undecided")
    said = headline(replace(found, unranked=[unclear]))
    assert said.startswith("12+12 best trains; 12+12 deep-post is undecided.")
    assert replace(found, budgets=(1000, 1299)).compared


@pytest.mark.parametrize("budgets", [(1000, 1301), (1000, 1000)])
def test_every_row_of_the_ranking_is_as_wide_as_its_head(budgets: tuple[int, int]) -> None:
    found = ranking(SHALLOW, BEST, budgets=budgets, unranked=[ranked("deep-post", [], "collapsed")])
    page = template("ranking.html.j2").module.ranked(found, "top")
    rows = page.partition("</table>")[0].split("<tr>")[1:]
    spans = [re.findall(r"<t[hd]\b(?:[^>]*colspan=.(\d+))?", row) for row in rows]
    assert len({sum(int(span or 1) for span in row) for row in spans}) == 1
    assert len(rows) == 5


def test_one_system_alone_tells_nothing() -> None:
    found = Ranking(title="", note="", systems=[SHALLOW], unranked=[ranked("new", [])])
    assert headline(found) == ("1 of 2 systems train, 3+3 shallow-post: there is nothing to rank.")
    unclear = replace(found, systems=[replace(SHALLOW, ended="undecided")])
    assert headline(unclear) == (
        "0 of 2 systems train; 3+3 shallow-post is undecided: there is nothing to rank."
    )


def asked(one: RankedSystem, other: RankedSystem, seeds=(2, 3, 4), **changes: Any) -> Answer:
    question = Question(
        id="p.q1", asks="Deeper?", scale="toy", registered=invented.STARTED, seeds=seeds,
        leads=True, compare=(Asked(system=("best",), against=("shallow-post",)),),
    )  # fmt: skip
    found = contrast(one.system, other.system, seeds)
    return Answer(
        question=question, asked=question.compare[0], systems=(one.system, other.system),
        found=found.at(found.log.half, len(seeds)), **changes,
    )  # fmt: skip


def test_the_headline_says_what_depth_does_to_each_method() -> None:
    said = headline(ranking(BEST, SHALLOW, answers=[asked(BEST, SHALLOW)]))
    assert "12+12 best is better in perplexity only than 3+3 shallow-post (0.905 times" in said
    said = headline(ranking(BEST, SHALLOW, answers=[asked(BEST, SHALLOW, (2, 3, 4, 5))]))
    assert "12+12 best against 3+3 shallow-post is undecided (0.905 times" in said
    assert ", 3 of 4 pairs)." in said
    assert "0 of 1 registered comparisons are decided." in said
    whole = asked(BEST, SHALLOW)
    unpaired = replace(whole, found=replace(whole.found, seeds=()))
    assert "against 3+3" not in headline(ranking(BEST, SHALLOW, answers=[unpaired]))


def test_an_answer_names_its_verdict_with_the_reason_and_what_was_seen_before() -> None:
    answer = asked(BEST, SHALLOW, older=(2, 3), half_known=(4,))
    [line] = answer_lines([answer], ranking(BEST, SHALLOW))
    assert line.systems == "12+12 best against 3+3 shallow-post"
    assert (line.verdict, line.pairs) == (
        "better in perplexity only",
        "3 of 3 (2 older, 1 one side known)",
    )
    assert line.scores == "chrF +0.0 (+0.0 to +0.0), BLEU +0.0 (+0.0 to +0.0)"
    absent = replace(answer, systems=(), found=None, why="not run")
    [line] = answer_lines([absent], ranking(BEST, SHALLOW))
    assert (line.verdict, line.effect) == ("not run", "")


def test_what_a_paper_prints_stands_beside_ours() -> None:
    asked_of = asked(BEST, SHALLOW)
    compared = replace(asked_of.asked, printed=("a.r1", "a.r2"))
    found = ranking(BEST, SHALLOW, printed={"a.r1": 29.2, "a.r2": 28.8})
    [line] = answer_lines([replace(asked_of, asked=compared)], found)
    assert line.scores.endswith("printed +0.4 BLEU")


@pytest.mark.parametrize(
    ("log", "half", "said"),
    [(0.0, math.inf, "1.000"), (-0.2, 0.1, "0.819 (0.741 to 0.905)")],
)
def test_a_ratio_is_said_with_its_interval(log: float, half: float, said: str) -> None:
    assert ratio(Judged(value=log, half=half, verdict="")) == said


def test_a_difference_that_rounds_to_nothing_has_a_plus() -> None:
    assert difference(-0.04, 0.2) == "+0.0 (-0.2 to +0.2)"
    assert difference(-1.25, math.inf) == "-1.2"


def test_too_few_updates_rank_no_method() -> None:
    few, enough = (
        invented.seed_of(invented.spec(2, updates=updates, divergence_patience=1500.0))
        for updates in (360, 1500)
    )
    said = too_few_updates([few])
    assert said.startswith("Too few updates to tell: 360, and a system may need 1,500 to learn")
    assert headline(ranking(SHALLOW, BEST, too_few=said)) == said
    assert too_few_updates([enough]) == ""


def test_the_axis_holds_what_trains_and_an_arrow_leads_to_what_lies_beyond() -> None:
    lost = ranked("lost", [4.0])
    found = ranking(SHALLOW, NEAR, lost)
    drawn = [log for one in (SHALLOW, NEAR) for log in logs_of(one)]
    assert all(0 <= found.place(log) <= 100 for log in drawn)
    assert found.place(4.0) > 100
    page = template("ranking.html.j2").module.ranked(found, "top")
    assert page.count('class="beyond"') == 1


def test_a_rate_trains_if_one_warm_up_does_in_every_trial() -> None:
    tried = [
        TrialResult(
            system=system, stage=1, lr=lr, warmup=warmup, share=1.0, outcome=outcome,
            dev_perplexity=9.0, run="run", hardware="h", commit="c",
        )
        for system, lr, warmup, outcome in (
            ("a", 0.001, 100, "finished"),
            ("a", 0.002, 100, "finished"),
            ("a", 0.002, 100, "stalled at update 9"),
            ("a", 0.004, 100, "stalled at update 3"),
            ("a", 0.004, 200, "finished"),
            ("b", 0.001, 100, "diverged"),
        )
    ]  # fmt: skip
    assert rates_that_train(tried) == {"a": "1 to 4", "b": "none"}
    assert rates_that_train([]) == {}


ENDED = r"\d of \d seeds (collapsed at|stalled at|diverged at|ended below)"


@pytest.fixture(scope="module")
def archived() -> dict[str, Ranking]:
    scales = ("multi30k-fair", "multi30k-narrow", "iwslt14-narrow")
    return {scale: RECORDED[scale].ranking for scale in scales}


def test_the_ranking_of_real_text_lists_failures_apart(archived) -> None:
    for found in archived.values():
        order = [(not one.system.may_be_first, one.perplexity) for one in found.systems]
        assert order == sorted(order)
        baseline = [one.system.system for one in found.systems if one.with_baseline is None]
        assert baseline == ["shallow-post"]
        assert all(one.system.seeds for one in found.systems)
    failed = [one for found in archived.values() for one in found.unranked]
    assert failed
    assert all(re.match(ENDED, one.note) and not one.system.seeds for one in failed)


BOARD = "records/multi30k-budget.jsonl"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with the real translations and no records."""
    root = made_up.project(tmp_path)
    (root / "records/hypotheses").symlink_to(ROOT / "records/hypotheses")
    return root


@pytest.mark.parametrize(("trial", "tables"), [(True, 0), (False, 1)])
def test_a_scale_with_trials_alone_has_no_board(root: Path, trial: bool, tables: int) -> None:
    line = next(one for one in (ROOT / BOARD).open() if json.loads(one)["scores"])
    if trial:
        line = invented.line(json.loads(line) | {"scores": {}})
    (root / BOARD).write_text(line)
    folder = made_up.render(root, ["unified"])
    assert (folder / "report.html").read_text().count('id="board"') == tables


def test_the_scale_of_the_board_has_no_second_ranking(root: Path) -> None:
    (root / BOARD).write_text((ROOT / BOARD).read_text())
    page = (made_up.render(root, ["unified"], "multi30k-budget") / "report.html").read_text()
    assert (page.count('<table class="ranking">'), 'id="board"' in page) == (1, False)


@pytest.mark.parametrize("whole", [0, 1])
def test_damaged_lines_of_the_board_are_named_beside_it(
    root: Path, capsys: pytest.CaptureFixture[str], whole: int
) -> None:
    lines = (ROOT / BOARD).read_text().splitlines()
    lines[whole] = lines[whole].replace("e", "f", 1)
    kept = "".join(f"{line}\n" for line in lines[: whole + 1])
    (root / BOARD).write_text(kept)
    page = (made_up.render(root, ["unified"]) / "report.html").read_text()
    assert "refused: " in (said := capsys.readouterr().err)
    assert f"{BOARD}:{whole + 1}" in said
    assert f"{BOARD}:{whole + 1}" in page[page.index('id="board"') :]
    assert "Without 1 refused record" in page


def test_recorded_real_text_decides_what_each_paper_finds(archived: dict[str, Ranking]) -> None:
    found = [one for ranking in archived.values() for one in ranking.findings]
    papers = {one.question.paper for one in found if one.decided}
    assert papers == {"bapna2018", "liu2020", "wang2019", "zhang2019"}
    assert {one.as_said for one in found if one.decided} == {True, False}
    lines = [line for one in archived.values() for line in answer_lines(one.findings, one)]
    assert {line.status for line in lines} == {"holds", "fails", "undecided"}
    assert all(line.paper and line.says for line in lines)


def test_a_system_with_more_updates_answers_its_question_and_stays_off_the_board(
    root: Path,
) -> None:
    lines = (ROOT / BOARD).read_text().splitlines()
    specs = projects.plan(scale="multi30k-budget", papers="unified").specs
    name = "unified.t7.shallow-transparent-long"
    run = specs["unified.t1.shallow-transparent"].run
    same = [json.loads(line) for line in lines if json.loads(line)["run"] == run]
    long = specs[name]
    known = {"run": long.run, "spec": long.sections, "spec_sha256": long.sha256}
    known |= {"hypotheses": {}, "log_probabilities": {}}
    made = [invented.line(one | known | {"milestones": []}) for one in same if one["scores"]]
    (root / BOARD).write_text("".join([*(f"{line}\n" for line in lines), *made]))
    found = recorded_ranking(root, "multi30k-budget")
    assert not found.refusals
    assert found.compared
    assert long.run not in {one.system.run for one in (*found.systems, *found.unranked)}
    [answer] = [one for one in found.answers if one.question.id == "unified.q12"]
    assert [one.run for one in answer.systems][1:] == [long.run]


@pytest.mark.parametrize(
    ("bleu", "lost", "ended", "ranked"),
    [
        (20.0, {}, "trains", True),
        (12.0, {}, "undecided", True),
        (4.1, {}, "undecided", False),
        (0.3, {}, "fails", False),
        (0.0, {"outcome": "diverged", "failure": {"update": 90, "reason": "nan"}}, "fails", False),
        (30.0, {"scores": {}}, "undecided", False),
    ],
)
def test_ranking_and_findings_agree_on_who_trains(
    tmp_path: Path, bleu: float, lost: dict[str, Any], ended: str, ranked: bool
) -> None:
    root = made_up.project(tmp_path)
    specs = projects.plan(scale="toy", papers="unified", rows="all").specs

    def seed(row: str, bleu: float, **changes: Any) -> dict[str, Any]:
        scores = {"test": {"bleu": {"value": bleu, "signature": "made up"}}}
        return invented.record_of(specs[f"unified.t1.{row}"], 1, **{"scores": scores} | changes)

    lines = (seed("shallow-post", 30.0), seed("shallow-pre", 30.0), seed("deep-pre", bleu, **lost))
    invented.write_archive(root, *lines)
    found = recorded_ranking(root, "toy")
    assert not found.refusals
    [one] = [one for one in (*found.systems, *found.unranked) if one.system.system == "deep-pre"]
    assert (one.ended, one in found.systems) == (ended, ranked)
    answers = [answer.verdict for answer in found.findings if answer.asked.trains == "deep-pre"]
    assert answers == [ended]
    told = template("ranking.html.j2").module.ranked(found, "top").partition("</table>")[0]
    assert ("fails" in told) == (ended == "fails")


@pytest.mark.parametrize(("bleu", "kind"), [(20.0, ""), (1.5, "undecided")])
def test_a_row_that_learned_nothing_is_never_green(tmp_path: Path, bleu: float, kind: str) -> None:
    invented.write_result(tmp_path, invented.record("p.r1", bleu=bleu))
    known = invented.results(tmp_path)
    [table, *_] = render_tables(invented.PAPER, all_cells([invented.PAPER], known), known, {})
    assert outcome(table, "p.r1") == kind


def test_a_name_says_what_its_method_does() -> None:
    plain = ranked("shallow-post", [2.0])
    assert meaning(plain) == "Apply layer normalisation after each residual connection."
    method = make_method(norm="pre", encoder_residual=False, layer_aggregation="dlcl")
    dlcl = ranked("dlcl", [2.0], method=method)
    assert meaning(dlcl).endswith(
        "Feed each layer a learned combination of all earlier outputs (Eqs. 7-9)."
    )
    failed = ranked("new", [], "collapsed")
    assert meaning(failed) == meaning(plain)
    found = ranking(plain, dlcl, unranked=[failed])
    assert [one.system.system for one, _ in meanings(found)] == ["dlcl", "new", "shallow-post"]
    page = template("ranking.html.j2").module.ranked(found, "top")
    assert f'href="#top-new" title="{meaning(failed)}">new</a>' in page
    assert '<dt id="top-new">new</dt>' in page


def test_the_words_of_a_ranking_are_explained_if_they_occur() -> None:
    said = [word for word, _ in words(ranking(FAR, NEAR, SHALLOW))]
    assert said == ["better or worse in perplexity only", "level"]
    assert [word for word, _ in words(ranking(SHALLOW, ranked("a", [2.0])))] == ["1 of 3 pairs"]
    alone = Ranking(title="", note="", systems=[SHALLOW])
    assert not [*words(alone)]
