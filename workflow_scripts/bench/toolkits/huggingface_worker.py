"""HuggingFace's Marian classes trained on a run's batches; this runs in their environment."""

import json
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import GenerationConfig, MarianConfig, MarianMTModel

from bench.sentences import FORBIDDEN
from bench.toolkits.checkpoints import State, mean
from bench.workers.huggingface import FUSED, smoothed
from deepmt.cli import parse
from deepmt.config.spec import Spec, from_json
from deepmt.data.batches import Batch, TrainingBatches
from deepmt.data.encoded import EncodedPair
from deepmt.data.vocabulary import EOS, PAD, Vocabulary
from deepmt.train.schedule import learning_rate

SENTENCES = 64
"""Translated at a time."""


@dataclass(frozen=True, kw_only=True)
class Args:
    """What to work on: FOLDER holds spec.json and config.json, and the weights in between."""

    encoding: Path
    folder: Path
    seed: int
    train: bool = True
    source: Path | None = None
    output: Path | None = None


def main(args: Args) -> None:
    """Write averaged.pt, or the lines of `output`."""
    spec = from_json((args.folder / "spec.json").read_text())
    torch.manual_seed(args.seed)
    settings = json.loads((args.folder / "config.json").read_text())
    model = MarianMTModel(MarianConfig(**settings, **FUSED))
    if args.train:
        initialise_(model)
        torch.save(trained(model, spec, args), args.folder / "averaged.pt")
    elif args.source and args.output:
        model.load_state_dict(torch.load(args.folder / "averaged.pt"))
        translate(model.eval(), spec, args.encoding, args.source, args.output)


def initialise_(model: MarianMTModel) -> None:
    """As ours: Glorot's uniform for matrices, 0 for biases, deviation D^-0.5 for embeddings.

    Ours draws q, k, v of self-attention as one matrix d x 3d, which halves their variance.
    """
    for name, part in model.named_modules():
        if isinstance(part, nn.Linear) and part is not model.lm_head:
            of_three = ".self_attn." in name and not name.endswith("out_proj")
            nn.init.xavier_uniform_(part.weight, gain=0.5**0.5 if of_three else 1.0)
            nn.init.zeros_(part.bias)
        elif type(part) is nn.Embedding:
            nn.init.normal_(part.weight, std=part.embedding_dim**-0.5)


def trained(model: MarianMTModel, spec: Spec, args: Args) -> State:
    """The mean of the weights of the last checkpoints."""
    recipe = spec.training
    pair = EncodedPair(args.encoding / "ids", "train", spec.data.source, spec.data.target)
    batches = TrainingBatches(pair, recipe.batch_tokens, recipe.max_length, args.seed)
    optimiser = torch.optim.AdamW(
        model.parameters(),
        betas=(recipe.beta1, recipe.beta2),
        eps=recipe.epsilon,
        weight_decay=0.0,
        fused=True,
    )
    checkpoints: deque[State] = deque(maxlen=recipe.average_last)
    model.train()
    for update, batch in enumerate(islice(in_turn(batches), recipe.updates), 1):
        for group in optimiser.param_groups:
            group["lr"] = learning_rate(spec, update)
        loss = smoothed(
            model, batch.source, shifted(batch.target), batch.target, recipe.label_smoothing
        )
        loss.backward()
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        if update % recipe.checkpoint_every == 0:
            checkpoints.append({k: v.detach().clone() for k, v in model.state_dict().items()})
            print(update, loss.item(), flush=True)
    return mean(checkpoints)


def in_turn(batches: TrainingBatches) -> Iterator[Batch]:
    """Those of all epochs, as ours come."""
    for epoch in count():
        for rows in batches.epoch(epoch):
            yield batches.batch(rows)


def shifted(target: Tensor) -> Tensor:
    """What the decoder reads: the end symbol first."""
    return torch.cat([torch.full_like(target[:, :1], EOS), target[:, :-1]], dim=1)


@torch.inference_mode()
def translate(model: MarianMTModel, spec: Spec, encoding: Path, source: Path, output: Path) -> None:
    """Beam search by `generate`, sentences of like length together; padding is impossible."""
    known = Vocabulary.load(encoding / f"vocab.{spec.data.source}")
    words = Vocabulary.load(encoding / f"vocab.{spec.data.target}").tokens
    model.final_logits_bias[:, PAD] = FORBIDDEN
    decoding = spec.decoding
    model.generation_config = GenerationConfig(
        num_beams=decoding.beam,
        length_penalty=decoding.alpha,
        max_new_tokens=decoding.max_length,
        decoder_start_token_id=EOS,
        bos_token_id=EOS,
        eos_token_id=EOS,
        pad_token_id=PAD,
        use_cache=True,
    )
    sentences = [[*known.encode(line.split()), EOS] for line in source.open()]
    order = sorted(range(len(sentences)), key=lambda i: len(sentences[i]))
    lines = [""] * len(sentences)
    for start in range(0, len(order), SENTENCES):
        rows = order[start : start + SENTENCES]
        ids = torch.nn.utils.rnn.pad_sequence(
            [torch.tensor(sentences[i]) for i in rows], batch_first=True, padding_value=PAD
        )
        found = model.generate(input_ids=ids, attention_mask=(ids != PAD).long())
        for i, hypothesis in zip(rows, found[:, 1:].tolist(), strict=True):
            lines[i] = " ".join(words[w] for w in hypothesis if w not in (PAD, EOS))
    output.write_text("".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    main(parse(Args))
