"""How much of the gradient reaches the first layer of a deep untrained model."""

from collections import defaultdict
from statistics import fmean

import torch
from models import VOCABULARY, spec

from deepmt.data.batches import Batch
from deepmt.untrained.one_pass import growth, signals
from deepmt.untrained.probe_batch import ProbeBatch

SEEDS = (1, 2)


def reach(stack, encoder=12, decoder=12, **settings):
    """Gradient norm of the first layer over that of the last, mean over seeds."""
    ratios = []
    for seed in SEEDS:
        values = growth(*probed(spec(encoder, decoder, width=32, **settings), seed))
        norms = [v.value for v in values if v.quantity == "gradient_norm" and v.stack == stack]
        ratios.append(norms[0] / norms[-1])
    return fmean(ratios)


def means_over_layers(stack, sublayer):
    """Every quantity of one kind of sublayer in an untrained post-norm model of 4 layers."""
    found = defaultdict(list)
    for v in signals(*probed(spec(4, 4, width=32), 1)):
        if (v.stack, v.sublayer) == (stack, sublayer):
            found[v.quantity].append(v.value)
    return {quantity: fmean(values) for quantity, values in found.items()}


def probed(settings, seed):
    """What is measured: a spec, a batch of random tokens, and the seed of the weights."""
    tokens = torch.randint(3, VOCABULARY, (2, 8, 12), generator=torch.Generator().manual_seed(seed))
    probe = ProbeBatch(Batch(*tokens), VOCABULARY, VOCABULARY)
    return settings, probe, seed
