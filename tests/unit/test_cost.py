"""Hardware, estimates by size, and what rules ask for."""

import json
from dataclasses import replace
from pathlib import Path
from time import process_time

import pytest

from deepmt.config.corpora import load_corpora
from deepmt.config.hardware import load_hardware, parse
from deepmt.config.papers import load
from deepmt.config.settings import known, load_scale
from deepmt.config.spec import Spec
from deepmt.estimate import resources
from deepmt.estimate import run_memory as memory
from deepmt.estimate.estimate import Update, estimate
from deepmt.estimate.flops import flops_of_update, model
from deepmt.estimate.text_sizes import TEXTS, text_of
from deepmt.estimate.work import Shape
from deepmt.metrics.full_size import full_size
from tiny import tiny_spec

ROOT = Path(__file__).parents[2]
HARDWARE = load_hardware(ROOT / "hardware.yaml")
CORPORA = load_corpora(ROOT / "corpora.yaml")
SCALE = load_scale(ROOT / "scales/paper.yaml", CORPORA)
PAPERS = {p: load(ROOT / f"papers/{p}.yaml") for p in ("zhang2019", "wang2019", "liu2020")}
H200, XEON = HARDWARE["h200"], HARDWARE["xeon"]


def base(**changes: object) -> Spec:
    """Zhang's Transformer base at its full size, on the corpus that stands for its own."""
    spec = full_size(PAPERS["zhang2019"], "base", SCALE)
    spec = replace(spec, data=replace(spec.data, corpus="wmt14-stanford.en-de"))
    return replace(spec, training=replace(spec.training, **changes))


@pytest.mark.parametrize(
    ("text", "key", "count"),
    [
        ("h200x8", "h200", 8),
        ("h200", "h200", 1),
        ("titan-x", "titan-x", 1),
        ("titan-xx4", "titan-x", 4),
    ],
)
def test_hardware_is_a_name_and_how_many(text: str, key: str, count: int) -> None:
    found, number = parse(text, HARDWARE, 1)
    assert (found.key, number) == (key, count)


@pytest.mark.parametrize(
    ("gpus", "device", "count"), [(0, "cpu", 1), (1, "cuda", 1), (4, "cuda", 4)]
)
def test_auto_is_what_the_scale_trains_on(gpus: int, device: str, count: int) -> None:
    found, number = parse("auto", HARDWARE, gpus)
    assert (found.device, number) == (device, count)


@pytest.mark.parametrize("text", ["h2000", "x8", "h200x0"])
def test_unknown_hardware_is_told_with_what_there_is(text: str) -> None:
    with pytest.raises(ValueError, match=rf"hardware={text}: .*h200"):
        parse(text, HARDWARE, 1)


def test_a_rate_of_nothing_is_refused_with_its_line(tmp_path: Path) -> None:
    text = (ROOT / "hardware.yaml").read_text().replace("  link: 4.5e+11", "  values: 0", 1)
    (tmp_path / "hardware.yaml").write_text(text.replace("  values: 8.4e+10\n", "", 1))
    with pytest.raises(ValueError, match=r"hardware.yaml:\d+: h200.values: must be .* above 0"):
        load_hardware(tmp_path / "hardware.yaml")


def test_every_constant_of_every_machine_says_how_it_is_known() -> None:
    needed = {"float32", "values", "call", "parameters", "decode", "disk", "start"}
    for hardware in HARDWARE.values():
        told = {name.strip() for names in hardware.basis for name in names.split(",")}
        assert needed <= told, hardware.key


@pytest.mark.parametrize("hardware", [XEON, H200], ids=lambda each: each.key)
@pytest.mark.parametrize("key", ["updates", "batch_tokens"])
def test_twice_as_much_training_costs_more_but_never_more_than_twice(key: str, hardware) -> None:
    one = estimate(base(), hardware, threads=1)
    two = estimate(base(**{key: 2 * getattr(base().training, key)}), hardware, threads=1)
    assert two.train_flops == pytest.approx(2 * one.train_flops)
    assert one.train_seconds < two.train_seconds <= 2 * one.train_seconds * (1 + 1e-9)


def test_gpus_share_the_batch_and_its_memory_but_not_the_steps() -> None:
    one, eight = (estimate(base(), H200, threads=1, gpus=n) for n in (1, 8))
    assert one.train_seconds / 8 < eight.train_seconds < one.train_seconds
    assert eight.train_memory_mb < one.train_memory_mb
    assert eight.train_flops == one.train_flops


def test_a_gpu_without_bfloat16_computes_in_float32() -> None:
    for hardware, matters in ((HARDWARE["v100"], True), (H200, False)):
        faster = replace(hardware, float32=2 * hardware.float32)
        one, other = (estimate(base(), h, threads=1).train_seconds for h in (hardware, faster))
        assert (other < one) is matters


def test_the_titan_x_takes_what_zhang_printed_for_it() -> None:
    """Table 3: steps of 1,000 target tokens of some 31 subwords a sentence."""
    paper, gpu = PAPERS["zhang2019"], HARDWARE["titan-x"]
    table = next(table for table in paper.tables if table.id == "zhang2019.table3")
    printed = {r.system: s for r in table.rows if r.system and (s := r.values.get("train_step_s"))}
    assert len(printed) >= 9
    shape = Shape(sentences=1000 / 31, source=31, target=31, predictions=1000)
    for system, seconds in printed.items():
        spec = full_size(paper, system, SCALE)
        types = paper.vocabulary[spec.data.corpus]
        found = model(spec, types, shape)
        update = Update(
            calls=found.whole.calls,
            flops=flops_of_update(found),
            values=found.whole.values + shape.predictions * types[1],
            parameters=found.whole.parameters,
        )
        ours = update.seconds(gpu, reduced=False, threads=1, gpus=1)
        assert ours == pytest.approx(seconds, rel=0.15), system


def test_memory_of_deep_updates_is_what_was_measured_and_a_little() -> None:
    measured = json.loads((ROOT / "records/bench/memory.json").read_text())
    types, length = measured["batch"]["vocabulary"], measured["batch"]["length"]
    sentences = measured["batch"]["sentences"]
    shape = Shape(sentences=sentences, source=length, target=length, predictions=sentences * length)
    for line in measured["lines"]:
        if line["recompute"]:
            continue
        spec = full_size(PAPERS["liu2020"], line["system"], SCALE)
        found = model(spec, (types, types), shape)
        assert found.whole.parameters == line["parameters"]
        peak = memory.of_update(found, shape, types, "cpu", reduced=True)
        assert 1 <= peak / line["peak_memory_mb"] <= 1.25, line["system"]


@pytest.mark.parametrize("key", sorted(TEXTS))
def test_texts_are_of_corpora_that_exist(key: str) -> None:
    assert key in CORPORA.corpora


@pytest.mark.parametrize("scale", known(ROOT / "scales"))
def test_every_corpus_of_every_scale_has_a_text(scale: str) -> None:
    corpora = load_scale(ROOT / f"scales/{scale}.yaml", CORPORA).corpora.values()
    assert sorted(set(corpora) - TEXTS.keys()) == []


def test_a_made_up_corpus_has_the_pairs_that_corpora_yaml_gives_it() -> None:
    made_up = {key: c.sizes["train"] for key, c in CORPORA.corpora.items() if c.sizes}
    bitexts = {key for key in TEXTS.keys() & made_up if not CORPORA.corpus(key).synthetic}
    assert {key: TEXTS[key].pairs for key in bitexts} == {key: made_up[key] for key in bitexts}


@pytest.mark.parametrize("paper", PAPERS.values(), ids=lambda paper: paper.key)
def test_types_are_those_that_the_papers_state(paper) -> None:
    for corpus, types in paper.vocabulary.items():
        key = SCALE.corpora.get(f"{paper.key}/{corpus}") or SCALE.corpora[corpus]
        assert TEXTS[key].types == tuple(types), key


def test_a_corpus_that_nothing_is_known_of_is_said_to_be_assumed() -> None:
    spec = tiny_spec(data__merges=1000, data__shared_vocabulary=True)
    assert text_of(spec.data).types == (1000, 1000)
    assert "assumed" in estimate(spec, XEON, threads=1).basis


def test_the_largest_vocabulary_is_kept_to() -> None:
    assert text_of(tiny_spec(data__max_vocabulary=700).data).types == (700, 700)


def test_an_estimate_takes_milliseconds_and_next_to_nothing_again() -> None:
    specs = [base(updates=n) for n in range(4000, 4050)]
    times = []
    for _ in range(2):
        began = process_time()
        for spec in specs:
            estimate(spec, H200, threads=1)
        times.append((process_time() - began) / len(specs))
    assert times[0] < 5e-3
    assert times[1] < 1e-3


@pytest.mark.parametrize("ask", [resources.training, resources.decoding])
def test_a_second_attempt_asks_for_twice_as_much_and_later_ones_for_no_more(ask) -> None:
    first, second, fifth = (ask(base(), H200, threads=1, attempt=n) for n in (1, 2, 5))
    assert fifth == second
    assert second.mem_mb == pytest.approx(2 * first.mem_mb, abs=1)
    assert second.runtime == 2 * first.runtime
    assert second.disk_mb == first.disk_mb


def test_a_short_run_asks_for_ten_minutes_and_a_long_one_for_more_than_it_takes() -> None:
    assert resources.training(tiny_spec(), XEON, threads=1).runtime == 10
    cost = estimate(base(), H200, threads=1)
    asked = resources.training(base(), H200, threads=1)
    assert asked.runtime * 60 > cost.train_seconds + cost.other_seconds
    assert asked.mem_mb > cost.host_memory_mb
    assert asked.disk_mb >= cost.disk_mb


def test_disk_holds_the_checkpoints_of_a_seed() -> None:
    cost, recipe = estimate(base(), H200, threads=1), base().training
    states = 2 * 3 * 4 * cost.parameters
    weights = (recipe.average_last + 2) * 4 * cost.parameters
    assert (states + weights) / 2**20 <= cost.disk_mb <= (states + weights) / 2**20 + 10


@pytest.mark.parametrize("stage", ["tokenise, clean", "learn, segment", "encode"])
def test_text_stages_fit_into_what_they_ask_for(stage: str) -> None:
    """Of 20 million made-up pairs, by records/bench/text.json."""
    measured = json.loads((ROOT / "records/bench/text.json").read_text())
    line = next(x for x in measured["lines"] if x["stage"] == stage and x["pairs"] == 20_000_000)
    corpus = replace(CORPORA.corpus("toy.en-de"), sizes={"train": line["pairs"]})
    asked = resources.text(corpus, 1)
    assert asked.mem_mb > line["peak_mb"]
    assert asked.runtime * 60 > line["cpu_seconds"]
    assert asked.disk_mb > line["disk_mb"]


@pytest.mark.parametrize("key", sorted(CORPORA.corpora))
def test_every_corpus_has_a_size(key: str) -> None:
    asked = resources.text(CORPORA.corpus(key), 1, key=key)
    assert asked.runtime >= 10
    assert asked.disk_mb > 0
