"""HuggingFace: the Marian classes, with torch's fused attention and fused AdamW."""

from typing import Any

import transformers
from torch import Tensor
from torch.nn import functional
from transformers import MarianConfig, MarianMTModel

from bench.protocol import System, Task, serve
from bench.workers.on_torch import DROPOUT, LABEL_SMOOTHING, Tensors, trained
from bench.workload import BOS, EOS, LONGEST, PAD, Size

FUSED: dict[str, Any] = {"attn_implementation": "sdpa"}
"""Of every model, though not in the signature of its configuration."""


def config(size: Size) -> MarianConfig:
    """The model of a size; everything that is not stated is the library's default."""
    return MarianConfig(
        vocab_size=size.vocabulary,
        decoder_vocab_size=size.vocabulary,
        share_encoder_decoder_embeddings=False,
        tie_word_embeddings=True,
        d_model=size.d_model,
        encoder_layers=size.encoder_layers,
        decoder_layers=size.decoder_layers,
        encoder_attention_heads=size.heads,
        decoder_attention_heads=size.heads,
        encoder_ffn_dim=size.feed_forward,
        decoder_ffn_dim=size.feed_forward,
        activation_function="relu",
        dropout=DROPOUT,
        attention_dropout=0.0,
        activation_dropout=0.0,
        scale_embedding=True,
        max_position_embeddings=LONGEST + 1,
        pad_token_id=PAD,
        eos_token_id=EOS,
        bos_token_id=BOS,
        decoder_start_token_id=BOS,
        forced_eos_token_id=EOS,
        use_cache=False,
        **FUSED,
    )


def smoothed(
    model: MarianMTModel, source: Tensor, decoder_input: Tensor, target: Tensor, smoothing: float
) -> Tensor:
    """Mean over target tokens; its own knows no smoothing: torch's stands in, as in its Trainer."""
    logits = model(
        input_ids=source, attention_mask=source != PAD, decoder_input_ids=decoder_input
    ).logits
    return functional.cross_entropy(
        logits.flatten(0, 1), target.flatten(), ignore_index=PAD, label_smoothing=smoothing
    )


def build(size: Size, task: Task) -> System:
    """MarianMTModel."""
    model = MarianMTModel(config(size))

    def loss(batch: Tensors) -> Tensor:
        return smoothed(model, batch.source, batch.decoder_input, batch.target, LABEL_SMOOTHING)

    name = "HuggingFace Marian classes"
    return trained(model, loss, task, name=name, version=transformers.__version__)


if __name__ == "__main__":
    serve(build)
