"""HuggingFace: the Marian classes, with torch's fused attention and fused AdamW; `generate`."""

from typing import Any

import torch
import transformers
from torch import Tensor
from torch.nn import functional
from transformers import GenerationConfig, MarianConfig, MarianMTModel

from bench.adapters.torch_system import (
    DROPOUT,
    LABEL_SMOOTHING,
    Tensors,
    insist_on,
    num_parameters,
    only,
    trained,
    translating,
)
from bench.protocol import System, Task, serve
from bench.sentences import BEAM, FORBIDDEN, SEED, STEPS
from bench.workload import BOS, EOS, LONGEST, PAD, Size

NAME = "HuggingFace Marian classes"

FUSED: dict[str, Any] = {"attn_implementation": "sdpa"}
"""Every model has this, though it is not in the signature of its configuration."""
SEARCH = GenerationConfig(
    num_beams=BEAM,
    min_new_tokens=STEPS,
    max_new_tokens=STEPS,
    decoder_start_token_id=BOS,
    bos_token_id=BOS,
    eos_token_id=EOS,
    pad_token_id=PAD,
    use_cache=True,
)


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


def train(size: Size, task: Task) -> System:
    """Train MarianMTModel."""
    model = MarianMTModel(config(size))

    def loss(batch: Tensors) -> Tensor:
        return smoothed(model, batch.source, batch.decoder_input, batch.target, LABEL_SMOOTHING)

    return trained(model, loss, task, name=NAME, version=transformers.__version__)


def decode(size: Size, task: Task) -> System:
    """Translate with MarianMTModel, padding made impossible by a bias as in Marian's own models."""
    only(task, "float32", "bfloat16")
    torch.manual_seed(SEED)
    model = MarianMTModel(config(size)).eval()
    model.final_logits_bias[:, PAD] = FORBIDDEN
    model.generation_config = SEARCH
    model.to(task.device, getattr(torch, task.precision))
    insist_on(model, task.precision)

    def search(source: Tensor, lengths: Tensor) -> list[list[int]]:
        found = model.generate(input_ids=source, attention_mask=(source != PAD).long())
        return found[:, 1:].tolist()

    parameters = num_parameters(model)
    return translating(
        search, task, name=NAME, version=transformers.__version__, parameters=parameters
    )


if __name__ == "__main__":
    serve(train=train, decode=decode)
