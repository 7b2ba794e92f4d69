"""Write an RO-Crate 1.1: a Workflow Run Crate of the workflow, its settings and results."""

import json
import mimetypes
import platform
import shutil
import stat
import zipfile
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote

import yaml
from rocrate.model.contextentity import ContextEntity
from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

from deepmt.config.papers import Paper
from deepmt.config.settings import Plan
from deepmt.export.crate_contents import Contents
from deepmt.files import commit, replacing, sha256

METADATA = "ro-crate-metadata.json"
WORKFLOW = "Snakefile"
CITATION = "CITATION.cff"
LICENCE = "https://spdx.org/licenses/Apache-2.0"
PROFILES = ("https://w3id.org/ro/wfrun/process/0.5", "https://w3id.org/ro/wfrun/workflow/0.5")
"""Profiles in addition to Workflow RO-Crate 1.0, which rocrate adds."""
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
PACKAGES = ("torch", "snakemake", "sacrebleu", "subword-nmt", "sentencepiece", "sacremoses")
PROGRAMS = {"python": "https://www.python.org"} | {
    name: f"https://pypi.org/project/{name}" for name in PACKAGES
}
RUN = "#run"
NO_TIME = (1980, 1, 1, 0, 0, 0)
"""Time stamp of every entry, so that the same files give the same archive."""


def write_crate(
    path: Path,
    contents: Contents,
    times: Mapping[str, str],
    root: Path,
    date: str,
    authors: Sequence[str],
) -> None:
    """Write an archive of all files with their description.

    `times` holds the startTime and endTime of the run, if seeds were trained here. They and the
    `date` of publication are ISO 8601.
    """
    crate = describe(contents, root, date, authors)
    for name, time in times.items():
        crate.dereference(RUN)[name] = time
    metadata = crate.metadata.generate()
    text = json.dumps(metadata, indent=1, sort_keys=True, ensure_ascii=False)
    with replacing(path) as new, zipfile.ZipFile(new, "w") as archive:
        for name in (*sorted(contents.files), METADATA):
            entry = zipfile.ZipInfo(name, NO_TIME)
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            raw = name.endswith(".safetensors")
            entry.compress_type = zipfile.ZIP_STORED if raw else zipfile.ZIP_DEFLATED
            stream = BytesIO(text.encode()) if name == METADATA else contents.files[name].open("rb")
            with stream, archive.open(entry, "w", force_zip64=True) as target:
                shutil.copyfileobj(stream, target)


def describe(contents: Contents, root: Path, date: str, authors: Sequence[str]) -> ROCrate:
    """Describe every file, the papers, the corpora with their terms, and the run."""
    crate = ROCrate(version="1.1")
    crate.metadata.extra_contexts.append(TERMS)
    describe_root(crate, contents.plan, date, root, authors)
    versions = {name: version_of(name) for name in PROGRAMS}
    workflow = crate.add_workflow(
        None,
        WORKFLOW,
        main=True,
        lang="snakemake",
        lang_version=versions["snakemake"],
        properties=describe_file(WORKFLOW, contents.files[WORKFLOW])
        | {"version": commit(root), "license": {"@id": LICENCE}},
    )
    workflow["softwareRequirements"] = [
        add(crate, url, "SoftwareApplication", name=name, url=url, softwareVersion=versions[name])
        for name, url in PROGRAMS.items()
    ]
    corpora = describe_corpora(crate, contents)
    files = {
        name: crate.add_file(None, name, properties=describe_file(name, path))
        for name, path in sorted(contents.files.items())
        if name != WORKFLOW
    }
    for name, run in contents.models.items():
        files[name]["description"] = f"Averaged weights of a seed of {run}; its spec is included"
        files[name]["isBasedOn"] = corpora[contents.plan.every_run[run].data.corpus]
    files["README.md"]["about"] = crate.root_dataset
    describe_run(crate, contents, files, list(corpora.values()))
    return crate


def describe_root(
    crate: ROCrate, plan: Plan, date: str, root_folder: Path, authors: Sequence[str]
) -> None:
    """Add name, licence, authors and cited papers of the crate."""
    crate.name = f"deepmt: {plan.scale.title}"
    crate.description = (
        f"Records, specs, tables, figures, claims and report of deep Transformers for translation"
        f" at the {plan.scale.name} scale. {plan.scale.note}"
    )
    crate.datePublished = date
    crate.license = add(
        crate, LICENCE, "CreativeWork", name="Apache License 2.0", identifier=LICENCE
    )
    root = crate.root_dataset
    root["conformsTo"] = [add(crate, url, "CreativeWork", name=url) for url in PROFILES]
    root["citation"] = [describe_paper(crate, paper) for paper in plan.papers]
    found = describe_authors(crate, root_folder, authors)
    root["author"] = found if len(found) > 1 else found[0]


def describe_authors(crate: ROCrate, root: Path, names: Sequence[str]) -> list[Entity]:
    """Add the named persons, or else the authors that CITATION.cff names."""
    if names:
        return [add(crate, f"#author/{quote(name)}", "Person", name=name) for name in names]
    found = []
    for author in yaml.safe_load((root / CITATION).read_text(encoding="utf-8"))["authors"]:
        kind = "Organization" if "name" in author else "Person"
        name = author.get("name") or f"{author['given-names']} {author['family-names']}"
        identifier = author.get("orcid") or f"#author/{quote(name)}"
        found.append(add(crate, identifier, kind, name=name))
    return found


def describe_paper(crate: ROCrate, paper: Paper) -> Entity:
    """Add a paper as a citation."""
    return add(
        crate,
        paper.links[0] if paper.links else f"#paper/{paper.key}",
        "ScholarlyArticle",
        name=paper.title,
        author=list(paper.authors),
        datePublished=str(paper.year),
        identifier=paper.key,
    )


def describe_corpora(crate: ROCrate, contents: Contents) -> dict[str, Entity]:
    """Describe the corpora of all runs with their terms; the crate does not contain them."""
    plan, known = contents.plan, contents.plan.corpora
    found = {}
    for key in sorted({spec.data.corpus for spec in plan.every_run.values()}):
        corpus = known.corpora[key]
        found[key] = describe_corpus(crate, key, corpus)
        if corpus.synthetic:
            name = corpus.synthetic.monolingual
            found[key]["isBasedOn"] = describe_corpus(crate, name, known.monolingual[name])
    return found


def describe_corpus(crate: ROCrate, key: str, corpus: Any) -> Entity:
    """Describe parallel or monolingual text."""
    return add(
        crate,
        f"#corpus/{key}",
        "Dataset",
        name=corpus.title,
        description=getattr(corpus, "note", "") or "Text of the runs; not part of this crate.",
        license=corpus.licence,
        citation=corpus.citation,
    )


def describe_run(
    crate: ROCrate, contents: Contents, files: Mapping[str, Entity], corpora: Sequence[Entity]
) -> None:
    """Describe one run of the workflow, from settings and corpora to results/."""
    config, records = contents.plan.config, contents.records
    values = {"scale": [config.scale], "papers": config.papers, "rows": config.rows}
    options = [f"{key}={','.join(chosen)}" for key, chosen in values.items()]
    seeds = ",".join(map(str, config.seeds))
    settings = [name for name in files if name.endswith(".yaml")]
    action = crate.add_action(
        crate.mainEntity,
        identifier=RUN,
        object=[*(files[name] for name in settings), *corpora],
        result=[file for name, file in files.items() if name.startswith(f"{config.results}/")],
        properties={
            "name": f"{len(records)} records of the {config.scale} scale",
            "description": f"snakemake --config {' '.join(options)} seeds={seeds}",
            "agent": crate.root_dataset["author"],
        },
    )
    crate.root_dataset["mentions"] = [action]


def describe_file(name: str, path: Path) -> dict[str, Any]:
    """Return name, size, checksum and type of a file."""
    return {
        "name": name,
        "contentSize": str(path.stat().st_size),
        "sha256": sha256(path),
        "encodingFormat": TYPES.get(PurePosixPath(name).suffix, "text/plain"),
    }


def version_of(package: str) -> str:
    """Return the version of Python or a package, or "not installed"."""
    if package == "python":
        return platform.python_version()
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def add(crate: ROCrate, identifier: str, kind: str, /, **properties: Any) -> Entity:
    """Add an entity that is not a file."""
    return crate.add(ContextEntity(crate, identifier, {"@type": kind} | properties))
