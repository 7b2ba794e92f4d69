#!/usr/bin/env bash
# torchdata resumes torch's RandomSampler with another shuffle: a quarter of an epoch comes twice, a quarter never.
# Topic: models
# Packages: torchdata==0.11.0, torch==2.13.0, numpy==2.4.6
# Behaviour: 1,000 sentences, a RandomSampler whose generator has a seed, the state saved in the middle of an epoch and
#   loaded by a loader made in the same way. In the first epoch what follows is right. In all later ones the state only
#   says that 500 sentences were given; the new loader begins with its first shuffle, leaves out 500 and goes on: of the
#   1,000 some 750 are seen, the others never, and as many twice. Without a seed it is so in the first epoch, too. It is
#   the same for sampler=, batch_sampler= and the nodes; shuffle=True is right.
# Why a good guess is wrong: the README says that RandomSampler and BatchSampler of torch are patched as soon as
#   torchdata.stateful_dataloader is imported, so that no sampler of one's own is needed. They are not since 0.8: the
#   loader makes one that keeps its state for shuffle=True alone. The guide to nodes has RandomSampler for shuffling,
#   and shows the resuming with shuffle=False. A test of the resuming in the first epoch passes.
# Who meets it: long trainings in several jobs. The number of batches is right, and nothing is logged.
# Source: torchdata/stateful_dataloader/sampler.py, `_BatchSamplerIterator.load_state_dict`, and torchdata/nodes/
#   adapters.py, `SamplerWrapper.reset` (both take next of a new iterator for each sentence given).
# Remedy: shuffle=True, or RandomSampler of torchdata.stateful_dataloader.sampler; in nodes a sampler with set_epoch,
#   such as torch's DistributedSampler with num_replicas=1, rank=0.
# Seen: different sentences of 1000, by the epoch of the state: sampler= 1000 754 742; nodes 1000 754 742;
#   shuffle=True 1000 1000 1000; torchdata's RandomSampler 1000 1000 1000; nodes, DistributedSampler 1000 1000 1000
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 torchdata==0.11.0 numpy==2.4.6 2> /dev/null
bin/python -W ignore - << 'PYTHON'
import torch
from torch.utils.data import BatchSampler, DistributedSampler, RandomSampler
from torchdata.nodes import Batcher, Loader, MapStyleWrapper
from torchdata.stateful_dataloader import StatefulDataLoader
from torchdata.stateful_dataloader.sampler import RandomSampler as OwnSampler

sentences = list(range(1000))


def shuffled(kind=RandomSampler):
    return kind(sentences, generator=torch.Generator().manual_seed(1))


def plain(**options):
    return lambda: StatefulDataLoader(sentences, batch_size=10, **{name: make() for name, make in options.items()})


def nodes(sampler):
    return lambda: Loader(Batcher(MapStyleWrapper(sentences, sampler()), 10))


def seen(make):
    running, counts = make(), []
    for epoch in range(3):
        first = []
        for number, batch in enumerate(running, 1):
            if number <= 50:
                first.extend(map(int, batch))
            if number == 50:
                state = running.state_dict()
        resumed = make()
        resumed.load_state_dict(state)
        rest = [int(sentence) for batch in resumed for sentence in batch]
        assert len(first) == len(rest) == 500
        counts.append(len(set(first + rest)))
    return counts


wrong = {
    "sampler=": plain(sampler=shuffled),
    "batch_sampler=": lambda: StatefulDataLoader(sentences, batch_sampler=BatchSampler(shuffled(), 10, False)),
    "nodes": nodes(shuffled),
}
right = {
    "shuffle=True": plain(shuffle=lambda: True),
    "torchdata's RandomSampler": plain(sampler=lambda: shuffled(OwnSampler)),
    "nodes, DistributedSampler": nodes(lambda: DistributedSampler(sentences, num_replicas=1, rank=0)),
}
print("different sentences of 1000, by the epoch of the state:")
for name, make in (wrong | right).items():
    counts = seen(make)
    print(f"{name}:", *counts)
    assert counts[0] == 1000 and (max(counts[1:]) < 800 if name in wrong else counts == [1000] * 3)
PYTHON
