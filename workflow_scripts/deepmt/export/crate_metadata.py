"""RO-Crate 1.1 metadata: a Workflow Run Crate of one workflow, its settings and its results."""

import json
import mimetypes
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from rocrate.model.contextentity import ContextEntity
from rocrate.model.entity import Entity
from rocrate.model.person import Person
from rocrate.rocrate import ROCrate

from deepmt.config.papers import Paper
from deepmt.export.crate_archive import Sum
from deepmt.export.crate_contents import Contents
from deepmt.export.crate_environment import Environment
from deepmt.results.sources import Source

VERSION = "1.1"
WORKFLOW = "Snakefile"
LICENCE = "https://spdx.org/licenses/Apache-2.0"
PROFILES = ("https://w3id.org/ro/wfrun/process/0.5", "https://w3id.org/ro/wfrun/workflow/0.5")
"""Beside the Workflow RO-Crate 1.0 that rocrate names."""
TERMS = "https://w3id.org/ro/terms/workflow-run/context"
"""Defines sha256, which RO-Crate 1.1 lacks."""
TYPES = mimetypes.MimeTypes(filenames=()).types_map[True] | {
    ".jsonl": "application/jsonl",
    ".md": "text/markdown",
    ".safetensors": "application/octet-stream",
    ".svg": "image/svg+xml",
    ".tex": "application/x-tex",
    ".yaml": "application/yaml",
}


def describe(
    contents: Contents,
    made: Environment,
    sums: Mapping[str, Sum],
    *,
    date: str,
    authors: Sequence[str],
) -> str:
    """The text of ro-crate-metadata.json; `date` is ISO 8601."""
    crate = ROCrate(version=VERSION)
    crate.metadata.extra_contexts.append(TERMS)
    _describe_root(crate, contents, made, date, authors)
    workflow = crate.add_workflow(
        None,
        WORKFLOW,
        main=True,
        lang="snakemake",
        lang_version=made.packages["snakemake"],
        properties=_file(WORKFLOW, sums[WORKFLOW])
        | {"version": made.commit, "license": {"@id": LICENCE}},
    )
    workflow["softwareRequirements"] = [
        _add(crate, f"#program/{name}", "SoftwareApplication", name=name, version=version)
        for name, version in {"python": made.python, **made.packages}.items()
    ]
    corpora = _corpora(crate, contents)
    files = {
        name: crate.add_file(None, name, properties=_file(name, found))
        for name, found in sums.items()
        if name != WORKFLOW
    }
    for name, run in contents.models.items():
        files[name]["description"] = f"Averaged weights of a seed of {run}; its spec lies beside it"
        files[name]["isBasedOn"] = corpora[contents.plan.every_run[run].data.corpus]
    _add_run(crate, contents, made, files, list(corpora.values()))
    return json.dumps(crate.metadata.generate(), indent=1, sort_keys=True, ensure_ascii=False)


def _describe_root(
    crate: ROCrate, contents: Contents, made: Environment, date: str, authors: Sequence[str]
) -> None:
    scale = contents.plan.scale
    crate.name = f"deepmt: {scale.title}"
    crate.description = (
        f"Records, specs, tables, figures, claims and report of deep Transformers for translation"
        f" at the {scale.name} scale. {scale.note} In a clone of the project,"
        " `python workflow_scripts/open_crate.py FILE` verifies it and makes its tables again."
    )
    crate.datePublished = date
    crate.license = _add(
        crate, LICENCE, "CreativeWork", name="Apache License 2.0", identifier=LICENCE
    )
    root = crate.root_dataset
    root["conformsTo"] = [
        _add(crate, profile, "CreativeWork", name=profile) for profile in PROFILES
    ]
    root["citation"] = [_paper(crate, paper) for paper in contents.plan.papers]
    if authors:
        people = [Person(crate, f"#author/{quote(name)}", {"name": name}) for name in authors]
        root["author"] = [crate.add(person) for person in people]


def _paper(crate: ROCrate, paper: Paper) -> Entity:
    return _add(
        crate,
        paper.links[0] if paper.links else f"#paper/{paper.key}",
        "ScholarlyArticle",
        name=paper.title,
        author=list(paper.authors),
        datePublished=str(paper.year),
        identifier=paper.key,
    )


def _corpora(crate: ROCrate, contents: Contents) -> dict[str, Entity]:
    """Every corpus of the runs whose records are in the crate, with its terms."""
    runs = {entry.record.run for entry in contents.ledger.records.entries}
    runs |= set(contents.models.values())
    keys = sorted({contents.plan.every_run[run].data.corpus for run in runs})
    return {key: _corpus(crate, contents.ledger.sources[key]) for key in keys}


def _corpus(crate: ROCrate, source: Source) -> Entity:
    found = _add(
        crate,
        f"#corpus/{source.key}",
        "Dataset",
        name=source.title,
        description=source.note or "Text of the runs; it is not in this crate.",
        license=source.licence,
        citation=source.citation,
    )
    if source.translated:
        found["isBasedOn"] = _corpus(crate, source.translated)
    return found


def _add_run(
    crate: ROCrate,
    contents: Contents,
    made: Environment,
    files: Mapping[str, Entity],
    corpora: Sequence[Entity],
) -> None:
    """One run of the workflow: from settings and corpora to everything under results/."""
    records = [entry.record for entry in contents.ledger.records.entries]
    settings = [name for name in files if name.endswith(".yaml")]
    action = crate.add_action(
        crate.mainEntity,
        identifier="#run",
        object=[*(files[name] for name in settings), *corpora],
        result=[file for name, file in files.items() if name.startswith(f"{made.results}/")],
        properties={
            "name": f"{len(records)} records of the {made.scale} scale",
            "description": f"The tables come again by: {made.command}",
            "startTime": min(record.started for record in records),
            "endTime": max(record.finished for record in records),
        },
    )
    crate.root_dataset["mentions"] = [action]


def _file(name: str, found: Sum) -> dict[str, Any]:
    kind = TYPES.get(PurePosixPath(name).suffix, "text/plain")
    properties = {"contentSize": str(found.size), "sha256": found.sha256, "encodingFormat": kind}
    return {"name": name} | properties


def _add(crate: ROCrate, place: str, kind: str, /, **properties: Any) -> Entity:
    return crate.add(ContextEntity(crate, place, {"@type": kind} | properties))
