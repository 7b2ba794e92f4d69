"""Run torch's own Transformer layers, combined as a user would."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from bench.adapters.torch_system import DROPOUT, LABEL_SMOOTHING, Tensors, trained
from bench.worker import System, Task
from bench.workload import LONGEST, PAD, Size


class Model(nn.Module):
    """Implement post-norm, sinusoidal positions, and a target table tied to the softmax."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.d_model = size.d_model
        self.source = nn.Embedding(size.vocabulary, size.d_model)
        self.target = nn.Embedding(size.vocabulary, size.d_model)
        for table in (self.source, self.target):
            nn.init.normal_(table.weight, std=size.d_model**-0.5)
        self.register_buffer("positions", sinusoids(size.d_model))
        self.dropout = nn.Dropout(DROPOUT)
        self.layers = nn.Transformer(
            size.d_model,
            size.heads,
            size.encoder_layers,
            size.decoder_layers,
            size.feed_forward,
            dropout=DROPOUT,
            batch_first=True,
        )
        # nn.Transformer has two final norms, unlike post-norm.
        self.layers.encoder.norm = self.layers.decoder.norm = None
        only_residual_dropout(self.layers)

    def embed(self, table: nn.Embedding, ids: Tensor) -> Tensor:
        """Embed ids [B, T] as [B, T, D]."""
        scaled = table(ids) * math.sqrt(self.d_model)
        return self.dropout(scaled + self.positions[: ids.size(1)])

    def forward(self, batch: Tensors) -> Tensor:
        """Return the smoothed loss, averaged over target tokens."""
        length = batch.target.size(1)
        future = torch.ones(length, length, dtype=torch.bool, device=batch.target.device).triu(1)
        padding = batch.source == PAD
        # A padded target position sees no future and is not scored, so it needs no mask.
        states = self.layers(
            self.embed(self.source, batch.source),
            self.embed(self.target, batch.decoder_input),
            tgt_mask=future,
            src_key_padding_mask=padding,
            memory_key_padding_mask=padding,
            tgt_is_causal=True,
        )
        logits = functional.linear(states, self.target.weight)
        return functional.cross_entropy(
            logits.flatten(0, 1),
            batch.target.flatten(),
            ignore_index=PAD,
            label_smoothing=LABEL_SMOOTHING,
        )


def sinusoids(d_model: int) -> Tensor:
    """Return positions [positions, D], half sines, half cosines."""
    rates = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    angles = torch.arange(LONGEST + 1)[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], dim=1)


def only_residual_dropout(layers: nn.Transformer) -> None:
    """Set other dropout rates to 0, since torch has one rate for all."""
    for module in layers.modules():
        if isinstance(module, nn.MultiheadAttention):
            module.dropout = 0.0
        elif isinstance(module, nn.TransformerEncoderLayer | nn.TransformerDecoderLayer):
            module.dropout.p = 0.0


def train(task: Task) -> System:
    """Train torch.nn.Transformer."""
    model = Model(task.size)
    return trained(model, model, task, name="plain torch layers", version=torch.__version__)
