"""Run HuggingFace's Marian classes with fused attention, fused AdamW and `generate`."""

import torch
import transformers
from torch import Tensor
from torch.nn import functional
from transformers import GenerationConfig, MarianConfig, MarianMTModel

from bench.adapters.torch_system import (
    DROPOUT,
    FORBIDDEN,
    LABEL_SMOOTHING,
    Tensors,
    insist_on,
    num_parameters,
    trained,
)
from bench.worker import System, Task, each
from bench.workload import BEAM, BOS, EOS, LONGEST, PAD, STEPS, Sentences, Size

TOOLKIT = {"name": "HuggingFace Marian classes", "version": transformers.__version__}
SPECIAL_IDS = {"bos_token_id": BOS, "eos_token_id": EOS, "pad_token_id": PAD}
SEARCH = GenerationConfig(
    num_beams=BEAM,
    min_new_tokens=STEPS,
    max_new_tokens=STEPS,
    decoder_start_token_id=BOS,
    use_cache=True,
    **SPECIAL_IDS,
)


def config(size: Size) -> MarianConfig:
    """Return the configuration of a size; all other settings are the library's defaults."""
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
        decoder_start_token_id=BOS,
        forced_eos_token_id=EOS,
        use_cache=False,
        attn_implementation="sdpa",
        **SPECIAL_IDS,
    )


def smoothed(
    model: MarianMTModel, source: Tensor, decoder_input: Tensor, target: Tensor, smoothing: float
) -> Tensor:
    """Return torch's smoothed loss, since the model's own loss has no smoothing."""
    logits = model(
        input_ids=source, attention_mask=source != PAD, decoder_input_ids=decoder_input
    ).logits
    return functional.cross_entropy(
        logits.flatten(0, 1), target.flatten(), ignore_index=PAD, label_smoothing=smoothing
    )


def train(task: Task) -> System:
    """Train MarianMTModel."""
    model = MarianMTModel(config(task.size))

    def loss(batch: Tensors) -> Tensor:
        return smoothed(model, batch.source, batch.decoder_input, batch.target, LABEL_SMOOTHING)

    return trained(model, loss, task, **TOOLKIT)


def decode(task: Task) -> System:
    """Translate with MarianMTModel; a bias forbids padding, as in Marian's own models."""
    model = MarianMTModel(config(task.size)).eval()
    model.final_logits_bias[:, PAD] = FORBIDDEN
    model.generation_config = SEARCH
    model.to(task.device, getattr(torch, task.precision))
    insist_on(model, task.precision)

    def search(sentences: Sentences) -> list[list[int]]:
        source = torch.from_numpy(sentences.source).to(task.device)
        found = model.generate(input_ids=source, attention_mask=(source != PAD).long())
        return found[:, 1:].tolist()

    return System(parameters=num_parameters(model), run=each(search), **TOOLKIT)
