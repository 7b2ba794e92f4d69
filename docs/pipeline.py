"""Draw the rule graph for docs/commands.md: snakemake --rulegraph | python docs/pipeline.py.

Needs Graphviz. An arrow is left out where a longer path says the same.
"""

import re
import subprocess
import sys

LAYOUT = (
    "-Tsvg -Grankdir=LR -Gbgcolor=transparent -Gmargin=0 -Gpad=.03 -Gnodesep=.12 -Granksep=.16"
    " -Nshape=box -Nstyle=rounded -Nfontname=sans -Nfontsize=13 -Nmargin=.06,.03 -Nheight=.3"
    " -Nwidth=.1 -Earrowsize=.5"
).split()
STYLE = (
    "text{font:13px sans-serif;fill:#1f2328}path,polygon{stroke:#0969da}polygon{fill:#0969da}"
    "@media(prefers-color-scheme:dark){"
    "text{fill:#e6edf3}path,polygon{stroke:#4493f8}polygon{fill:#4493f8}}"
)
LEFT_OUT = (
    r"<!--.*?-->\s*|<title>.*?</title>\n|<!DOCTYPE.*?>\n|<\?xml.*?>\n"
    r'| id="\w+" class="\w+"| (?:stroke|fill)="black"| font-\w+="[^"]*"'
)


def pipe(command: list[str], text: str) -> str:
    """Return what a command makes of a text."""
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def draw(rulegraph: str) -> str:
    """Return the picture of a rule graph, in colours for light and dark pages."""
    names = dict(re.findall(r'(\d+)\[label = "(\w+)"', rulegraph))
    pairs = [(names[a], names[b]) for a, b in re.findall(r"(\d+) -> (\d+)", rulegraph)]
    edges = "".join(f"{a} -> {b};" for a, b in pairs if b != "all")
    svg = pipe(["dot", *LAYOUT], pipe(["tred"], f"digraph {{{edges}}}"))
    svg = re.sub(LEFT_OUT, "", svg, flags=re.DOTALL)
    return re.sub(r"(<svg.*?>)", rf"\1\n<style>{STYLE}</style>", svg, count=1, flags=re.DOTALL)


if __name__ == "__main__":
    print(draw(sys.stdin.read()), end="")
