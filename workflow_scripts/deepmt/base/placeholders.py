"""Fill the placeholders of file names in corpora.yaml."""

from collections.abc import Mapping


def filled(
    template: str, language: str, languages: tuple[str, str], codes: Mapping[str, str] | None
) -> str:
    """Return the name for one side of a corpus.

    `{language}` becomes the side's language as `codes` spells it, `{side}` src or ref, `{source}`
    and `{target}` the corpus's languages.
    """
    names = {
        "{language}": (codes or {}).get(language, language),
        "{side}": "src" if language == languages[0] else "ref",
        "{source}": languages[0],
        "{target}": languages[1],
    }
    for placeholder, name in names.items():
        template = template.replace(placeholder, name)
    return template
