"""Search over many sentences: no result depends on other sentences of a batch or interruptions."""

import functools
import os
import resource
import signal
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from deepmt.base.errors import UserError
from deepmt.data.vocabulary import EOS, PAD, UNK
from deepmt.decode.beam import Beams, Candidates, Hypothesis
from deepmt.decode.decoder_state import DecoderState
from deepmt.decode.parallel import search_in_parallel
from deepmt.decode.partial_translation import PartialTranslation
from deepmt.decode.precision import PackedLinear, prepare
from deepmt.decode.sampler import Sampler
from deepmt.decode.search import search
from deepmt.init.initialise import initialise_
from deepmt.kernels import compiled, fast_linear
from deepmt.model.build import build
from deepmt.settings.spec import Decoding, Spec
from tiny import MATT, tiny_spec

VOCABULARY = 300
METHODS: dict[str, dict[str, object]] = {
    "post": {},
    "pre": {"method__norm": "pre"},
    "dlcl": {"method__layer_aggregation": "dlcl"},
    "transparent": {"method__norm": "lingvo", "method__encoder_output": "transparent"},
    "matt": {"method__decoder_self_attention": "saan", "method__decoder_layer": "merged"},
    "aan": {"method__decoder_self_attention": "aan"},
    "zero start": {"model__start": "zero"},
    "rnmt+": {"method__family": "rnmt+", "model__tie": "none"},
}


def random_model(spec: Spec, seed: int) -> nn.Module:
    torch.manual_seed(seed)
    model = build(spec, VOCABULARY, VOCABULARY)
    initialise_(model, spec, lambda: (torch.tensor([[3, EOS]]),) * 2)
    # Weights as drawn predict almost evenly; larger ones make hypotheses differ.
    model.output.weight.data.mul_(4)
    return model.double().eval()


def lines(count: int, seed: int = 1, longest: int = 9) -> list[Tensor]:
    draw = torch.Generator().manual_seed(seed)
    lengths = torch.randint(1, longest, (count,), generator=draw).tolist()
    words = [torch.randint(3, VOCABULARY, (n,), generator=draw) for n in lengths]
    return [torch.cat([line, torch.tensor([EOS])]) for line in words]


def found(model: nn.Module, sentences: list[Tensor], settings: Decoding, batch_size: int) -> list:
    answers = dict(search(model, sentences, settings, batch_size=batch_size))
    return [answers[number] for number in range(len(sentences))]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_sentences_that_wait_are_translated_as_if_alone(method: str) -> None:
    model, sentences = random_model(tiny_spec(**METHODS[method]), 3), lines(9)
    settings = Decoding(beam=3, max_extra=12)
    alone = [found(model, [line], settings, 1)[0] for line in sentences]
    for batch_size in (2, 4, 9):
        together = found(model, sentences, settings, batch_size)
        assert [[h.tokens for h in each] for each in together] == [
            [h.tokens for h in each] for each in alone
        ]


def test_shorter_sentences_share_a_larger_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("deepmt.decode.search.BATCH_TOKENS", 24)
    monkeypatch.setattr("deepmt.decode.search.SHORTEST", 3)
    sizes: list[int] = []
    step = Beams.step

    def counted(beams: Beams, *choose: Callable[[Tensor], Candidates]) -> None:
        sizes.append(len(beams.limits))
        step(beams, *choose)

    monkeypatch.setattr(Beams, "step", counted)
    model, settings = random_model(tiny_spec(), 3), Decoding(beam=3, max_extra=6)
    sentences = sorted(lines(30), key=len, reverse=True)
    together = found(model, sentences, settings, 0)
    assert sizes[0] == 24 // 9
    assert max(sizes) >= 2 * sizes[0]
    alone = [found(model, [line], settings, 1)[0] for line in sentences]
    assert [each[0].tokens for each in together] == [each[0].tokens for each in alone]


@torch.no_grad()
def logits(model: nn.Module, line: Tensor, words: list[int]) -> Tensor:
    """The logits of all steps of a decoder that reads these words: [T, V]."""
    state, found = DecoderState(model, model.encode(line[None]), 1, len(words)), []
    for word in words:
        found.append(state.step(torch.tensor([word])).float())
        state.reorder(torch.zeros(1, 1, dtype=torch.long))
    return torch.cat(found)


@pytest.mark.parametrize("method", ["post", "matt"])
def test_a_model_in_bfloat16_computes_alike_at_every_length(method: str) -> None:
    model, [line] = random_model(tiny_spec(**METHODS[method]), 3).float(), lines(1)
    words = [EOS] + [7] * 300
    exact, rounded = (logits(each, line, words) for each in (model, deepcopy(model).bfloat16()))
    errors = (exact - rounded).norm(dim=1) / exact.norm(dim=1)
    assert errors.max() < 0.05


def test_a_gpu_computes_in_bfloat16_throughout() -> None:
    model = prepare(random_model(tiny_spec(), 3).float().to("meta"), "bfloat16")
    assert {weight.dtype for weight in model.parameters()} == {torch.bfloat16}


def test_hypotheses_come_best_first_and_each_once() -> None:
    model = random_model(tiny_spec(), 5)
    for each in found(model, lines(6), Decoding(beam=5, max_extra=6), 3):
        scores = [h.score for h in each]
        assert scores == sorted(scores, reverse=True)
        assert len({tuple(h.tokens) for h in each}) == len(each) == 5


@pytest.mark.parametrize("fewest", [0, 1, 4])
def test_no_translation_is_shorter_than_the_fewest_tokens(fewest: int) -> None:
    model = random_model(tiny_spec(), 7)
    model.output.weight.data[EOS] = model.output.weight.data.mean(0)
    settings = Decoding(beam=2, min_length=fewest, max_extra=20)
    lengths = [len(h.tokens) for each in found(model, lines(8), settings, 4) for h in each]
    assert min(lengths) >= fewest


@torch.no_grad()
def first_shares(model: nn.Module, line: Tensor) -> Tensor:
    """P of the first token: neither padding nor unknown nor the end."""
    logits = model.output(model(line[None], torch.tensor([[EOS]])))[0, 0]
    logits[[PAD, UNK, EOS]] = -torch.inf
    return logits.softmax(0)


def test_sampled_tokens_come_as_often_as_their_probability() -> None:
    model, draws = random_model(tiny_spec(), 11), 4000
    [line] = lines(1)
    settings = Decoding(beam=1, max_length=2)
    drawn = search(model, [line] * draws, settings, batch_size=draws, sampler=Sampler(1))
    counts = torch.zeros(VOCABULARY, dtype=torch.double)
    for _, [sample] in drawn:
        counts[sample.tokens[0]] += 1
    shares = first_shares(model, line)
    deviation = (shares * (1 - shares) / draws).sqrt()
    # One stray draw of a token that is hardly ever drawn is no deviation.
    assert ((counts / draws - shares).abs() <= 5 * deviation + 1.01 / draws).all()


def test_sampling_with_a_beam_is_refused() -> None:
    model = random_model(tiny_spec(), 13)
    with pytest.raises(ValueError, match=r"sampling needs decoding\.beam=1, not 2"):
        list(search(model, lines(1), Decoding(beam=2), batch_size=1, sampler=Sampler(1)))


@pytest.mark.parametrize(("precision", "tolerance"), [("bfloat16", 0.03), ("int8", 0.06)])
def test_fewer_bits_change_logits_little(precision: str, tolerance: float) -> None:
    spec, source = tiny_spec(**MATT), lines(1)[0][None]
    target = torch.tensor([[3, 4, 5, EOS]])
    exact = random_model(spec, 15).float()
    with torch.no_grad():
        before = exact.output(exact(source, target))
        reduced = prepare(exact, precision)
        after = reduced.output(reduced(source, target))
    assert 0 < (after - before).norm() / before.norm() < tolerance


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_packed_weights_change_no_translation(
    method: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "mkl_leaves_avx512", lambda: True)
    monkeypatch.setattr(fast_linear, "MIN_MULTIPLICATIONS", 0)
    model = random_model(tiny_spec(**method), 16).float()
    found = [dict(search(model, lines(9), Decoding(), batch_size=4))]
    packed = prepare(model, "float32")
    assert any(isinstance(layer, PackedLinear) for layer in packed.modules())
    found.append(dict(search(packed, lines(9), Decoding(), batch_size=4)))
    for number, [best, *_] in found[0].items():
        assert found[1][number][0].tokens == best.tokens
        assert found[1][number][0].score == pytest.approx(best.score, abs=1e-4)


def test_rows_of_int8_products_do_not_see_each_other() -> None:
    model = prepare(random_model(tiny_spec(), 17).float(), "int8")
    x = torch.randn(5, 16, generator=torch.Generator().manual_seed(1))
    together = model.output(x)
    assert all(torch.equal(model.output(x[i : i + 1])[0], together[i]) for i in range(5))


def test_entries_that_nobody_descends_from_are_dropped() -> None:
    model, [line] = random_model(tiny_spec(), 19), lines(1)
    state = DecoderState(model, model.encode(line[None]), 4, 64)
    for step in range(64):
        state.step(torch.full((4,), 3 + step))
        state.reorder(torch.zeros(1, 4, dtype=torch.long))
    assert state.caches.layers[0].room < 4 * 64


@pytest.fixture
def partial(tmp_path: Path) -> PartialTranslation:
    return PartialTranslation(tmp_path / "half", {"model": "a"})


def killed(partial: PartialTranslation) -> None:
    """What the operating system does for a process that ends."""
    partial.file.close()
    partial.lock.close()


def test_finished_translations_survive_with_a_torn_line_behind_them(
    partial: PartialTranslation,
) -> None:
    done = {3: [Hypothesis([4, 5], -0.1234567890123)], 1: [Hypothesis([], -2.0)]}
    for number, hypotheses in done.items():
        partial.add(number, hypotheses)
    partial.file.write('{"number": 7, "hypo')
    killed(partial)
    assert PartialTranslation(partial.path, {"model": "a"}).done == done


def test_an_edited_translation_is_refused(partial: PartialTranslation) -> None:
    partial.add(1, [Hypothesis([4, 5], -0.5)])
    killed(partial)
    partial.path.write_text(partial.path.read_text().replace("[4, 5]", "[4, 6]"))
    with pytest.raises(ValueError, match="half is damaged"):
        PartialTranslation(partial.path, {"model": "a"})


def a_model(folder: Path) -> nn.Module:
    (folder / f"loaded-by-{os.getpid()}").touch()
    return random_model(tiny_spec(), 1).float()


def test_models_are_loaded_before_a_search_by_processes_begins(tmp_path: Path) -> None:
    found = search_in_parallel(
        functools.partial(a_model, tmp_path), lines(4), Decoding(), batch_size=2, numbers=range(4),
        workers=2, threads=2,
    )  # fmt: skip
    assert len([*tmp_path.iterdir()]) == 2
    assert sorted(number for number, _ in found) == [0, 1, 2, 3]


@pytest.fixture
def open_files() -> Iterator[int]:
    """Lower how many files a process may open, and return it."""
    usual, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, most))
    yield 256
    resource.setrlimit(resource.RLIMIT_NOFILE, (usual, most))


def test_processes_translate_more_sentences_than_files_may_be_open(open_files: int) -> None:
    load, sentences = functools.partial(random_model, tiny_spec(), 1), lines(2 * open_files)
    settings, numbers = Decoding(max_length=2), range(len(sentences))
    results = search_in_parallel(
        load, sentences, settings, batch_size=256, numbers=numbers, workers=2, threads=2
    )
    best = {number: each[0].tokens for number, each in results}
    assert [best[n] for n in numbers] == [
        each[0].tokens for each in found(load(), sentences, settings, 256)
    ]


def no_model() -> nn.Module:
    raise OSError("the weights are gone")


def no_memory() -> nn.Module:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


@pytest.mark.parametrize(
    ("load", "status"), [pytest.param(no_model, "1", marks=pytest.mark.slow), (no_memory, "-9")]
)
def test_a_process_that_fails_is_reported(load: Callable[[], nn.Module], status: str) -> None:
    with pytest.raises(UserError, match=f"ended with status {status} "):
        search_in_parallel(
            load, lines(4), Decoding(), batch_size=2, numbers=range(4), workers=2, threads=2
        )


def test_of_two_translations_of_one_split_the_second_ends(tmp_path: Path) -> None:
    first = PartialTranslation(tmp_path / "hyp.partial", {"model": "a"})
    with pytest.raises(UserError, match=r"another process writes hyp\.partial; wait for it"):
        PartialTranslation(tmp_path / "hyp.partial", {"model": "a"})
    first.add(0, [])
    first.remove()
    PartialTranslation(tmp_path / "hyp.partial", {"model": "a"}).remove()
