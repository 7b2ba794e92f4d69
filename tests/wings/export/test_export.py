"""Models in other toolkits: the same probabilities and translations, or a clear refusal."""

import copy
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import fields, replace
from functools import cache
from importlib import import_module
from itertools import cycle, product
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from torch import Tensor, nn
from torch.nn import functional

import job_files
from deepmt.base.errors import UserError
from deepmt.data.dataset import Dataset
from deepmt.data.encode_text import write_encoded
from deepmt.data.line_encoder import LineEncoder
from deepmt.data.lines import clean_line, write_lines
from deepmt.data.subword import learn, load_segmenter
from deepmt.data.tokeniser import Tokeniser
from deepmt.data.vocabulary import EOS, PAD, SPECIALS, UNK, Vocabulary
from deepmt.decode.search import beam_search
from deepmt.init.initialise import initialise_
from deepmt.model.build import build
from deepmt.model.weights import save_model
from deepmt.scores.score import Score
from deepmt.settings.spec import Model, Spec
from tiny import tiny_spec
from tiny_runs import write_manifest
from wings.export import __main__ as export
from wings.export.agreement import ExportedModel
from wings.export.raw_text import program
from wings.export.standard import standard
from wings.export.supported import TOOLKITS, exportable, search_notes, unsupported_settings
from wings.export.token_batches import Sentences, ended, log_probabilities

SOURCE, TARGET = 14, 12
TURNS = [
    {"model__softmax_bias": softmax, "model__input_bias": at_input, "model__first_position": first}
    for softmax, at_input, first in product([True, False], [True, False], [0, 1, 2])
]
CELLS: list[dict[str, Any]] = [
    {"method__norm": norm, "model__tie": tie, "model__start": start} | turn
    for (norm, tie, start), turn in zip(
        product(["post", "pre"], ["none", "target", "all"], ["eos", "zero"]),
        cycle(TURNS),
        strict=False,
    )
]
ADMIN = {"method__residual": "omega", "method__initialisation": "admin", "model__input_bias": True}
CELLS += [ADMIN, ADMIN | {"model__tie": "all", "model__start": "zero"}]
CELLS += [{"method__norm": "pre", "model__query_scale": "learned", "decoder__layers": 3}]
FOR_CTRANSLATE2 = [{"model__norm_epsilon": 1e-3}, {"decoder__d_model": 8, "encoder__layers": 1}]
EVERY = [(toolkit, cell) for toolkit in TOOLKITS for cell in range(len(CELLS))]
EVERY += [("ctranslate2", len(CELLS) + cell) for cell in range(len(FOR_CTRANSLATE2))]
TAUGHT = [(toolkit, cell) for toolkit in TOOLKITS for cell in (0, 4, 9, 12)]
"""Post-norm untied, post-norm with one matrix, pre-norm from a zero vector, ADMIN."""


def vocabulary(size: int) -> Vocabulary:
    return Vocabulary([*SPECIALS, *(f"w{i}" for i in range(len(SPECIALS), size))])


def sentences(count: int, vocabulary: int) -> Sentences:
    lengths = torch.randint(1, 6, (count,)).tolist()
    return [torch.randint(len(SPECIALS), vocabulary, (length,)).tolist() for length in lengths]


def new_model(cell: int, **changes: Any) -> tuple[Spec, nn.Module, int]:
    settings = (CELLS + FOR_CTRANSLATE2)[cell] | {"decoding__min_length": 0} | changes
    shared = settings.get("model__tie") == "all"
    spec = tiny_spec(data__shared_vocabulary=shared, **settings)
    target = SOURCE if shared else TARGET
    torch.manual_seed(cell)
    model = build(spec, SOURCE, target)
    batch = ended(sentences(4, SOURCE)), ended(sentences(4, target))
    initialise_(model, spec, lambda: batch)
    return spec, model, target


@cache
def random_model(cell: int) -> tuple[Spec, nn.Module, int]:
    """Every weight is random: norms, biases and omegas too."""
    spec, model, target = new_model(cell)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter), alpha=0.3)
    return spec, model.eval(), target


@cache
def taught_model(cell: int) -> tuple[Spec, nn.Module, int]:
    """It has begun to learn to sort, so that it ends its sentences."""
    spec, model, target = new_model(cell, model__softmax_bias=True)
    # CTranslate2 shares among the others what words that it must not say would get.
    model.output.bias.data[[PAD, UNK]] = -30
    optimiser = torch.optim.Adam(model.parameters(), 1e-2)
    for _ in range(100):
        lines = sentences(32, TARGET)
        wanted = ended([sorted(line) for line in lines])
        logits = model.output(model(ended(lines), wanted))
        optimiser.zero_grad()
        functional.cross_entropy(
            logits.flatten(0, 1), wanted.flatten(), ignore_index=PAD
        ).backward()
        optimiser.step()
    return spec, model.eval(), target


@cache
def exported(toolkit: str, spec: Spec, model: nn.Module, target: int) -> ExportedModel:
    """What the toolkit reads back."""
    package = {"huggingface": "transformers"}.get(toolkit, toolkit)
    pytest.importorskip(package, reason=f"{package} is not installed")
    there = import_module(f"wings.export.{toolkit}")
    vocabularies = vocabulary(SOURCE), vocabulary(target)
    with tempfile.TemporaryDirectory() as folder:
        there.save(standard(model, spec), spec, *vocabularies, Path(folder))
        return there.load(Path(folder), *vocabularies)


@torch.no_grad()
def logits_here(model: nn.Module, source: Sentences, wanted: Tensor) -> Tensor:
    return model.output(model(ended(source), wanted))


@pytest.mark.parametrize(("toolkit", "cell"), EVERY)
def test_an_exported_model_gives_the_same_probabilities(toolkit: str, cell: int) -> None:
    spec, model, target = random_model(cell)
    source, wanted = sentences(8, SOURCE), sentences(8, target)
    here = log_probabilities(logits_here(model, source, ended(wanted)), ended(wanted))
    there = exported(toolkit, spec, model, target).log_probabilities(source, wanted)
    assert there == pytest.approx(here, abs=1e-4)


@pytest.mark.parametrize("early", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("toolkit", "cell"), TAUGHT)
def test_beam_search_there_finds_what_it_finds_here(toolkit: str, cell: int, early: bool) -> None:
    spec, model, target = taught_model(cell)
    decoding = replace(spec.decoding, early_stopping=early)
    torch.manual_seed(1)  # the same sentences whether or not the model was taught just now
    source = sentences(16, TARGET)
    here = beam_search(model, ended(source), decoding)
    there = exported(toolkit, spec, model, target).translate(source, decoding)
    assert [found.tokens for found in there] == [found.tokens for found in here]
    assert [h.score for h in there] == pytest.approx([h.score for h in here], abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize(("toolkit", "cell"), TAUGHT)
def test_greedy_search_there_takes_what_is_likeliest_here(toolkit: str, cell: int) -> None:
    spec, model, target = taught_model(cell)
    source = sentences(16, TARGET)
    greedy = tiny_spec(decoding__beam=1, decoding__min_length=0, decoding__max_length=9).decoding
    found = exported(toolkit, spec, model, target).translate(source, greedy)
    wanted = ended([hypothesis.tokens for hypothesis in found])
    free = (wanted != PAD) & (torch.arange(wanted.size(1)) < greedy.max_length - 1)
    assert torch.equal(logits_here(model, source, wanted).argmax(-1)[free], wanted[free])


@pytest.mark.parametrize("toolkit", TOOLKITS)
def test_neither_padding_nor_unknown_words_come_out(toolkit: str) -> None:
    spec, model, target = random_model(0)
    model = copy.deepcopy(model)
    model.output.bias.data[[PAD, UNK]] = 20
    decoding = tiny_spec(decoding__max_length=8).decoding
    found = exported(toolkit, spec, model, target).translate(sentences(4, SOURCE), decoding)
    assert all({PAD, UNK}.isdisjoint(hypothesis.tokens) for hypothesis in found)


@pytest.mark.parametrize("toolkit", TOOLKITS)
def test_no_translation_is_longer_than_the_limit(toolkit: str) -> None:
    spec, model, target = random_model(0)
    decoding = replace(spec.decoding, min_length=0, max_length=4)
    source = sentences(32, SOURCE)
    lengths = [
        [len(hypothesis.tokens) for hypothesis in found]
        for found in (
            exported(toolkit, spec, model, target).translate(source, decoding),
            beam_search(model, ended(source), decoding),
        )
    ]
    assert max(lengths[0]) == max(lengths[1]) == 3


def test_ctranslate2_cuts_no_line_in_silence() -> None:
    spec, model, target = random_model(0)
    there = exported("ctranslate2", spec, model, target)
    with pytest.raises(RuntimeError, match="positions >= 1024"):
        there.translate([[5] * 1400], spec.decoding)


def test_what_is_tied_here_is_tied_in_huggingface() -> None:
    for cell, tables in ((0, 3), (2, 2), (4, 1), (8, 3), (10, 1)):
        model = exported("huggingface", *random_model(cell)).model
        found = {
            module.weight.data_ptr()
            for module in (
                model.get_encoder().embed_tokens,
                model.get_decoder().embed_tokens,
                model.lm_head,
            )
        }
        assert len(found) == tables


def test_a_huggingface_tokeniser_gives_the_ids_of_the_vocabulary() -> None:
    pytest.importorskip("transformers", reason="transformers is not installed")
    tokeniser = import_module("wings.export.huggingface").tokeniser(vocabulary(SOURCE), 99)
    line = "</s> w4 w9@@ w5\u00a0w5 ▁w3 </s> <pad> <unk> w4</s> w11 </s>"
    ids = tokeniser(line).input_ids
    assert ids == [*vocabulary(SOURCE).encode(line.split(" ")), EOS]


ELSEWHERE_UNKNOWN = [
    {"method__family": "rnmt+", "model__tie": "none"},
    {"method__norm": "lingvo"},
    {"method__encoder_residual": False, "method__norm": "pre"},
    {"method__layer_aggregation": "dlcl"},
    {"method__encoder_output": "transparent"},
    {"method__decoder_self_attention": "aan"},
    {"method__decoder_layer": "merged"},
]


@pytest.mark.parametrize("changes", ELSEWHERE_UNKNOWN, ids=lambda changes: next(iter(changes)))
@pytest.mark.parametrize("toolkit", TOOLKITS)
def test_a_method_without_counterpart_is_refused_by_its_key(
    toolkit: str, changes: dict[str, Any]
) -> None:
    key, value = next((key.replace("__", "."), value) for key, value in changes.items())
    spec = tiny_spec(**changes)
    assert any(
        problem.startswith(f"{key}={value} is not supported by other toolkits")
        and f"export a run with {key}=" in problem
        for problem in unsupported_settings(spec, toolkit)
    )
    with pytest.raises(UserError, match=f"has no counterpart in {toolkit}"):
        exportable(spec, toolkit)


FIRST_WEIGHTS_ALONE = ("cross_fan", "attention_biases", "padding_embedding")


def test_every_setting_of_the_model_is_exported_in_some_cell() -> None:
    cells = {key for cell in CELLS + FOR_CTRANSLATE2 for key in cell}
    for field in fields(Model):
        # The fan-out of cross-attention changes initial weights alone.
        assert f"model__{field.name}" in cells or field.name in FIRST_WEIGHTS_ALONE


@pytest.mark.parametrize("changes", FOR_CTRANSLATE2, ids=lambda changes: next(iter(changes)))
def test_what_huggingface_fixes_is_sent_to_ctranslate2(changes: dict[str, Any]) -> None:
    spec = tiny_spec(**changes)
    (problem,) = unsupported_settings(spec, "huggingface")
    assert "export to ctranslate2" in problem
    assert unsupported_settings(spec, "ctranslate2") == []


def test_a_length_penalty_that_only_we_have_is_noted() -> None:
    (note,) = search_notes(tiny_spec(decoding__length_penalty="wu"))
    assert note.startswith("decoding.length_penalty=wu")


@pytest.fixture
def flags(tmp_path: Path, dataset: Path) -> dict[str, Any]:
    """A run with a model, and an older export of it."""
    spec = tiny_spec(data__subword="none", decoding__max_length=12)
    tokens = len(Vocabulary.load(dataset / "vocab.en"))
    (tmp_path / "spec.json").write_text(json.dumps(spec.sections))
    save_model(build(spec, tokens, tokens), tmp_path / "model.safetensors")
    (tmp_path / "export").mkdir()
    (tmp_path / "export" / "old").write_text("")
    scores = {"bleu": Score(12.345, "BLEU|nrefs:1")}
    job_files.scored("test", scores=scores, segments=8).write(tmp_path / "scores.test.json")
    return {
        "spec": tmp_path / "spec.json",
        "dataset": dataset,
        "model": tmp_path / "model.safetensors",
        "to": "ctranslate2",
        "scores": tmp_path / "scores.test.json",
        "title": "Invented: text",
        "licence": "CC0",
        "output": tmp_path / "export",
    }


def test_an_export_replaces_an_older_one_and_says_how_far_it_agrees(flags: dict[str, Any]) -> None:
    pytest.importorskip("ctranslate2", reason="ctranslate2 is not installed")
    export.main(**flags)
    assert not (flags["output"] / "old").exists()
    (flags["output"].parent / "new").touch()
    modes = {path.stat().st_mode for path in flags["output"].rglob("*") if path.is_file()}
    assert modes == {(flags["output"].parent / "new").stat().st_mode}
    agreement = json.loads((flags["output"] / "agreement.json").read_text())
    assert agreement["sentences"] == 8
    assert 0 <= agreement["identical"] <= 8
    assert agreement["log_probability_apart"] < 1e-4


def test_an_export_that_is_another_model_never_appears(
    flags: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    toolkit = pytest.importorskip("wings.export.ctranslate2", reason="ctranslate2 is not installed")
    fused = toolkit.fused
    monkeypatch.setattr(toolkit, "fused", lambda *maps: fused(*maps[::-1]))
    with pytest.raises(ValueError, match=r"log P of the exported model differs by .* from ours"):
        export.main(**flags)
    assert [path.name for path in flags["output"].iterdir()] == ["old"]


@pytest.mark.usefixtures("limited")
def test_a_temporary_folder_that_is_full_is_named(tmp_path: Path) -> None:
    """The engine is given a model there, and the library that writes it names nothing."""
    toolkit = pytest.importorskip("wings.export.ctranslate2", reason="ctranslate2 is not installed")
    words = Vocabulary([*SPECIALS, *(f"w{i}" for i in range(40))])
    spec = tiny_spec(model__tie="none")
    model = standard(build(spec, len(words.tokens), len(words.tokens)), spec)
    with pytest.raises(OSError, match="model") as found:
        toolkit.save(model, spec, words, words, tmp_path / "model")
    assert str(found.value.filename).startswith(str(tmp_path / "model"))


RAW = [
    "Der Hund, den wir sahen, schl\u00e4ft im Garten.",
    '  Ein Mann f\u00e4hrt auf einem "neuen" Fahrrad & lacht. ',
    "Zwei Kinder spielen Ball; eines schla\u0308ft nicht-wirklich.",
]
TEXTS: dict[str, Mapping[str, Any]] = {
    "own text": {"tokenise": "none", "normalise": False, "subword": "sentencepiece"},
    "BPE": {"subword": "bpe", "joint": True},
    "BPE, lower case": {
        "subword": "bpe",
        "joint": False,
        "threshold": 1,
        "escape": False,
        "lowercase": True,
        "aggressive": True,
        "straight_quotes": True,
    },
}


RUN_ON_RAW_TEXT = [(name, "ctranslate2") for name in TEXTS] + [("own text", "huggingface")]


@pytest.fixture
def raw(request: pytest.FixtureRequest, tmp_path: Path, flags: dict[str, Any]) -> dict[str, Any]:
    """A model of raw German and English text, with its subwords."""
    changes = {f"data__{key}": value for key, value in TEXTS[request.param].items()}
    spec = tiny_spec(
        **changes,
        data__source="de",
        data__target="en",
        data__merges=60,
        data__shared_vocabulary=False,
        model__tie="none",
        decoding__max_length=12,
    )
    folder = flags["dataset"]
    (folder / "data.json").write_text(json.dumps(spec.sections["data"]))
    lines = {"de": RAW, "en": ["The dog sleeps, the man rides.", "Two children", "play & laugh."]}
    files = {language: tmp_path / f"tokens.{language}" for language in lines}
    for language, path in files.items():
        write_lines(path, map(Tokeniser(spec.data, language).tokenise, lines[language]))
    learn(spec.data, files, folder)
    sizes = []
    for language, path in files.items():
        cut = [
            load_segmenter(spec.data, folder.joinpath, language).segment(line)
            for line in path.read_text().split("\n")[:-1]
        ]
        vocabulary = Vocabulary.from_counts(dict.fromkeys(" ".join(cut).split(), 1))
        vocabulary.save(folder / f"vocab.{language}")
        write_encoded(cut, vocabulary, folder / "ids", f"test.{language}")
        sizes.append(len(vocabulary))
    write_manifest(folder)
    flags["spec"].write_text(json.dumps(spec.sections))
    torch.manual_seed(1)
    save_model(build(spec, *sizes), flags["model"])
    return flags | {"settings": spec}


@pytest.mark.parametrize(("raw", "toolkit"), RUN_ON_RAW_TEXT, indirect=["raw"])
def test_the_lines_of_the_readme_translate_raw_text(raw: dict[str, Any], toolkit: str) -> None:
    package = {"huggingface": "transformers"}.get(toolkit, toolkit)
    pytest.importorskip(package, reason=f"{package} is not installed")
    spec = raw.pop("settings")
    export.main(**raw | {"to": toolkit})
    card = (raw["output"] / "README.md").read_text()
    [code] = re.findall(r"^```python\n(.*?)^```", card, re.MULTILINE | re.DOTALL)
    (raw["output"] / "translate.py").write_text(code)
    texts = [
        f"{RAW[0]}\r",
        RAW[1].replace(" ", "\u2028"),
        "",
        RAW[2].replace(" ", "\r\x85"),
        "\x1c",
        RAW[0] + 1400 * " Hund",
    ]
    command = [sys.executable, "translate.py"]
    latin = {**os.environ, "PYTHONIOENCODING": "latin-1", "LC_ALL": "C"}
    how: dict[str, Any] = {"cwd": raw["output"], "env": latin, "capture_output": True}
    text = "\n".join(["\ufeff" + texts[0], *texts[1:], ""]).encode()
    done = subprocess.run(command, input=text, check=True, **how)
    encoder = LineEncoder(Dataset(raw["dataset"]), "test")
    source, target = (Vocabulary.load(raw["dataset"] / f"vocab.{x}") for x in ("de", "en"))
    loaded = import_module(f"wings.export.{toolkit}").load(raw["output"], source, target)
    join = Dataset(raw["dataset"]).segmenter("en").undo
    back = Tokeniser(spec.data, "en").detokenise
    assert [clean_line(texts[n]) for n in (0, 1, 3)] == [clean_line(line) for line in RAW]
    found = [
        back(join(" ".join(target.decode(hypothesis.tokens))))
        for line in map(clean_line, [*RAW, texts[-1]])
        for hypothesis in loaded.translate([encoder.ids(line)[:256]], spec.decoding)
    ]
    assert done.stdout.decode().split("\n") == [*found[:2], "", found[2], "", found[3], ""]
    assert "cut to 256 subwords: line 6\n" in done.stderr.decode()
    assert any(found)
    refused = subprocess.run(command, input=b"Gr\xfc\xdfe\n", check=False, **how)
    assert (refused.returncode, refused.stdout) == (1, b"")
    assert b"can't decode byte 0xfc" in refused.stderr
    if spec.data.subword == "sentencepiece" and toolkit == "ctranslate2":
        assert code.count("\n") == 14


def test_a_model_card_names_scores_text_and_licence(
    flags: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("ctranslate2", reason="ctranslate2 is not installed")
    export.main(**flags)
    card = (flags["output"] / "README.md").read_text()
    head = yaml.safe_load(card.split("---\n")[1])
    assert head["language"] == ["en", "de"]
    assert head["pipeline_tag"] == "translation"
    [result] = head["model-index"][0]["results"]
    assert result["metrics"] == [{"type": "bleu", "value": 12.35}]
    assert "Text: Invented: text" in card
    assert "Its licence: CC0." in card
    assert "| BLEU | 12.3 | `BLEU\\|nrefs:1` |" in card
    agreement = json.loads((flags["output"] / "agreement.json").read_text())
    low = agreement["identical"] < 0.9 * agreement["sentences"]
    assert ("which is low" in card) == low == ("which is low" in capsys.readouterr().out)


def test_text_steps_that_no_package_has_get_no_lines() -> None:
    steps = {"data__subword": "bpe"}
    assert program(tiny_spec(**steps), "ctranslate2")
    for changes in (
        *({"data__target": "zh"}, {"data__source": "nl"}, {"data__recase": True}),
        *({"data__target": "cs"}, {"data__target": "fi"}),
        {"data__source": "sv", "data__normalise": False},
        *({"data__subword": "cut"}, {"data__printable": True}),
    ):
        assert not program(tiny_spec(**steps | changes), "ctranslate2")
