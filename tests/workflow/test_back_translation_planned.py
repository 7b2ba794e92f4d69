"""A corpus with synthetic pairs brings its whole chain: reverse run, shards, and their joining."""

import re

from test_workflow import snakemake


def jobs(stdout: str) -> dict[str, int]:
    return {name: int(n) for name, n in re.findall(r"^(\w+) +(\d+)$", stdout, re.MULTILINE)}


def test_real_text_is_translated_back_before_anyone_trains_on_it() -> None:
    config = ("scale=multi30k", "papers=unified", "rows=unified.t2.synthetic", "seeds=77")
    found = snakemake("-n", "--forceall", "--config", *config)
    assert found.returncode == 0, found.stderr
    planned = jobs(found.stdout)
    assert planned["encode_shard"] == planned["back_translate"] == 4
    assert planned["monolingual"] == planned["join_synthetic"] == planned["reverse_corpus"] == 1
    assert planned["train"] == 2
    assert planned["score"] == 3, "the reverse run is trained, but its sets are not scored"


def test_shards_wait_for_the_reverse_run_and_the_corpus_for_all_shards() -> None:
    found = snakemake(
        "-n", "--forceall", "--config", "papers=unified", "rows=unified.t2.synthetic", "seeds=77"
    )
    order = found.stdout
    shards = [order.index(f"Translate shard {k} of the text for toy-bt.en-de") for k in range(4)]
    assert order.index("Train post-6-6-d96-toy.de-en-") < min(shards)
    assert max(shards) < order.index("Join bitext and synthetic pairs: toy-bt.en-de")
    assert order.index("Join bitext") < order.index("Train post-2-2-d64-toy-bt.en-de-")


def test_one_side_of_another_corpus_serves_a_scale_of_its_own_only() -> None:
    found = snakemake("-n", "data/raw/toy-bt.en-de/counts.json", "--config", "scale=multi30k")
    assert found.returncode != 0
    assert "toy-bt.en-de belongs to the toy scale" in found.stderr + found.stdout
