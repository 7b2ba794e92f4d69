#!/usr/bin/env bash
# In torch, each pass over a DataLoader draws a random number: a validation changes the dropout of the training after it.
# Topic: models
# Packages: torch==2.13.0
# Behaviour: the iterator of a DataLoader takes a seed from the global generator, also without shuffle, without workers
#   and without anything random in the data. Two trainings of one seed, of which one looks at its development set once,
#   have other dropout masks, and so other weights, from there on.
# Why a good guess is wrong: a validation in eval() and no_grad() with an ordered loader draws nothing, one thinks, and how
#   often one looks cannot change what is trained.
# Who meets it: comparisons of runs of one seed with different intervals of validation; a run that is resumed with another
#   number of validations; a bug that goes away when a validation is added.
# Source: torch/utils/data/dataloader.py, `_BaseDataLoaderIter.__init__` (_base_seed, drawn by random_(generator=
#   loader.generator)).
# Remedy: DataLoader(..., generator=torch.Generator()) for each loader that is not part of the training.
# Seen: loss after 20 updates: 1 value without, another with 1 validation; equal with a generator of its own
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile torch==2.13.0
bin/python - <<'PYTHON' 2> /dev/null
import torch
from torch.utils.data import DataLoader

torch.set_num_threads(1)
development = [torch.ones(8)] * 4


def weights(validations, **options):
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(0.5), torch.nn.Linear(8, 1))
    rate = 0.1
    for update in range(20):
        if update < validations:
            model.eval()
            with torch.no_grad():
                for batch in DataLoader(development, batch_size=2, shuffle=False, num_workers=0, **options):
                    model(batch)
            model.train()
        model.zero_grad()
        (model(torch.ones(4, 8)) - 1).square().mean().backward()
        with torch.no_grad():
            for weight in model.parameters():
                weight -= rate * weight.grad
    return torch.cat([weight.detach().flatten() for weight in model.parameters()])


plain = weights(0)
differ = [not torch.equal(plain, weights(validations)) for validations in (0, 1, 2)]
own = torch.equal(plain, weights(2, generator=torch.Generator()))
print("other weights after 0, 1, 2 validations:", differ, "| equal with a generator of its own:", own)
assert differ == [False, True, True] and own
PYTHON
