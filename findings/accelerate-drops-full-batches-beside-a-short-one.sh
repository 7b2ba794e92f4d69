#!/usr/bin/env bash
# With several processes accelerate drops full batches beside a short one: sentence-transformers loses a pair in seven.
# Topic: models
# Packages: accelerate==1.15.0, sentence-transformers==6.2.0, transformers==5.23.0, torch==2.13.0
# Behaviour: batches are dealt out in rounds, one for each process. If that of the last process is shorter than
#   batch_size, nobody gets a batch in this round, unless it is the end of the epoch; even_batches=False is no help.
#   30 languages of 100 pairs in batches of 32 end in a batch of 4 each. One process sees all 3,000 pairs in an epoch,
#   four see some 2,570, eight some 2,520. Without the short batches (drop_last=True) four see more: 2,816.
# Why a good guess is wrong: sentence-transformers says of ProportionalBatchSampler, its default, that all samples of
#   each dataset are used; accelerate says that even_batches=False enables batches of varying sizes. One process, or one
#   dataset on several, loses nothing, and len() of the loader counts the lost batches.
# Who meets it: sentence encoders trained on many language pairs; batches by length, if their sampler has a batch_size.
#   With a number of tokens as batch_size, two processes see one batch each in an epoch.
# Source: accelerate/data_loader.py, `BatchSamplerShard._iter_with_no_split` (len(batch) == self.batch_size is asked of
#   the last process's batch alone); sentence_transformers/base/sampler.py, `MultiDatasetDefaultBatchSampler`.
# Remedy: set sampler.batch_size = None once it is made: accelerate then takes each batch as it is.
# Seen: pairs of three epochs: 1 process [3000, 3000, 3000], 4 [2608, 2536, 2564], 8 [2452, 2452, 2652]
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0 accelerate==1.15.0 \
  sentence-transformers==6.2.0 transformers==5.23.0 tokenizers==0.23.3 numpy==2.4.6 scipy==1.17.1 \
  scikit-learn==1.9.1 2> /dev/null
bin/python -W ignore - << 'PYTHON'
import torch
from accelerate.data_loader import prepare_data_loader
from sentence_transformers.base.sampler import DefaultBatchSampler, ProportionalBatchSampler
from torch.utils.data import ConcatDataset, DataLoader, SubsetRandomSampler

corpus = ConcatDataset([[f"language {language}, pair {i}" for i in range(100)] for language in range(30)])


def pairs(processes, with_size=True, **options):
    """The number of pairs that all processes together see in each of three epochs."""
    generator = torch.Generator()
    samplers = [DefaultBatchSampler(SubsetRandomSampler(range(100), generator=generator), batch_size=32,
                                    **{"drop_last": False, **options}) for _ in corpus.datasets]
    sampler = ProportionalBatchSampler(corpus, samplers, generator=generator, seed=1)
    if not with_size:
        sampler.batch_size = None
    counts = []
    for epoch in range(3):
        seen = set()
        for process in range(processes):
            # as SentenceTransformerTrainer.get_train_dataloader has it prepared
            loader = prepare_data_loader(DataLoader(corpus, batch_sampler=sampler), num_processes=processes,
                                         process_index=process, even_batches=False, put_on_device=False)
            assert len(loader) == len(sampler) // processes
            sampler.set_epoch(epoch)
            for batch in loader:
                assert not seen & set(batch)
                seen |= set(batch)
        counts.append(len(seen))
    return counts


one, four, eight, whole = pairs(1), pairs(4), pairs(8), pairs(4, with_size=False)
print(f"pairs of three epochs: 1 process {one}, 4 {four}, 8 {eight}")
assert one == whole == [3000] * 3 and max(four + eight) < 2750
assert pairs(4, drop_last=True) == [2816] * 3
PYTHON
