"""Write docs/schemas/*.json, by which editors complete and check papers, scales and corpora.

PYTHONPATH=workflow_scripts python docs/schemas.py [folder]

The first line of each of these files names its schema, for the YAML language server of the editor.
What holds between settings is left to the workflow, which reads the files by the same classes.
"""

# ruff: noqa: E402
import json
import sys
from inspect import getdoc
from pathlib import Path
from typing import Any

from deepmt.settings.strict import STRICT, as_tuple

# Before any class is made: only here is it worth the tenth of a second that it takes.
STRICT["use_attribute_docstrings"] = True

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from deepmt.settings.corpora import NOT_TAKEN_OVER, Corpora
from deepmt.settings.method import CHOICES
from deepmt.settings.spec import SECTIONS
from deepmt.study.papers import File
from deepmt.study.scale import ScaleFile

Schema = dict[str, Any]


class Untitled(GenerateJsonSchema):
    """Leave out titles, which only repeat keys."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Set none."""
        return False

    def function_before_schema(self, schema: Any) -> Schema:
        """Let `OneOrSeveral` be one as well."""
        found = super().function_before_schema(schema)
        several = schema["function"]["function"] is as_tuple
        return {"anyOf": [found["items"], found]} if several else found


def schema_of(kind: Any) -> Schema:
    """Return the schema of a class of settings."""
    schema = TypeAdapter(kind).json_schema(schema_generator=Untitled)
    for one in schema.get("$defs", {}).values():
        one.pop("title", None)
    return schema


def meanings() -> dict[str, str]:
    """Return what each setting of a spec means, by dotted key."""
    found = {
        f"{name}.{key}": one["description"]
        for name, section in SECTIONS.items()
        for key, one in schema_of(section)["properties"].items()
        if "description" in one
    }
    for choice, options in CHOICES.items():
        known = (f"{name}: {getdoc(one)}" for name, one in options.items())
        found[f"method.{choice}"] = "\n\n".join(known)
    return found


def explained(schema: Schema) -> Schema:
    """Return a schema that says what the settings of a spec mean."""
    said = meanings()
    for key, one in schema["$defs"]["Some"]["properties"].items():
        if key in said:
            one["description"] = said[key]
    return schema


def made_from(schema: Schema, bases: Schema, still: tuple[str, ...] = ()) -> Schema:
    """Return a schema that requires nothing but `still` of what names its base."""
    schema["properties"] |= bases
    schema["if"] = {"not": {"anyOf": [{"required": [name]} for name in bases]}}
    schema["then"] = {"required": schema.pop("required")}
    return schema | {"required": [*still]}


def or_null(schema: Schema) -> Schema:
    """Return a schema that takes null as well."""
    return {"anyOf": [schema, {"type": "null"}]}


def scale() -> Schema:
    """Return the schema of scales/*.yaml."""
    base = {"type": "string", "description": "The scale that this one differs from."}
    schema = made_from(schema_of(ScaleFile), {"from": base}, still=("name",))
    tuning, settings = (schema["$defs"][name] for name in ("Tuning", "Some"))
    # The base may have the rest, and null takes out what it has.
    del tuning["required"]
    for one in (tuning, settings):
        one["properties"] = {key: or_null(kept) for key, kept in one["properties"].items()}
    for key in ("corpora", "widths", "depths"):
        inner = schema["properties"][key]
        inner["patternProperties"] = {
            name: or_null(kept) for name, kept in inner["patternProperties"].items()
        }
    return explained(schema)


def corpora() -> Schema:
    """Return the schema of corpora.yaml."""
    schema = schema_of(Corpora)
    corpus = schema["$defs"]["Corpus"]
    bases = {key: corpus["properties"][key] for key in NOT_TAKEN_OVER[:2]}
    schema["$defs"]["Corpus"] = made_from(corpus, bases)
    return schema


SCHEMAS = {"paper": lambda: explained(schema_of(File)), "scale": scale, "corpora": corpora}


def main() -> None:
    """Write all schemas to the folder that is given, or else to docs/schemas."""
    folder = Path(*sys.argv[1:]) if sys.argv[1:] else Path(__file__).with_name("schemas")
    for name, make in SCHEMAS.items():
        (folder / f"{name}.json").write_text(json.dumps(make(), indent=1) + "\n")


if __name__ == "__main__":
    main()
