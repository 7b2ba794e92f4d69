#!/usr/bin/env bash
# In submitit's batch() every job of a search gets the last learning rate, if one configuration is changed in a loop.
# Topic: cluster
# Packages: submitit==1.5.4, cloudpickle==3.1.3, typing_extensions==4.16.0
# Behaviour: for rate in rates: config["rate"] = rate; jobs.append(executor.submit(train, config)). Called like that,
#   each job gets its own rate. Inside `with executor.batch()`, which makes one job array of them, all get the last one:
#   the arguments are kept as they are, and written to files at the end of the block. It is the same with an object that
#   is the function itself, as trainers with a checkpoint method are, and with map_array over a generator of one object.
# Why a good guess is wrong: submit writes its arguments at once outside of the block, and batch is documented as a
#   matter of the scheduler (one array, at the end of the block); update_parameters inside of it is refused by name, and
#   so is a look at a job. Numbers and strings as arguments, as in the documentation, are right.
# Who meets it: sweeps over rates, seeds and depths with a dict, an OmegaConf or an argparse.Namespace: as many runs
#   as values, all alike but for their seeds, and the table has the names of the loop.
# Source: submitit/core/core.py, `Executor.submit` (a DelayedSubmission with references) and `_submit_delayed_batch`;
#   `_internal_process_submissions` of PicklingExecutor and of SlurmExecutor writes the files.
# Remedy: executor.submit(train, copy.deepcopy(config)).
# Seen: submit: [0.1, 0.01, 0.001]; batch: [0.001, 0.001, 0.001]; batch with copies: [0.1, 0.01, 0.001];
#   batch of a trainer: [0.001, 0.001, 0.001]; map_array of a generator: [0.001, 0.001, 0.001]
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile submitit==1.5.4 cloudpickle==3.1.3 \
    typing_extensions==4.16.0 2> /dev/null
bin/python - << 'PYTHON'
import copy

import submitit

rates = [0.1, 0.01, 0.001]
executor = submitit.AutoExecutor("logs", cluster="local")
executor.update_parameters(timeout_min=1)


def train(config):
    return config["rate"]


class Trainer:
    rate = 0.0

    def __call__(self):
        return self.rate


def configurations():
    config = {"layers": 12}
    for rate in rates:
        config["rate"] = rate
        yield config


def trainers():
    trainer = Trainer()
    for trainer.rate in rates:
        yield trainer


def results(jobs):
    return [job.result() for job in jobs]


alone = results([executor.submit(train, config) for config in configurations()])
with executor.batch():
    jobs = [executor.submit(train, config) for config in configurations()]
batch = results(jobs)
with executor.batch():
    jobs = [executor.submit(train, copy.deepcopy(config)) for config in configurations()]
copies = results(jobs)
with executor.batch():
    jobs = [executor.submit(trainer) for trainer in trainers()]
trained = results(jobs)
mapped = results(executor.map_array(train, configurations()))
print(f"submit: {alone}; batch: {batch}; batch with copies: {copies}")
print(f"batch of a trainer: {trained}; map_array of a generator: {mapped}")
assert alone == copies == rates
assert batch == trained == mapped == [0.001] * 3
PYTHON
