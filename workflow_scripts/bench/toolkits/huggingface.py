"""HuggingFace's Marian classes on our own batches, by torch's AdamW and their own `generate`.

What is compared is so the model and the search alone: initialisation, batches and their order,
learning rates, dropout, smoothing and the checkpoints to average are the run's.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from bench.toolkits.order import Order
from deepmt.data.vocabulary import EOS, PAD, Vocabulary
from deepmt.files import write_json, write_text

MODULE = "bench.toolkits.huggingface_worker"


@dataclass(frozen=True)
class HuggingFace:
    """The library in its environment."""

    order: Order

    its_own: ClassVar[str] = (
        "what its random generator draws; end of a search (early_stopping=False)"
    )
    norms: ClassVar[tuple[str, ...]] = ("post",)

    @property
    def version(self) -> str:
        """Name and release."""
        return f"transformers {self.order.release('huggingface', 'transformers')}"

    def configuration(self) -> dict[str, Any]:
        """Of MarianConfig."""
        spec = self.order.spec
        recipe, encoder, decoder = spec.training, spec.encoder, spec.decoder
        source, target = (
            len(Vocabulary.load(self.order.encoding / f"vocab.{language}"))
            for language in self.order.languages
        )
        return {
            "vocab_size": source,
            "decoder_vocab_size": target,
            "share_encoder_decoder_embeddings": spec.model.tie == "all",
            "tie_word_embeddings": spec.model.tie != "none",
            "d_model": encoder.d_model,
            "encoder_layers": encoder.layers,
            "decoder_layers": decoder.layers,
            "encoder_attention_heads": encoder.heads,
            "decoder_attention_heads": decoder.heads,
            "encoder_ffn_dim": encoder.feed_forward,
            "decoder_ffn_dim": decoder.feed_forward,
            "activation_function": "relu",
            "dropout": recipe.dropout,
            "attention_dropout": recipe.attention_dropout,
            "activation_dropout": recipe.feed_forward_dropout,
            "scale_embedding": True,
            "max_position_embeddings": max(recipe.max_length, spec.decoding.max_length) + 2,
            "pad_token_id": PAD,
            "eos_token_id": EOS,
            "bos_token_id": EOS,
            "decoder_start_token_id": EOS,
            "forced_eos_token_id": EOS,
            "use_cache": False,
        }

    def train(self) -> None:
        """In a process of its environment."""
        write_text(self.order.folder / "spec.json", self.order.spec.canonical)
        write_json(self.order.folder / "config.json", self.configuration())
        self.order.run(self.command("--train"), "train.log")

    def translate(self, source: Path, output: Path) -> None:
        """In another one."""
        more = ("--no-train", f"--source={source}", f"--output={output}")
        self.order.run(self.command(*more), "translate.log")

    def command(self, *more: str) -> list[str]:
        """The worker, with what it works on."""
        python, folder = self.order.python("huggingface"), self.order.folder
        places = (f"--encoding={self.order.encoding}", f"--folder={folder}")
        return [str(python), "-m", MODULE, *places, f"--seed={self.order.seed}", *more]
