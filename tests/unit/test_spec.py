"""A spec is complete, canonical and its own name."""

import dataclasses
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic.dataclasses import dataclass

from deepmt.settings.spec import TYPES, Training, from_sections, make_spec, written
from deepmt.settings.strict import STRICT
from tiny import TINY, problems_of, tiny_spec

ROOT = Path(__file__).parents[2]


def test_json_comes_back_as_the_same_spec() -> None:
    spec = tiny_spec(method__initialisation="ds_init")
    assert from_sections(json.loads(json.dumps(dataclasses.asdict(spec)))) == spec


@pytest.mark.parametrize(
    ("section", "key", "default", "other"),
    [
        ("data", "unused_types", 0, 1),
        ("training", "batch_order", "redrawn", "fixed"),
        ("training", "batch_counts", "longer", "source_words"),
        ("training", "first_rate", "small", "zero"),
        ("model", "padding_embedding", "drawn", "zero"),
        ("decoding", "early_stopping", False, True),
    ],
)
def test_a_setting_younger_than_the_records_leaves_their_names(
    section: str, key: str, default: object, other: object
) -> None:
    for value, young in ((default, False), (other, True)):
        spec = tiny_spec(**{f"{section}__{key}": value})
        assert (key in spec.sections[section]) == young
        assert (spec.run == tiny_spec().run) != young
        assert from_sections(spec.sections) == spec


def test_a_new_setting_is_written_only_if_it_is_used() -> None:
    @dataclass(frozen=True, kw_only=True, config=STRICT)
    class Later(Training):
        invented: int = 3

    now = tiny_spec().training
    recipe = dataclasses.asdict(now)
    assert written("training", Later(**recipe)) == written("training", now)
    later = written("training", now) | {"invented": 4}
    assert written("training", Later(**recipe, invented=4)) == later


def test_every_archived_run_has_the_name_of_its_settings() -> None:
    """Records precede most options and settings."""
    lines = [line for path in ROOT.glob("records/*.jsonl") for line in path.open()]
    found = [json.loads(line) for line in lines]
    names = {json.dumps(each["spec"]): each["run"] for each in found if "spec" in each}
    assert len(names) > 100
    assert [from_sections(json.loads(spec)).run for spec in names] == list(names.values())


def test_an_unknown_key_is_refused_with_a_near_one() -> None:
    assert "training.updates" in problems_of(TINY | {"training.updatse": 3})["training.updatse"]


def test_a_missing_key_is_named() -> None:
    problems = problems_of({k: v for k, v in TINY.items() if k != "training.lr"})
    assert problems == {"training.lr": "is required and not set"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"decoder.heads": 3}, "not divisible by heads=3"),
        ({"training.label_smoothing": 1.0}, "1.0 should be less than 1"),
        (
            {"method.layer_aggregation.norm": False},
            "not an option of method.layer_aggregation",
        ),
        ({"data.shared_vocabulary": True, "data.joint": False}, "joint=true"),
        ({"decoding.beam": 0}, "0 should be greater than or equal to 1"),
        ({"training.schedule": "noam", "training.schedule_from": 0}, "set schedule_from=1"),
        ({"training.schedule": "noam", "training.first_rate": "peak"}, "not noam: set small"),
        (
            {
                "method.initialisation": "ds_init",
                "method.initialisation.feed_forward": "torch",
            },
            "not an option of method.initialisation",
        ),
        (
            {"method.residual": "omega", "method.initialisation": "normal"},
            "needs method.initialisation=admin or admin_closed",
        ),
        ({"training.optimizer": "radam", "training.epsilon_hat": True}, "is for adam, not radam"),
    ],
)
def test_impossible_settings_say_which_rule_they_break(
    changes: dict[str, object], message: str
) -> None:
    assert message in "; ".join(problems_of(TINY | changes).values())


def test_a_spec_that_is_made_from_another_one_obeys_the_same_rules() -> None:
    spec = tiny_spec()
    recipe = dataclasses.replace(spec.training, warmup=spec.training.updates + 1)
    with pytest.raises(ValueError, match=r"training\.warmup must not exceed training\.updates"):
        dataclasses.replace(spec, training=recipe)


def test_a_rate_that_falls_from_the_start_may_take_longer_than_the_run() -> None:
    longer = {"training.updates": 10, "training.warmup": 11}
    assert "training.warmup" in "".join(problems_of(TINY | longer).values())
    assert not problems_of(TINY | longer | {"training.schedule": "no_warmup"})


@pytest.mark.parametrize(
    ("changes", "accepted"),
    [
        ({"updates": 100, "checkpoint_every": 4, "average_last": 25}, True),
        ({"updates": 101, "checkpoint_every": 4, "average_last": 26}, True),
        ({"updates": 100, "checkpoint_every": 4, "average_last": 26}, False),
        ({"updates": 100, "checkpoint_every": 100, "average_last": 5}, True),
        ({"updates": 100, "checkpoint_every": 100, "average_last": 6}, False),
        ({"updates": 100, "checkpoint_every": 100, "average_last": 6, "patience": 3}, True),
    ],
)
def test_a_mean_is_of_no_more_checkpoints_than_a_run_has_or_of_few(
    changes: dict[str, int], accepted: bool
) -> None:
    problems = problems_of(TINY | {f"training.{key}": value for key, value in changes.items()})
    assert ("average_last" in str(problems)) != accepted


@given(st.sampled_from(sorted(TYPES)), st.none() | st.text(max_size=3) | st.lists(st.integers()))
def test_no_wrong_value_passes_or_crashes(key: str, value: object) -> None:
    settings = TINY | {key: value}
    assert problems_of(settings) or make_spec(settings)


def test_an_option_of_the_default_method_changes_a_runs_digits_alone() -> None:
    plain = tiny_spec()
    other = tiny_spec(**{"method__initialisation.feed_forward": "torch"})
    assert other.name == plain.name
    assert other.run != plain.run
    assert from_sections(other.sections) == other
