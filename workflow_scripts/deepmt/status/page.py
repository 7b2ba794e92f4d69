"""A survey as one page that asks nothing of the network and loads itself anew."""

import time
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from deepmt.status import view
from deepmt.status.survey import Survey

FOLDER = Path(__file__).parent
STYLE = FOLDER.parent / "report" / "page" / "style.css"
"""The report's, so that both look alike."""


def page(survey: Survey, refresh: int) -> str:
    """HTML that its reader loads again after so many seconds."""
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
    )
    return environment.get_template("page.html.j2").render(
        survey=survey,
        refresh=refresh,
        style=Markup(STYLE.read_text()),
        made=time.strftime("%d %b %Y %H:%M:%S %Z", time.localtime(survey.moment.now)),
        sections=view.SECTIONS,
        everything=view.EVERYTHING,
        outlook=view.outlook,
        counts=view.counts,
        basis=view.basis,
        warnings=view.warnings,
    )
