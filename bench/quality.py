"""Compare HuggingFace's model with our records, given the same text, recipe and budget.

Model, loss and search are theirs. Initial weights (ours, exported), batches and their order,
learning rates, dropout, smoothing and averaged checkpoints are the same.
"""

import tempfile
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, islice
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import transformers
from torch import Tensor, nn

from bench.adapters.huggingface import smoothed
from bench.comparison import ROOT
from deepmt import cli
from deepmt.data.batches import Batch, TrainingBatches
from deepmt.data.data_settings import load_settings
from deepmt.data.encoded import EncodedPair
from deepmt.data.lines import read_lines
from deepmt.data.subword import load_segmenter
from deepmt.data.tokeniser import Tokeniser
from deepmt.data.vocabulary import Vocabulary
from deepmt.export.huggingface import HuggingFaceModel, load, save
from deepmt.export.standard import standard
from deepmt.export.supported import unsupported_settings
from deepmt.files import commit, sha256, write_json
from deepmt.init.initialise import initialise_
from deepmt.model.build import build
from deepmt.results.records import RecordedScore, read_records
from deepmt.scores.scored_texts import Texts
from deepmt.scores.scores import Score, score_texts
from deepmt.spec.spec import Spec, read_spec
from deepmt.train.history import hardware
from deepmt.train.learning_rate import learning_rate

SENTENCES = 64
"""Sentences translated at a time."""
State = dict[str, Tensor]


def main(
    *,
    run: Annotated[Path, "results/<scale>/runs/<run>, with records to compare with"],
    dataset: Annotated[Path, "data/encoded/<corpus>"],
    raw: Annotated[Path, "data/raw/<corpus>, with the reference"],
    seed: int = 1,
    threads: int = 1,
    output: Path = Path("results/bench/quality.json"),
) -> None:
    """Train HuggingFace's model like a run, then translate and score the test set like ours.

    Raises:
        ValueError: if the toolkit does not support the run's method, or the run has no record.
    """
    torch.set_num_threads(threads)
    spec = read_spec(run / "spec.json")
    refuse_unknown(spec)
    results = run.parents[1]
    records, _ = read_records(results, ROOT / "records", [spec], results.name)
    if not records:
        raise ValueError(f"{run}: no seed*/record.json; finish a seed with snakemake first")
    languages = spec.data.source, spec.data.target
    source, target = (Vocabulary.load(dataset / f"vocab.{name}") for name in languages)
    pair = EncodedPair(dataset / "ids", "train", *languages)
    batches = TrainingBatches.of(pair, spec.training, seed)
    peer = new_peer(spec, source, target, batches)
    began = time.monotonic()
    peer.model.load_state_dict(trained(peer.model, spec, batches))
    seconds = time.monotonic() - began
    lines = (dataset / f"bpe/test.{languages[0]}").read_text().splitlines()
    sentences = [source.encode(line.split()) for line in lines]
    hypotheses = [" ".join(target.decode(ids)) for ids in translated(peer, spec, sentences)]
    scores = scores_of(hypotheses, dataset, raw, languages[1])
    write_json(
        output,
        {
            "commit": commit(ROOT),
            "hardware": hardware(torch.device("cpu")) | {"threads": threads},
            "run": run.name,
            "scale": results.name,
            "peer": f"transformers {transformers.__version__}",
            "its_own": "model, dropout masks, optimiser and search",
            "peer_seed": seed,
            "peer_scores": rounded(scores),
            "signatures": {name: score.signature for name, score in scores.items()},
            "peer_train_seconds": round(seconds),
            "our_scores": {one.seed: rounded(one.scores["test"]) for one in records},
            "our_throughput": {one.seed: one.throughput for one in records},
            "data": sha256(dataset / "manifest.json"),
            "configuration": peer.model.config.to_diff_dict(),
        },
    )


def refuse_unknown(spec: Spec) -> None:
    """Raise ValueError if the toolkit cannot train such a model."""
    problems = unsupported_settings(spec, "huggingface")
    initialisation = spec.method.initialisation.name
    if initialisation != "glorot":
        problems.append(
            f"method.initialisation={initialisation} is not supported by other toolkits: use glorot"
        )
    if problems:
        raise ValueError("\n".join([f"{spec.run}:", *problems]))


def new_peer(
    spec: Spec, source: Vocabulary, target: Vocabulary, batches: TrainingBatches
) -> HuggingFaceModel:
    """Return our model with its initial weights, exported to HuggingFace."""
    torch.manual_seed(batches.seed)
    model = build(spec, len(source), len(target))
    first = next(in_turn(batches))
    initialise_(model, spec, lambda: (first.source, first.target))
    with tempfile.TemporaryDirectory() as folder:
        save(standard(model, spec), spec, source, target, Path(folder))
        return load(Path(folder), source, target)


def trained(model: nn.Module, spec: Spec, batches: TrainingBatches) -> State:
    """Train the model, and return the mean weights of the last checkpoints."""
    recipe = spec.training
    optimiser = torch.optim.AdamW(
        model.parameters(),
        betas=(recipe.beta1, recipe.beta2),
        eps=recipe.epsilon,
        weight_decay=0.0,
        fused=True,
    )
    checkpoints: deque[State] = deque(maxlen=recipe.average_last)
    start = model.generation_config.decoder_start_token_id
    model.train()
    for update, batch in enumerate(islice(in_turn(batches), recipe.updates), 1):
        for group in optimiser.param_groups:
            group["lr"] = learning_rate(spec, update)
        read = torch.cat([torch.full_like(batch.target[:, :1], start), batch.target[:, :-1]], dim=1)
        loss = smoothed(model, batch.source, read, batch.target, recipe.label_smoothing)
        loss.backward()
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        if update % recipe.checkpoint_every == 0:
            checkpoints.append({k: v.detach().clone() for k, v in model.state_dict().items()})
            print(update, loss.item(), flush=True)
    model.eval()
    return mean(checkpoints)


def in_turn(batches: TrainingBatches) -> Iterator[Batch]:
    """Yield the batches of all epochs, in our order."""
    for epoch in count():
        for rows in batches.epoch(epoch):
            yield batches.batch(np.concatenate(rows))


def mean(states: Sequence[State]) -> State:
    """Return the mean of each tensor, summed in float64."""
    return {
        name: torch.stack([each[name].double() for each in states]).mean(0).to(value.dtype)
        for name, value in states[-1].items()
    }


def translated(peer: HuggingFaceModel, spec: Spec, sentences: list[list[int]]) -> list[list[int]]:
    """Translate by `generate`, in batches of similar length."""
    found: list[list[int]] = [[] for _ in sentences]
    order = sorted(range(len(sentences)), key=lambda i: len(sentences[i]))
    for first in range(0, len(order), SENTENCES):
        rows = order[first : first + SENTENCES]
        hypotheses = peer.translate([sentences[i] for i in rows], spec.decoding)
        for i, hypothesis in zip(rows, hypotheses, strict=True):
            found[i] = hypothesis.tokens
    return found


def rounded(scores: Mapping[str, Score | RecordedScore]) -> dict[str, float]:
    """Return the values of scores of the test set."""
    return {name: round(score.value, 2) for name, score in scores.items()}


def scores_of(lines: list[str], dataset: Path, raw: Path, language: str) -> dict[str, Score]:
    """Score segmented translations of the test set by every measure, like ours."""
    settings = load_settings(dataset / "data.json")
    segmenter = load_segmenter(settings, dataset, language)
    tokeniser = Tokeniser(settings, language)
    words = [segmenter.undo(line) for line in lines]
    texts = Texts(
        hypotheses=words,
        detokenised=[tokeniser.detokenise(line) for line in words],
        reference=list(read_lines(raw / f"test.{language}")),
        tokenised_reference=list(read_lines(dataset / f"tok/test.{language}")),
        target_language=language,
    )
    return score_texts(texts)


if __name__ == "__main__":
    cli.run(main)
