"""Write all results of a scale: cells, tables, figures, claims and the report."""

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from deepmt.base.files import write_text
from deepmt.base.printable import printable, say
from deepmt.judge.cells import Cell, all_cells
from deepmt.judge.claim import JudgedClaim, judge_claim
from deepmt.judge.evidence import gather_evidence
from deepmt.judge.ranking import printed_bleu, rank, recorded_ranking
from deepmt.judge.significance import compare_rows
from deepmt.measured.encoded_corpora import EncodedSplit, read_datasets
from deepmt.measured.table import gather
from deepmt.report.answer_in_words import headline
from deepmt.report.answer_in_words import printed as against_print
from deepmt.report.example_sentences import SHOWN, example_sentences
from deepmt.report.figures.figure_data import FigureData
from deepmt.report.figures.figure_files import make, write
from deepmt.report.latex import latex
from deepmt.report.markdown import markdown
from deepmt.report.page.chapters import Chapter, checks_of
from deepmt.report.page.render import report_page
from deepmt.report.rendered_tables import render_tables
from deepmt.settings.csv_lines import write_lines
from deepmt.study.plan import Plan


def write_results(plan: Plan, root: Path, results: Path, datasets: Iterable[str] = ()) -> str:
    """Read every record and measurement once, and write everything that shows them.

    `results` is results/<scale>, or results/<scale>-records for those of records/ alone. `datasets`
    are described where they are encoded. Refused records are printed. Return the headline.
    """
    built = read_datasets(root / "data", datasets)
    write_lines(EncodedSplit, built, results / "corpora.csv")
    known = gather(plan, root, results)
    for refusal in (*known.refusals, *known.refused_curves):
        say(f"refused: {refusal.message}")
    cells = all_cells(plan.reported, known)
    chapters = []
    for paper in plan.reported:
        tested = {table.id: compare_rows(table, known, results, root) for table in paper.tables}
        evidence = gather_evidence(paper, cells, known, tested)
        data = FigureData(paper=paper, results=known, folder=results, root=root)
        chapters.append(
            Chapter(
                paper=paper,
                tables=render_tables(paper, cells, known, tested),
                drawings=[make(figure, data) for figure in paper.figures if figure.draw],
                claims=[judge_claim(claim, paper, evidence) for claim in paper.claims],
                checks={claim.id: checks_of(claim, evidence) for claim in paper.claims},
            )
        )
    ranking, board, examples, opening = None, None, [], None
    for paper in plan.reported:
        if not paper.board:
            continue
        ranking = rank(paper, known, cells, root, printed_bleu(plan.papers))
        examples = example_sentences(paper.tables[0].rows, known, root, SHOWN)
        if plan.scale.begins_with:
            opening = import_module(plan.scale.begins_with).opening(paper, known, built, root)
        elif paper.board.scale != plan.scale.name:
            board = recorded_ranking(root, paper.board.scale)
            for message in board.refusals:
                say(f"refused: {message}")

    write_lines(Cell, cells, results / "cells.csv")
    claims = [claim for chapter in chapters for claim in chapter.claims]
    write_lines(JudgedClaim, claims, results / "claims.csv")
    for chapter in chapters:
        for drawing in chapter.drawings:
            write(drawing, results / "figures")
        paper, tables = chapter.paper, chapter.tables
        path = results / "tables" / paper.key
        write_text(path.with_suffix(".md"), markdown(paper, tables, known.scale_note))
        write_text(path.with_suffix(".tex"), latex(paper, tables, known.scale_note))
    seed = against_print(plan.reported, cells)
    page = report_page(chapters, known, results, built, ranking, board, examples, opening, seed)
    write_text(results / "report.html", page)
    said = [headline(ranking)] if ranking and (ranking.systems or ranking.unranked) else []
    said += filter(None, [seed])
    lines = "".join(f"{printable(one)}\n" for one in said)
    write_text(results / "headline.txt", lines)
    return lines
