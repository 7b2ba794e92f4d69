"""Settings explain themselves: every mistake at once, each with its place and what is allowed."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import projects
from deepmt.settings.strict_yaml import Location, load, where
from deepmt.study.config_file import load_config, read_overrides
from deepmt.study.papers import rows_of
from deepmt.study.plan import Plan, load_plan
from deepmt.study.scale import Recipe, files_of_scale

ROOT = Path(__file__).parents[2]
SCALES = {path.stem for path in (ROOT / "scales").glob("*.yaml")}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A copy of the project's settings that a test may spoil."""
    return projects.copy(tmp_path, "config.yaml", "corpora.yaml", "papers", "scales")


def spoil(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def leaves(value: Any, location: Location = ()) -> Iterator[tuple[Location, str]]:
    """Every text of a document with its location, but for names of its own parts."""
    if isinstance(value, dict | list):
        parts = value.items() if isinstance(value, dict) else enumerate(value)
        for key, part in parts:
            yield from leaves(part, (*location, key)) if key not in ("id", "key", "name") else ()
    elif isinstance(value, str):
        yield location, value


def named_elsewhere() -> list[tuple[str, int, str]]:
    """One place of each kind in papers/ with a name that another file defines: file, line, name.

    Such a name is that of a scale, or of another paper's row.
    """
    rows = {row.id for paper in projects.plan(papers="all").papers for row in rows_of(paper)}
    names, found = rows | SCALES, {}
    for path in sorted((ROOT / "papers").glob("*.yaml")):
        document = load(path)
        for location, name in leaves(document):
            if name in names and not name.startswith(f"{path.stem}."):
                kind = tuple(part for part in location if isinstance(part, str))
                line = int(where(document, location).split(":")[1])
                found.setdefault(kind, (path.name, line, name))
    return [*found.values()]


def complaint(root: Path, **overrides: Any) -> str:
    with pytest.raises(ValueError, match=r"\w") as caught:
        load_plan(root, overrides)
    return str(caught.value)


def test_the_default_settings_are_good_at_every_scale_but_papers_without_corpora() -> None:
    for path in (ROOT / "scales").glob("*.yaml"):
        scale = path.stem
        assert projects.plan(scale=scale).specs, scale


@pytest.mark.parametrize("file", ["docs/commands.md", "config.yaml"])
def test_every_scale_is_named_where_scales_are_listed(file: str) -> None:
    words = re.findall(r"[\w-]+", (ROOT / file).read_text())
    assert [path.stem for path in projects.shipped("scales") if path.stem not in words] == []


def test_all_errors_of_the_command_line_are_reported_at_once(root: Path) -> None:
    message = complaint(root, scale="tow", papers="zhang2018", meteor="m.jar")
    assert "did you mean 'toy'" in message
    assert "did you mean 'zhang2019'" in message
    message = complaint(root, seeds="1,1", hardware=3)
    assert "seeds: 1 is given twice" in message
    assert "hardware: 3 should be a valid string" in message


def test_a_list_may_be_given_as_one_word_or_with_commas(root: Path) -> None:
    plan = load_plan(root, {"papers": "zhang2019,liu2020", "seeds": 3})
    assert [paper.key for paper in plan.papers] == ["zhang2019", "liu2020"]
    assert plan.config.seeds == (3,)
    # Snakemake passes numbers of lists as text.
    assert load_config(root / "config.yaml", {"seeds": ["2", "3"]})[0].seeds == (2, 3)


@pytest.mark.parametrize(
    ("overrides", "said"),
    [
        ({"rows": "zhang2019.t3.r11x"}, "zhang2019.t3.r11"),
        ({"rows": "zhang2019.t6.r1"}, "cannot be run"),
        (
            {"scale": "iwslt14", "rows": "unified.table2"},
            "unified.table2 cannot be run: the iwslt14 scale has no corpus for common-",
        ),
        (
            {"scale": "iwslt14", "rows": "liu2020.fig2"},
            "liu2020.fig2 cannot be run: the iwslt14 scale has no corpus for wmt14-en-fr",
        ),
        ({"scale": "toy", "rows": "wu2021.table1"}, "./deepmt explain wu2021.t1."),
    ],
)
def test_what_cannot_be_run_is_refused_with_the_reason(root: Path, overrides, said: str) -> None:
    assert said in complaint(root, **overrides)


def test_what_older_crates_say_of_records_is_read(root: Path) -> None:
    (root / "config.yaml").write_text((root / "config.yaml").read_text() + "from: results\n")
    assert load_plan(root, {"papers": "wang2019"}).config.results == "results/toy"


def test_what_needs_no_training_may_be_asked_for() -> None:
    plan = projects.plan(papers="zhang2019", rows="zhang2019.table2,zhang2019.fig1")
    assert plan.selected == frozenset()


def test_each_system_takes_the_last_recipe_that_suits_it() -> None:
    plan = projects.plan(rows="all")
    # Rates and dropout that a system names are looked at elsewhere.
    own = ("unified.t3", "unified.t7")
    usual = [(row, s) for row, s in plan.specs.items() if not row.startswith(own)]
    recipes = [Recipe(change=plan.scale.change), *plan.scale.recipes]
    for row, spec in usual:
        depth = max(spec.encoder.layers, spec.decoder.layers)
        corpus = "common-depths" if row.startswith("unified.t4") else "another"
        taken = {}
        for recipe in recipes:
            of_family = recipe.family in ("", spec.method.family.name)
            if depth >= recipe.from_layers and of_family and recipe.corpus in ("", corpus):
                taken |= recipe.change
        fixed = {key for paper in plan.papers for key in paper.fixed}
        for key in taken.keys() - fixed:
            value = taken[key]
            section, name = key.split(".")
            assert getattr(getattr(spec, section), name) == value, (spec.run, key)


def test_a_scale_may_start_from_one_that_starts_from_another() -> None:
    base, subset, narrow = (
        projects.plan(scale=name).scale for name in ("iwslt14", "iwslt14-subset", "iwslt14-narrow")
    )
    files = files_of_scale(ROOT / "scales/iwslt14-narrow.yaml")
    assert [file.stem for file in files] == ["iwslt14-narrow", "iwslt14-subset", "iwslt14"]
    assert subset.widths == base.widths
    assert narrow.corpora["common"] == subset.corpora["common"] != base.corpora["common"]
    assert narrow.change["data.merges"] == base.change["data.merges"]


def test_a_scale_takes_a_corpus_of_its_base_away_with_null() -> None:
    narrow, base = (
        projects.plan(scale=name, rows="all") for name in ("multi30k-narrow", "multi30k")
    )
    assert "common-synthetic" in base.scale.corpora
    assert "common-synthetic" not in narrow.scale.corpora
    assert narrow.scale.corpora["common"] == base.scale.corpora["common"]
    assert not any(row.startswith("zhang2019") for row in narrow.specs)


def test_a_scale_keeps_the_rates_that_were_chosen_for_its_base(root: Path) -> None:
    own = root / "scales/own.yaml"
    own.write_text("from: multi30k-fair\nname: own\n")
    specs, base = (load_plan(root, {"scale": name}).specs for name in ("own", "multi30k-fair"))
    assert {row: spec.run for row, spec in specs.items()} == {r: s.run for r, s in base.items()}


def test_a_scale_leaves_out_what_models_of_its_base_wrote(root: Path) -> None:
    own = root / "scales/own.yaml"
    own.write_text("from: toy\nname: own\n")
    specs, base = (load_plan(root, {"scale": name}).specs for name in ("own", "toy"))
    assert {spec.data.corpus for one, spec in base.items() if one not in specs} == {"toy-bt.en-de"}
    own.write_text("from: toy\nname: own\ncorpora: {common-synthetic: toy-bt.en-de}\n")
    with pytest.raises(ValueError, match="made for scale toy, but used at own"):
        load_plan(root, {"scale": "own"})


def test_a_scale_without_its_own_name_is_named_not_its_base(root: Path) -> None:
    (root / "scales/own.yaml").write_text("from: toy\n")
    with pytest.raises(ValueError, match=r"own\.yaml:1: name: must be own"):
        load_plan(root, {"scale": "own"})


def test_names_that_neither_a_base_nor_a_paper_has_are_refused(root: Path) -> None:
    own = root / "scales/own.yaml"
    right = [
        "from: toy",
        "name: own",
        "corpora: {common: toy.en-de, liu2020/wmt14-en-de: toy.en-de, common-wide: toy.en-de}",
        "widths: {wide: {d_model: 32, feed_forward: 64, heads: 4}}",
        "depths: {deep: 10}",
    ]
    own.write_text("\n".join(right))
    assert load_plan(root, {"scale": "own", "papers": "wang2019"}).scale.widths["wide"]
    wrong = [
        ("corpora: {commom-wide: toy.en-de,", "corpora.commom-wide", "common-wide"),
        ("  lui2020/wmt14-en-de: toy.en-de,", "corpora.lui2020/wmt14-en-de", "liu2020/wmt14-en-de"),
        ("  comon: null}", "corpora.comon", "common"),
        ("widths: {wied: {d_model: 32, feed_forward: 64, heads: 4}}", "widths.wied", "wide"),
        ("depths: {deeep: 10}", "depths.deeep", "deep"),
    ]
    own.write_text("\n".join([*right[:2], *(line for line, _, _ in wrong)]))
    said = complaint(root, scale="own").splitlines()
    for number, (_, key, nearest) in enumerate(wrong, 3):
        [line] = [line for line in said if line.startswith(f"{own}:{number}: {key}: ")]
        assert f"did you mean '{nearest}'?" in line
    assert len(said) == len(wrong)


def test_all_papers_may_be_asked_for_beside_one(root: Path) -> None:
    every, both = (
        load_config(root / "config.yaml", {"papers": p})[0] for p in ("all", "all,zhang2019")
    )
    assert every.papers == both.papers


def test_rows_with_equal_specs_share_a_run() -> None:
    plan: Plan = projects.plan(rows="all")
    assert plan.specs["zhang2019.t3.r11"].run == plan.specs["unified.t1.deep-ds-init"].run
    assert len(plan.runs) < len(plan.specs)


def test_selected_rows_are_those_asked_for_and_may_be_headline_or_all_besides() -> None:
    some = projects.plan(rows="zhang2019.t3.r01,zhang2019.table5").selected
    assert {"zhang2019.t3.r01", "zhang2019.t5.r3"} < some
    assert "zhang2019.t3.r02" not in some
    plain = projects.plan(papers="liu2020")
    more = projects.plan(papers="liu2020", rows="headline,liu2020.t3.g")
    assert more.selected == plain.selected | {"liu2020.t3.g"} != plain.selected
    every = projects.plan(papers="liu2020", rows="all,liu2020.t3.g")
    assert every.selected == frozenset(every.specs)


def test_all_papers_are_those_of_the_folder_our_own_first_then_by_year(root: Path) -> None:
    invented = (root / "papers/unified.yaml").read_text().replace("unified", "aaa1999")
    (root / "papers/aaa1999.yaml").write_text(invented.replace("year: 2026", "year: 1999"))
    plan = load_plan(root, {"papers": "all"})
    keys = ["unified", "aaa1999", "bapna2018", "wang2019", "zhang2019", "liu2020", "wu2021"]
    assert [paper.key for paper in plan.papers] == keys


def test_the_rate_that_is_multiplied_is_the_scales() -> None:
    scale = projects.plan(scale="multi30k").scale
    plan = projects.plan(scale="multi30k", papers="unified")
    assert scale.change["training.lr"] == 0.0015
    # To the last digit: 3 * 0.0015 is 0.0045000000000000005.
    assert plan.specs["unified.t3.deep-pre-x3"].training.lr == 0.0045


def test_no_scale_changes_what_a_system_is_about() -> None:
    plan = projects.plan(scale="toy", papers="unified")
    assert plan.scale.change["training.schedule"] == "inverse_sqrt"
    own = {row: spec.training.schedule for row, spec in plan.specs.items()}
    falls = {row for row, schedule in own.items() if schedule == "no_warmup"}
    assert falls
    assert all("tfixup" in row or "no-warmup" in row for row in falls)
    assert {own[row] for row in own.keys() - falls} == {"inverse_sqrt"}


def test_a_system_may_keep_its_dropout_and_the_rate_chosen_for_another() -> None:
    specs = projects.plan(scale="multi30k-budget", papers="unified").specs
    usual, own = (specs[f"unified.{row}"] for row in ("t6.tfixup", "t7.tfixup-dropout-3"))
    changed = {"dropout": 0.3, "embedding_dropout": 0.3}
    assert replace(usual, training=replace(usual.training, **changed)) == own


def test_tfixup_as_released_differs_in_its_optimiser_and_biases_alone() -> None:
    plan = projects.plan(scale="multi30k-budget", papers="unified")
    usual, released = (plan.specs[f"unified.{row}"] for row in ("t6.tfixup", "t7.tfixup-released"))
    recipe = replace(usual.training, optimizer="radam", warmup=released.training.warmup)
    model = replace(usual.model, attention_biases="uniform")
    assert replace(usual, training=recipe, model=model) == released
    assert plan.scale.tuning.systems["deep-tfixup-released"].warmups == (4000,)


@pytest.mark.parametrize(("own", "said"), [(0.3, True), (0.0, False)])
def test_a_system_whose_settings_a_scale_overrides_is_said(
    root: Path, own: float, said: bool
) -> None:
    paper, scale = root / "papers/unified.yaml", root / "scales/toy.yaml"
    mine = f"  my-post: {{from: shallow-post, lr_times: 1, training.dropout: {own}}}\n"
    spoil(paper, "  base:\n", f"{mine}  base:\n")
    for row in ("{id: unified.t1.one", "{id: unified.t1.two"):
        row += ", label: Mine, system: my-post, status: not-run, values: {}}"
        spoil(paper, "    rows:\n", f"    rows:\n      - {row}\n")
    place, other = (
        f"{path}:{1 + path.read_text().partition(line)[0].count(chr(10))}"
        for path, line in ((paper, mine), (scale, "  training.dropout: 0.0\n"))
    )
    expected = (
        f"{place}: training.dropout 0.3 has no effect: {other} sets 0.0, so my-post is the run of"
        " shallow-post"
    )
    for rows, asked in (("all", True), ("unified.table2", False)):
        found = load_plan(root, {"papers": "all", "rows": rows}).without_effect
        assert found == [expected] * (said and asked)


def test_no_shipped_scale_makes_a_row_of_ours_the_run_of_its_base() -> None:
    for path in projects.shipped("scales"):
        assert projects.plan(scale=path.stem, papers="all", rows="all").without_effect == []


TOY = "scales/toy.yaml"
MULTI30K, BUDGET = "scales/multi30k.yaml", "scales/multi30k-budget.yaml"
UNIFIED, PRE_X3 = "papers/unified.yaml", "{from: deep-pre, lr_times: 3}"
ADMIN_X3 = "deep-admin, lr_times: 3"
MISTAKES = [
    (TOY, "decode: [test]", "decode: [tset]", "decode[0]: unknown split 'tset'; did"),
    (TOY, "decode: [test]", "decode: [train]", "decode[0]: unknown split 'train' (allowed: dev"),
    (MULTI30K, "name:", "from: multi30kk\nname:", "from: unknown scale 'multi30kk'; did"),
    (MULTI30K, "name:", "from: multi30k\nname:", "from: circular 'from': multi30k"),
    (TOY, "{d_model: 64", "{d_model: 63", "widths.base: d_model=63 is not divisible by"),
    # Rules between settings, at all settings of the scale that they name, however many systems
    # break them.
    (TOY, "warmup: 200", "warmup: 5000", "training.warmup must not exceed training.upd"),
    (TOY, "updates: 1000", "updates: 160", "training.updates) ("),
    (TOY, "average_last: 2", "average_last: 6", "training.average_last=6 must be at most 3, "),
    # Milestones of updates_times stand in no file.
    (TOY, "checkpoint_every: 40", "checkpoint_every: 51", "training.checkpoint_every: training.mi"),
    (TOY, "training.lr:", "method.norm: pre\n  training.lr:", "change.method.norm: a scale must n"),
    (TOY, "      training.div", "      method.norm: pre\n      training.div", "recipes[2].change"),
    (UNIFIED, "training.schedule]", "training.schedul]", "fixed[9]: unknown setting"),
    (BUDGET, "test_at: [1200]", "test_at: [1300]", "test_at[0]: must be among training.milestones"),
    (TOY, "- corpus: common-depths", "- corpus: common-depth", "recipes[5].corpus: unknown corpus"),
    (TOY, "common: toy.en-de", "common: toy.ende", "corpora.common: unknown corpus 'toy.ende'"),
    (TOY, "{shallow: 2, deep", "{shallow: 2, depe", "depths: unknown depth 'deep"),
    ("config.yaml", "  zhang2019: [", "  zhang2091: [", "headline.zhang2091: unknown paper 'zhang"),
    (UNIFIED, ADMIN_X3, f"{ADMIN_X3}, method.norm: pre", "systems.deep-admin-x3)"),
    (UNIFIED, PRE_X3, PRE_X3.replace("3}", "fast}"), "systems.deep-pre-x3.lr_times: 'fast' should"),
    (UNIFIED, PRE_X3, PRE_X3.replace("3}", "0}"), "systems.deep-pre-x3.lr_times: 0 should be gre"),
    (
        "scales/multi30k-fair.yaml",
        "deep-pre: {warmups: [100",
        "deep-pre: {warmups: [3500, 100",
        "tuning.systems.deep-pre: training.warmup must not exceed",
    ),
]
"""A file, what is written in it, what is written instead, and what is said of that."""


@pytest.mark.parametrize(("file", "old", "new", "said"), MISTAKES, ids=[m[2] for m in MISTAKES])
def test_an_error_is_reported_with_its_line(root, file: str, old: str, new: str, said: str) -> None:
    spoil(root / file, old, new)
    lines = (root / file).read_text().splitlines()
    [line] = [n for n, text in enumerate(lines, 1) if new.splitlines()[0] in text]
    message = complaint(root, **({"scale": Path(file).stem} if file.startswith("scales") else {}))
    assert f"{root / file}:{line}: {said}" in message
    assert len(message.splitlines()) == 1


WORDS = [
    ("budget=2000", "budget: unknown key 'budget' (allowed: comet, hardware, "),
    ("seeds=-1", "seeds: -1 should be greater than or equal to 0"),
    ("seeds=1-3", "seeds: '1-3' is a range: name each, such as seeds=1,2,3"),
    ("seeds={a: 1}", "seeds: {'a': 1} should be a valid integer"),
    ("seeds=18446744073709551616", "seeds: 18446744073709551616 should be less than 4294967296"),
    ("seeds=1,1", "seeds: 1 is given twice"),
    ("rows=[]", "rows: needs at least one"),
    ("scale=../x", "scale: unknown scale '../x' (allowed: iwslt14,"),
    ("headline={a: {b: {c: d}}}", "headline.a: {'b': {'c': 'd'}} should be a valid array"),
    ("headline={}", "headline: lists no row of unified, "),
    ("headline={zhang2019: [wang2019.t1.r1]}", "headline.zhang2019[0]: wang2019.t1.r1 is not of"),
    ("headline={unified: [unified.t1.x]}", "headline.unified[0]: unknown row, table or figure"),
    ("seeds=[1:30]", "seeds[0]: '1:30' should be a valid integer"),
    ("from=records", "from: is no setting now: `./deepmt report SCALE` renders records/ alone"),
]
"""A setting of the command line, and what is said of it."""


@pytest.mark.parametrize(("word", "said"), WORDS, ids=[word[:30] for word, _ in WORDS])
def test_a_wrong_word_of_the_command_line_is_one_clear_line(root, word: str, said: str) -> None:
    message = complaint(root, **read_overrides([word]))
    assert message.startswith(f"command line: {said}")
    assert len(message.splitlines()) == 1


def test_a_row_of_a_paper_that_is_left_out_is_said_to_be_of_it(root: Path) -> None:
    rows = "unified.table1,zhang2019.t3.r13,zhang2019.table5"
    said = complaint(root, papers="unified,wu2021", rows=rows).splitlines()
    for word, line in zip(rows.split(",")[1:], said, strict=True):
        assert line.startswith(f"command line: rows: {word} is of zhang2019, ")
        assert "(command line)" in line
    config = root / "config.yaml"
    spoil(config, "papers: all", "papers: [unified]")
    line = config.read_text().partition("papers: [unified]")[0].count("\n") + 1
    assert f"({config}:{line})" in complaint(root, rows="zhang2019.t3.r13")


def test_a_message_sends_no_escape_bytes_to_the_terminal(root: Path) -> None:
    assert "\x1b" not in complaint(root, rows="\x1b[31mred")


def test_a_file_whose_name_is_no_plain_word_is_refused(root: Path) -> None:
    (root / "scales/$(touch x)\x1b[31m.yaml").write_text("")
    assert r"$(touch x)\x1b[31m.yaml: the name of the file must match" in complaint(root)


def test_an_error_in_a_base_scale_is_reported_with_its_own_file(root: Path) -> None:
    spoil(root / MULTI30K, "decode: [test,", "decode: [tset,")
    spoil(root / "scales/multi30k-narrow.yaml", "decode: [test]\n", "")
    assert f"{root / MULTI30K}:" in complaint(root, scale="multi30k-narrow")


def test_a_mirror_may_lie_in_the_home_folder(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(root))
    assert load_plan(root, {"mirror": "~/archives"}).config.mirror == str(root / "archives")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--config rows=all --config scale=toy", "--config is given twice, and Snakemake would"),
        ("-Crows=all -n --config=scale=toy", "--config is given twice, and Snakemake would"),
        ("--config scale=toy rows=all scale=base -n", "--config: scale is given twice"),
        ("--configfile a --config rows=all --cores 1 a=b a=c", ""),
    ],
)
def test_settings_in_two_lists_are_refused_whoever_reads_them(
    root: Path, monkeypatch: pytest.MonkeyPatch, words: str, said: str
) -> None:
    monkeypatch.setattr("sys.argv", ["snakemake", *words.split()])
    assert complaint(root).startswith(said) if said else load_plan(root, {}).runs


def test_a_setting_that_is_given_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="--config: scale is given twice"):
        read_overrides(["scale=toy", "scale=multi30k"])


@pytest.mark.parametrize(("file", "line", "name"), named_elsewhere())
def test_a_name_of_another_file_is_refused_where_it_is_misspelt(
    root: Path, file: str, line: int, name: str
) -> None:
    path, wrong = root / "papers" / file, f"{name[:-1]}x"
    lines = path.read_text().splitlines(keepends=True)
    lines[line - 1] = lines[line - 1].replace(name, wrong, 1)
    path.write_text("".join(lines))
    said = complaint(root, papers="all")
    assert re.search(rf"{re.escape(str(path))}:{line}: .*'{wrong}'; did you mean '", said), said
