"""Sockeye: its model and loss, traced as its own train program does."""

import sockeye
import torch
from sockeye import constants
from sockeye.data_io import DataConfig
from sockeye.encoder import EmbeddingConfig
from sockeye.loss import CrossEntropyLoss
from sockeye.model import ModelConfig, SockeyeModel, initialize_parameters
from sockeye.transformer import TransformerConfig
from torch import Tensor

from bench.protocol import System, Task, serve
from bench.workers.on_torch import DROPOUT, LABEL_SMOOTHING, Tensors, insist_on, trained
from bench.workload import LONGEST, Size, draw


def stack(size: Size, layers: int) -> TransformerConfig:
    """Post-norm in its notation: nothing before a sublayer; dropout, residual, norm after it."""
    return TransformerConfig(
        model_size=size.d_model,
        attention_heads=size.heads,
        feed_forward_num_hidden=size.feed_forward,
        act_type="relu",
        num_layers=layers,
        dropout_attention=0.0,
        dropout_act=0.0,
        dropout_prepost=DROPOUT,
        positional_embedding_type=constants.FIXED_POSITIONAL_EMBEDDING,
        preprocess_sequence="",
        postprocess_sequence="drn",
        max_seq_len_source=LONGEST + 1,
        max_seq_len_target=LONGEST + 1,
        depth_key_value=size.d_model,
    )


def config(size: Size) -> ModelConfig:
    """The model of a size; embeddings are dropped out once, where the stacks read them."""
    embedding = EmbeddingConfig(vocab_size=size.vocabulary, num_embed=size.d_model, dropout=0.0)
    return ModelConfig(
        config_data=DataConfig(
            data_statistics=None,  # of the training corpus; only inference asks for them
            max_seq_len_source=LONGEST + 1,
            max_seq_len_target=LONGEST + 1,
            num_source_factors=1,
            num_target_factors=1,
        ),
        vocab_source_size=size.vocabulary,
        vocab_target_size=size.vocabulary,
        config_embed_source=embedding,
        config_embed_target=embedding,
        config_encoder=stack(size, size.encoder_layers),
        config_decoder=stack(size, size.decoder_layers),
        weight_tying_type=constants.WEIGHT_TYING_TRG_SOFTMAX,
    )


def inputs(batch: Tensors) -> tuple[Tensor, ...]:
    """What the model is called with: ids have a dimension for factors, lengths one for prefixes."""
    lengths = torch.stack([batch.source_lengths, torch.zeros_like(batch.source_lengths)], dim=1)
    target = batch.decoder_input[:, :, None]
    return batch.source[:, :, None], lengths, target, batch.target_lengths


def build(size: Size, task: Task) -> System:
    """SockeyeModel and torch's form of the smoothed loss, the fastest it has."""
    model = SockeyeModel(config(size)).to(task.device).train()
    model.apply(initialize_parameters)
    insist_on(model, task.precision)  # before tracing, which runs the layers once
    smoothed = CrossEntropyLoss(label_smoothing=LABEL_SMOOTHING, label_smoothing_impl="torch")
    with torch.autocast(
        task.device,
        dtype=torch.bfloat16,
        enabled=task.precision == "bfloat16",
        cache_enabled=False,
    ):
        example = inputs(Tensors.of(draw(size, 1).batches[0], task.device))
        traced = torch.jit.trace(model, example, strict=False)

    def loss(batch: Tensors) -> Tensor:
        value, _ = smoothed(traced(*inputs(batch)), {constants.TARGET_LABEL_NAME: batch.target})
        return value

    return trained(model, loss, task, name="Sockeye", version=sockeye.__version__)


if __name__ == "__main__":
    serve(build)
