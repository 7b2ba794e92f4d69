"""Which jobs a target needs."""

from hypothesis import given, settings
from hypothesis import strategies as st

from deepmt.estimate.graph import TARGET, Job, by_output, needed

NAMES = [TARGET, *"abcdefgh"]


def jobs_of(inputs: dict[str, list[str]]) -> dict[str, Job]:
    return by_output(Job("rule", name, tuple(inputs[name])) for name in inputs)


GRAPHS = st.fixed_dictionaries(
    {
        # Each job reads only what stands behind it, so that there is no ring.
        name: st.lists(st.sampled_from(NAMES[place + 1 :] or ["raw"]), unique=True)
        for place, name in enumerate(NAMES)
    }
)


def test_a_finished_job_hides_what_only_it_reads() -> None:
    jobs = jobs_of({TARGET: ["a", "b"], "a": ["c", "d"], "b": ["d"], "c": [], "d": []})
    assert set(needed(jobs, {"a"}.__contains__)) == {TARGET, "b", "d"}


def test_what_nothing_makes_is_no_job() -> None:
    assert set(needed(jobs_of({TARGET: ["papers/x.yaml"]}), lambda path: False)) == {TARGET}


@settings(deadline=None, max_examples=50)
@given(GRAPHS, st.sets(st.sampled_from(NAMES[1:])))
def test_a_job_is_needed_if_it_is_missing_and_somebody_needed_reads_it(
    inputs: dict[str, list[str]], there: set[str]
) -> None:
    found = set(needed(jobs_of(inputs), there.__contains__))
    for name in NAMES[1:]:
        asked_for = any(name in inputs[reader] for reader in found)
        assert (name in found) == (asked_for and name not in there)


@settings(deadline=None, max_examples=50)
@given(GRAPHS, st.sets(st.sampled_from(NAMES[1:])), st.sampled_from(NAMES[1:]))
def test_what_is_done_never_adds_a_job(
    inputs: dict[str, list[str]], there: set[str], one: str
) -> None:
    more = needed(jobs_of(inputs), (there | {one}).__contains__)
    assert set(more) <= set(needed(jobs_of(inputs), there.__contains__))
