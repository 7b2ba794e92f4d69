"""JoeyNMT by its own commands: its model, initialisation, batches, optimiser and search.

It reads our subwords and vocabularies; sizes, updates, sentences an update, learning rate, dropout,
smoothing, the checkpoints to average and the beam are the run's.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import torch
import yaml

from bench.toolkits.checkpoints import mean
from bench.toolkits.order import Order
from deepmt.config.spec import Stack
from deepmt.data.batches import TrainingBatches
from deepmt.data.encoded import EncodedPair
from deepmt.data.vocabulary import SPECIALS, Vocabulary
from deepmt.files import write_text


@dataclass(frozen=True)
class JoeyNMT:
    """JoeyNMT in its environment."""

    order: Order

    its_own: ClassVar[str] = (
        "initialisation; batches of as many sentences as ours have on average, of mixed lengths; "
        "one rate of dropout for all places; hypotheses divided by ((5 + length) / 6)^alpha"
    )
    norms: ClassVar[tuple[str, ...]] = ("post", "pre")

    @property
    def settings(self) -> Path:
        """The file that its commands read."""
        return self.order.folder / "configuration.yaml"

    @property
    def version(self) -> str:
        """Name and release."""
        return f"JoeyNMT {self.order.release('joeynmt', 'joeynmt')}"

    def train(self) -> None:
        """By its command `train`; then the mean of its last checkpoints, as ours are averaged."""
        for language in self.order.languages:
            self.write_vocabulary(language)
            self.write_dev(language)
        write_text(self.settings, yaml.safe_dump(self.configuration(), sort_keys=False))
        self.order.run(self.command("train", "--skip-test"), "train.log")
        self.average()

    def average(self) -> None:
        """Write averaged.ckpt."""
        model = self.order.folder / "model"
        steps = sorted(int(p.stem) for p in model.glob("*.ckpt") if p.stem.isdigit())
        kept = steps[-self.order.spec.training.average_last :]
        states = [torch.load(model / f"{step}.ckpt", weights_only=False) for step in kept]
        states[-1]["model_state"] = mean([state["model_state"] for state in states])
        torch.save(states[-1], self.order.folder / "averaged.ckpt")

    def translate(self, source: Path, output: Path) -> None:
        """By its command `translate`."""
        with source.open() as text, output.open("w") as found:
            self.order.run(self.command("translate"), "translate.log", stdin=text, stdout=found)

    def command(self, mode: str, *more: str) -> list[str]:
        """One of its commands."""
        return [str(self.order.python("joeynmt")), "-m", "joeynmt", mode, str(self.settings), *more]

    def write_vocabulary(self, language: str) -> None:
        """Our tokens; it puts its own special symbols first."""
        known = Vocabulary.load(self.order.encoding / f"vocab.{language}")
        words = known.tokens[len(SPECIALS) :]
        write_text(self.order.folder / f"vocab.{language}", "".join(f"{word}\n" for word in words))

    def write_dev(self, language: str) -> None:
        """One sentence: it translates its dev set at every checkpoint, which nothing here needs."""
        with (self.order.encoding / f"bpe/dev.{language}").open() as lines:
            write_text(self.order.folder / f"dev.{language}", next(lines))

    @cached_property
    def sentences(self) -> int:
        """How many a batch of ours has on average."""
        recipe = self.order.spec.training
        pair = EncodedPair(self.order.encoding / "ids", "train", *self.order.languages)
        batches = TrainingBatches(pair, recipe.batch_tokens, recipe.max_length, self.order.seed)
        return round(len(pair) / len(batches.epoch(0)))

    def configuration(self) -> dict[str, Any]:
        """As its commands read it."""
        spec, folder = self.order.spec, self.order.folder
        recipe, decoding = spec.training, spec.decoding
        sides = {
            key: {
                "lang": language,
                "level": "word",  # the subwords lie there already
                "voc_file": str(folder / f"vocab.{language}"),
                "max_length": recipe.max_length,
            }
            for key, language in zip(("src", "trg"), self.order.languages, strict=True)
        }
        return {
            "name": spec.run,
            "model_dir": str(folder / "model"),
            "use_cuda": False,
            "random_seed": self.order.seed,
            "data": {
                "train": str(self.order.encoding / "bpe/train"),
                "dev": str(folder / "dev"),
                "dataset_type": "plain",
                **sides,
            },
            "testing": {
                "load_model": str(folder / "averaged.ckpt"),
                "beam_size": decoding.beam,
                "beam_alpha": decoding.alpha,
                "batch_size": 64,
                "batch_type": "sentence",
                "max_output_length": decoding.max_length,
                "eval_metrics": [],
            },
            "training": {
                "overwrite": True,
                "optimizer": "adamw",
                "adam_betas": [recipe.beta1, recipe.beta2],
                "scheduling": "warmupinversesquareroot",
                "learning_rate": recipe.lr,
                "learning_rate_warmup": recipe.warmup,
                "normalization": "tokens",
                "label_smoothing": recipe.label_smoothing,
                "batch_size": self.sentences,
                "batch_type": "sentence",
                "epochs": 1000,
                "updates": recipe.updates,
                "validation_freq": recipe.checkpoint_every,
                "logging_freq": recipe.checkpoint_every,
                "early_stopping_metric": "ppl",
                "keep_best_ckpts": 1000,
            },
            "model": {
                "initializer": "xavier_uniform",
                "embed_initializer": "xavier_uniform",
                "tied_embeddings": False,
                "tied_softmax": spec.model.tie == "target",
                "encoder": self.stack(spec.encoder),
                "decoder": self.stack(spec.decoder),
            },
        }

    def stack(self, size: Stack) -> dict[str, Any]:
        """Encoder or decoder."""
        dropout = self.order.spec.training.dropout
        return {
            "type": "transformer",
            "num_layers": size.layers,
            "num_heads": size.heads,
            "embeddings": {"embedding_dim": size.d_model, "scale": True, "dropout": dropout},
            "hidden_size": size.d_model,
            "ff_size": size.feed_forward,
            "dropout": dropout,
            "layer_norm": self.order.spec.method.norm,
            "activation": "relu",
        }
