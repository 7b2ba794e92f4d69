# What the rules of figures.smk ask for their inputs.
DRAWN = {key: figure for key, (_, figure) in FIGURES.items() if figure.draw is not None}
FIGURE_FILES = [f"{RESULTS}/figures/{key}.json" for key in DRAWN]
"""What every figure shows; its picture and points lie beside it."""


def courses_of_figure(wildcards):
    """What happened while its seeds trained, for those that are trained here."""
    if not DRAWN[wildcards.figure].draw.courses:
        return []
    folders = [Path(path).parent for path in records_of_figure(wildcards)]
    here = [
        folder
        for folder in folders
        if folder.parts[-2] in PLAN.runs or (folder / "outcome.json").exists()
    ]
    return [str(folder / "course.json") for folder in here]


def measured_for_figure(wildcards):
    """Files of probes and speeds that are there, and its breakdown if it can be made."""
    names = DRAWN[wildcards.figure].draw.files
    paths = [f"{RESULTS}/{name.format(figure=wildcards.figure)}" for name in names]
    makeable = wildcards.figure in BROKEN_DOWN and translated(wildcards)
    return [path for path in paths if makeable or Path(path).exists()]


def translated(wildcards):
    """Whether every record of a figure has its translation and text, or will have them."""
    found = records_of_figure(wildcards)
    return bool(found) and all(map(has_translation, found))


def has_translation(record):
    """Whether a translation and the text that it was trained on are at hand, or will be."""
    folder = Path(record).parent
    encoding = PLAN.every_run[folder.parts[-2]].encoding
    texts = [
        folder / "hyp.test.tok.txt",
        Path(f"data/encoded/{encoding}/manifest.json"),
    ]
    return not Path(record).exists() or all(path.exists() for path in texts)
