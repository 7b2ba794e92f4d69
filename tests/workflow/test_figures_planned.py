"""`snakemake figures` draws what is there and trains only what was asked for."""

import re

from test_workflow import snakemake


def planned(*config: str) -> set[str]:
    found = snakemake("-n", "--forceall", "figures", "--config", *config)
    assert found.returncode == 0, found.stderr
    return set(re.findall(r"^(\w+) +\d+$", found.stdout, re.MULTILINE)) - {"total"}


def test_figures_from_records_alone_train_nothing() -> None:
    assert planned("from=records") == {"corpora", "cells", "figure", "figures"}


def test_a_figure_that_is_asked_for_has_its_systems_trained_and_broken_down() -> None:
    rules = planned("papers=liu2020", "rows=liu2020.fig3", "scale=toy")
    assert {"train", "record", "breakdown", "figure"} <= rules
    assert not {"probe", "speed"} & rules
