"""Every job says what it needs, from its run's own size."""

import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from run_snakemake import run_snakemake
from snakemake_interface_logger_plugins.common import LogEvent
from test_workflow import ROOT, snakemake

ASKED = ("mem_mb", "runtime", "disk_mb")
DEEP, SHALLOW = "liu2020.t1.60l-12l-admin.fr", "liu2020.t1.6l-6l-admin.fr"
GROWS = {
    "train": ("runtime", "disk_mb"),
    "average": ("mem_mb",),
    "initialise": ("mem_mb",),
}
"""What is more for a deeper model."""


def tell_jobs() -> None:
    """Make Snakemake print every job that it plans as a line of JSON."""

    def tell(record: logging.LogRecord) -> bool:
        if getattr(record, "event", None) is LogEvent.JOB_INFO:
            asked = {**record.resources, **record.wildcards, "threads": record.threads}
            print(json.dumps({"rule": record.rule_name, "shell": record.shellcmd, **asked}))
        return True

    logging.getLogger("snakemake.logging").addFilter(tell)


def rules() -> dict[str, str]:
    """The text of every rule that runs something, by name."""
    text = "".join(path.read_text() for path in sorted((ROOT / "rules").glob("*.smk")))
    parts = re.split(r"^rule (\w+):\n", text, flags=re.MULTILINE)[1:]
    named = zip(parts[::2], parts[1::2], strict=True)
    return {name: body for name, body in named if "    shell:\n" in body}


def jobs(*flags: str, root: Path = ROOT) -> list[dict[str, Any]]:
    """Jobs of a dry run that run something: rule, wildcards, threads and resources."""
    flags = ("-n", "--cores", "8", "--nolock", "--forceall", *flags)
    found = run_snakemake(root, *flags, before=tell_jobs)
    assert found.returncode == 0, found.stderr
    lines = [line for line in found.stdout.splitlines() if line.startswith('{"rule": ')]
    return [job for job in map(json.loads, lines) if job["shell"]]


def of_run(found: list[dict[str, Any]], rule: str, size: str = "") -> dict[str, Any]:
    """The job of a rule for the run with these depths."""
    return next(job for job in found if job["rule"] == rule and size in job["run"])


@pytest.mark.parametrize(("name", "body"), rules().items(), ids=rules())
def test_every_rule_says_what_it_needs(name: str, body: str) -> None:
    assert "{threads}" not in body or "\n    threads: " in body, f"{name} has no threads"
    asked = re.search(r"^    resources:\n((?:        .*\n)+)", body, re.MULTILINE)
    assert asked, f"{name} has no resources"
    named = re.findall(r"^        (?:\*\*(SHORT|FULL_SIZE|asks)|(\w+)=)", asked[1], re.MULTILINE)
    together = any(all_three for all_three, _ in named)
    assert together or {one for _, one in named}.issuperset(ASKED), f"{name} asks for {named}"
    assert ("{resources.gpu}" in body) == any(one == "gpu" for _, one in named), name


def test_every_job_asks_for_whole_numbers_above_zero() -> None:
    found = jobs("--config", "papers=unified", "rows=headline", "seeds=1")
    assert {"train", "translate", "average", "encode"} <= {job["rule"] for job in found}
    for job in found:
        assert all(isinstance(job[name], int) and job[name] > 0 for name in ASKED), job


def test_requests_grow_with_the_spec() -> None:
    config = ("scale=paper", "papers=liu2020", f"rows={DEEP},{SHALLOW}", "seeds=1")
    found = jobs("--config", *config)
    deep, shallow = ({r: of_run(found, r, s) for r in GROWS} for s in ("-60-12-", "-6-6-"))
    for rule, resources in GROWS.items():
        for name in resources:
            assert deep[rule][name] > shallow[rule][name], (rule, name)


@pytest.mark.slow
def test_more_gpus_a_training_mean_less_time_and_more_processes() -> None:
    config = ("--config", "scale=paper", "papers=liu2020", f"rows={DEEP}", "seeds=1")
    one, four = (
        of_run(jobs(f"--set-resources=train:gpu={count}", *config), "train") for count in (1, 4)
    )
    assert ("--gpus 1" in one["shell"], "--gpus 4" in four["shell"]) == (True, True)
    assert four["runtime"] < one["runtime"]
    assert four["mem_mb"] > one["mem_mb"]


def test_a_machine_without_gpus_may_compute_on_its_cpu() -> None:
    config = ("--config", "scale=iwslt14", "rows=unified.t1.shallow-post", "seeds=1")
    found = jobs("--resources=gpu=0", *config)
    for rule in ("train", "translate"):
        assert "--gpus 0" in of_run(found, rule)["shell"]


def tell_retries() -> None:
    """Make Snakemake print how often it submits each rule again, as soon as it reads the rule."""
    from snakemake.rules import Rule

    known = Rule.restart_times

    def put(rule: Rule, times: int | None) -> None:
        print(f"{rule.name} retries {times}")
        known.fset(rule, times)

    Rule.restart_times = known.setter(put)


def test_on_slurm_only_training_is_submitted_again() -> None:
    profile = yaml.safe_load((ROOT / "profiles/slurm/config.yaml").read_text())
    assert "retries" not in profile
    tries = profile["set-resources"]["train"]["retries"]
    flags = ("-n", "--cores", "1", "--nolock", f"--set-resources=train:retries={tries}", "params")
    found = run_snakemake(ROOT, *flags, before=tell_retries)
    assert found.returncode == 0, found.stderr
    times = dict(re.findall(r"^(\w+) retries (\w+)$", found.stdout, re.MULTILINE))
    assert times.pop("train") == "10"
    assert set(times.values()) == {"None"}


def test_hardware_that_nobody_knows_stops_before_any_job() -> None:
    found = snakemake("-n", "--config", "hardware=h2000")
    assert found.returncode != 0
    assert "unknown hardware 'h2000'" in found.stdout
    assert "Traceback" not in found.stdout
