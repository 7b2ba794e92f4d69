"""Write an RO-Crate 1.1: a Workflow Run Crate of the workflow, its settings and results."""

import json
import shutil
import stat
import zipfile
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import quote

import yaml
from rocrate.model.contextentity import ContextEntity
from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

from deepmt.base.files import commit, replacing, sha256
from deepmt.measured.records import Record
from deepmt.study.plan import Plan
from wings.export.crate_contents import Contents

METADATA = "ro-crate-metadata.json"
WORKFLOW = "Snakefile"
LICENCE = "https://spdx.org/licenses/Apache-2.0"
PROFILES = ("https://w3id.org/ro/wfrun/process/0.5", "https://w3id.org/ro/wfrun/workflow/0.5")
"""Profiles in addition to Workflow RO-Crate 1.0, which rocrate adds."""
TERMS = "https://w3id.org/ro/terms/workflow-run/context"
"""Defines sha256, which RO-Crate 1.1 lacks."""
TYPES = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".safetensors": "application/octet-stream",
    ".svg": "image/svg+xml",
}
"""By the ends of names; all other files are plain text."""
RUN = "#run"


def write_crate(
    path: Path, contents: Contents, root: Path, date: str, authors: Sequence[str]
) -> None:
    """Write an archive of all files with their description; `date` of publication is ISO 8601."""
    metadata = describe(contents, root, date, authors).metadata.generate()
    text = json.dumps(metadata, indent=1, sort_keys=True, ensure_ascii=False)
    with replacing(path) as new, zipfile.ZipFile(new, "w") as archive:
        for name in (*sorted(contents.files), METADATA):
            # Always of 1980, so that the same files give the same archive.
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            raw = name.endswith(".safetensors")
            entry.compress_type = zipfile.ZIP_STORED if raw else zipfile.ZIP_DEFLATED
            stream = BytesIO(text.encode()) if name == METADATA else contents.files[name].open("rb")
            with stream, archive.open(entry, "w", force_zip64=True) as target:
                shutil.copyfileobj(stream, target)


def describe(contents: Contents, root: Path, date: str, authors: Sequence[str]) -> ROCrate:
    """Describe every file, the papers, the corpora with their terms, and the run."""
    plan, config = contents.plan, contents.plan.config
    crate = ROCrate(version="1.1")
    crate.metadata.extra_contexts.append(TERMS)
    crate.name = f"deepmt: {plan.scale.title}"
    crate.description = (
        "Records, specs, tables, figures, claims and report of deep Transformers for translation"
        f" at the {plan.scale.name} scale. {plan.scale.note}"
    )
    crate.datePublished = date
    crate.license = _add(crate, LICENCE, "CreativeWork", name="Apache License 2.0")
    top = crate.root_dataset
    top["conformsTo"] = [_add(crate, url, "CreativeWork", name=url) for url in PROFILES]
    found = _authors(crate, root, authors)
    top["author"] = found if len(found) > 1 else found[0]
    top["citation"] = [
        _add(
            crate,
            paper.links[0] if paper.links else f"#paper/{paper.key}",
            "ScholarlyArticle",
            name=paper.title,
            author=list(paper.authors),
            datePublished=str(paper.year),
            identifier=paper.key,
        )
        for paper in plan.papers
    ]
    crate.add_workflow(
        None,
        WORKFLOW,
        main=True,
        lang="snakemake",
        properties=_file(WORKFLOW, contents.files[WORKFLOW])
        | {"version": commit(root), "license": {"@id": LICENCE}},
    )
    files = {
        name: crate.add_file(None, name, properties=_file(name, path))
        for name, path in sorted(contents.files.items())
        if name != WORKFLOW
    }
    files["README.md"]["about"] = top
    corpora = _corpora(crate, plan)
    for name, run in contents.models.items():
        files[name]["description"] = f"Averaged weights of a seed of {run}; its spec is included"
        files[name]["isBasedOn"] = corpora[plan.every_run[run].data.corpus]
    settings = {"scale": [config.scale], "papers": config.papers, "rows": config.rows}
    settings |= {"seeds": [str(seed) for seed in config.seeds]}
    words = " ".join(f"{key}={','.join(chosen)}" for key, chosen in settings.items())
    seeds, times = [Record.read(path) for path in contents.records], {}
    if seeds:
        times["startTime"] = min(seed.started for seed in seeds)
        times["endTime"] = max(seed.finished for seed in seeds)
    action = crate.add_action(
        crate.mainEntity,
        identifier=RUN,
        object=[
            *(file for name, file in files.items() if name.endswith(".yaml")),
            *corpora.values(),
        ],
        result=[file for name, file in files.items() if name.startswith(f"{config.results}/")],
        properties={
            "name": f"{len(contents.records)} records of the {config.scale} scale",
            "description": f"snakemake --config {words}",
            "agent": top["author"],
            **times,
        },
    )
    top["mentions"] = [action]
    return crate


def _file(name: str, path: Path) -> dict[str, Any]:
    """Return name, size, checksum and type of a file."""
    return {
        "name": name,
        "contentSize": str(path.stat().st_size),
        "sha256": sha256(path),
        "encodingFormat": TYPES.get(path.suffix, "text/plain"),
    }


def _authors(crate: ROCrate, root: Path, names: Sequence[str]) -> list[Entity]:
    """Add the named persons, or else the authors that CITATION.cff names."""
    if names:
        return [_add(crate, f"#author/{quote(name)}", "Person", name=name) for name in names]
    found = []
    for author in yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))["authors"]:
        kind = "Organization" if "name" in author else "Person"
        name = author.get("name") or f"{author['given-names']} {author['family-names']}"
        identifier = author.get("orcid") or f"#author/{quote(name)}"
        found.append(_add(crate, identifier, kind, name=name))
    return found


def _corpora(crate: ROCrate, plan: Plan) -> dict[str, Entity]:
    """Describe the corpora of all runs with their terms; the crate does not contain them."""
    known = plan.corpora

    def described(key: str, text: Any) -> Entity:
        return _add(
            crate,
            f"#corpus/{key}",
            "Dataset",
            name=text.title,
            description=getattr(text, "note", "") or "Text of the runs; not part of this crate.",
            license=text.licence,
            citation=text.citation,
        )

    found = {}
    for key in sorted({spec.data.corpus for spec in plan.every_run.values()}):
        found[key] = described(key, known.corpora[key])
        if synthetic := known.corpora[key].synthetic:
            name = synthetic.monolingual
            found[key]["isBasedOn"] = described(name, known.monolingual[name])
    return found


def _add(crate: ROCrate, identifier: str, kind: str, /, **properties: Any) -> Entity:
    """Add an entity that is not a file."""
    return crate.add(ContextEntity(crate, identifier, {"@type": kind} | properties))
