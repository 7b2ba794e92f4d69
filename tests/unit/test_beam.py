"""Beam search finds what an exhaustive search finds, whatever the batch."""

from dataclasses import replace
from itertools import product

import pytest
import torch
from torch import Tensor, nn

from deepmt.data.vocabulary import EOS, PAD, UNK
from deepmt.decode.beam import Hypothesis, length_penalty
from deepmt.decode.search import beam_search
from deepmt.init.initialise import initialise_
from deepmt.model.build import build
from deepmt.settings.spec import Decoding, Spec
from tiny import MATT, tiny_spec

VOCABULARY = 6


def random_model(spec: Spec, seed: int) -> nn.Module:
    torch.manual_seed(seed)
    model = build(spec, VOCABULARY, VOCABULARY)
    initialise_(model, spec, lambda: (sources(1), sources(1)))
    # Weights as drawn predict almost evenly; larger ones make hypotheses differ.
    model.output.weight.data.mul_(8)
    return model.double().eval()


def sources(seed: int) -> Tensor:
    draw = torch.Generator().manual_seed(seed)
    lines = torch.randint(3, VOCABULARY, (5, 4), generator=draw)
    for row, length in enumerate((1, 2, 3, 4, 2)):
        lines[row, length - 1 :] = PAD
        lines[row, length - 1] = EOS
    return lines


@torch.no_grad()
def exhaustive(model: nn.Module, source: Tensor, settings: Decoding) -> Hypothesis:
    """Score every sequence up to the longest length."""
    penalty = length_penalty(settings.length_penalty, settings.alpha)
    longest = int((source != PAD).sum()) + settings.max_extra
    tokens = [t for t in range(VOCABULARY) if t not in (PAD, UNK, EOS)]
    best = Hypothesis([], float("-inf"))
    for length in range(1, longest):
        for words in product(tokens, repeat=length):
            target = torch.tensor([[*words, EOS]])
            logits = model.output(model(source[None], target)).log_softmax(-1)
            total = logits.gather(-1, target[..., None]).sum()
            score = float(total / penalty(torch.tensor(length + 1.0)))
            if score > best.score:
                best = Hypothesis(list(words), score)
    return best


@pytest.mark.parametrize("form", ["wu", "power"])
@pytest.mark.parametrize("changes", [{}, MATT])
def test_a_wide_beam_finds_the_best_of_all_sequences(form: str, changes: dict[str, str]) -> None:
    model = random_model(tiny_spec(**changes), seed=2)
    settings = Decoding(beam=40, alpha=0.7, length_penalty=form, max_extra=2)
    for source, found in zip(sources(4), beam_search(model, sources(4), settings), strict=True):
        best = exhaustive(model, source, settings)
        assert found.tokens == best.tokens
        assert found.score == pytest.approx(best.score, abs=1e-6)


@torch.no_grad()
def fairseq(model: nn.Module, source: Tensor, settings: Decoding) -> Hypothesis:
    """fairseq's search of one sentence with stop_early, or until no better one can come."""
    beam, longest = settings.beam, int((source != PAD).sum()) + settings.max_extra
    started: list[tuple[float, list[int]]] = [(0.0, [])]
    ended: list[Hypothesis] = []
    for length in range(1, longest + 1):
        found = []
        target = torch.tensor([[*tokens, EOS] for _, tokens in started])
        logits = model.output(model(source.expand(len(started), -1), target))[:, -1]
        for (score, tokens), each in zip(started, logits.log_softmax(-1).tolist(), strict=True):
            for token, log_p in enumerate(each):
                early = token == EOS and length <= settings.min_length
                if token not in (PAD, UNK) and not early and (token == EOS or length < longest):
                    found.append((score + log_p, tokens, token))
        found.sort(key=lambda each: -each[0])
        for score, tokens, token in found[:beam]:
            if token == EOS:
                hypothesis = Hypothesis(tokens, score / length**settings.alpha)
                if len(ended) < beam:
                    ended.append(hypothesis)
                elif not settings.early_stopping:
                    ended = sorted([*ended, hypothesis], key=lambda each: -each.score)[:beam]
        started = [(s, [*past, t]) for s, past, t in found[: 2 * beam] if t != EOS][:beam]
        if not started:
            break
        bound = started[0][0] / longest**settings.alpha
        worst = min((each.score for each in ended), default=0.0)
        if len(ended) == beam and (settings.early_stopping or worst >= bound):
            break
    return max(ended, key=lambda each: each.score)


def test_early_stopping_is_that_of_fairseq() -> None:
    patient = Decoding(beam=2, alpha=1.0, max_extra=5)
    hasty = replace(patient, early_stopping=True)
    worse = 0
    for seed in (4, 9, 10):
        model, lines = random_model(tiny_spec(), seed), sources(seed)
        model.output.weight.data[EOS] *= 0.3
        best = {
            settings: [fairseq(model, line, settings) for line in lines]
            for settings in (patient, hasty)
        }
        for settings, expected in best.items():
            found = beam_search(model, lines, settings)
            assert [each.tokens for each in found] == [each.tokens for each in expected]
            assert [each.score for each in found] == pytest.approx(
                [each.score for each in expected], rel=1e-5
            )
        gains = [a.score - b.score for a, b in zip(best[patient], best[hasty], strict=True)]
        assert min(gains) >= 0
        worse += sum(gain > 0 for gain in gains)
    assert worse


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("beam", [1, 3])
def test_a_translation_does_not_depend_on_its_neighbours(beam: int, early: bool) -> None:
    model = random_model(tiny_spec(), seed=5)
    settings = Decoding(beam=beam, max_extra=6, early_stopping=early)
    together = beam_search(model, sources(6), settings)
    alone = [beam_search(model, line[None, line != PAD], settings)[0] for line in sources(6)]
    assert [h.tokens for h in together] == [h.tokens for h in alone]


@pytest.mark.parametrize("seed", range(7, 12))
def test_a_beam_of_one_is_greedy_search(seed: int) -> None:
    model = random_model(tiny_spec(), seed)
    source, longest = sources(8)[3:4], 4 + 8
    [found] = beam_search(model, source, Decoding(beam=1, max_extra=8))
    for position, token in enumerate([*found.tokens, EOS][: longest - 1]):
        target = torch.tensor([[*found.tokens[:position], EOS]])
        logits = model.output(model(source, target))[0, position]
        logits[[PAD, UNK] if position else [PAD, UNK, EOS]] = -torch.inf
        assert int(logits.argmax()) == token


def test_no_translation_is_longer_than_its_source_plus_the_margin() -> None:
    model = random_model(tiny_spec(), seed=9)
    model.output.weight.data[EOS] = 0
    model.output.weight.data[3] *= 5
    for line, found in zip(
        sources(9), beam_search(model, sources(9), Decoding(beam=2, max_extra=3)), strict=True
    ):
        assert len(found.tokens) + 1 <= int((line != PAD).sum()) + 3
