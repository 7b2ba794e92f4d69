"""A figure is drawn from what was measured, says what it shows, and what is not there."""

from pathlib import Path

import pandas as pd
import pytest
from made_up_runs import data_of, figure_of, write_runs
from matplotlib import font_manager, get_data_path

from deepmt.report.figures.figure_files import KINDS, Drawn, make, write
from deepmt.report.figures.figure_points import as_points
from deepmt.report.figures.over_budget import looks_of

PAPERS = ("zhang2019", "wang2019", "bapna2018", "liu2020", "unified")


@pytest.mark.parametrize("key", PAPERS)
def test_every_figure_is_drawn_from_a_few_records(tmp_path: Path, key: str) -> None:
    write_runs(tmp_path / "toy", key, skip="post-6")
    found = data_of(key, tmp_path / "toy")
    for figure in found.paper.figures:
        if figure.draw is not None:
            write(make(figure, found), tmp_path / "figures")
            files = {path.name for path in (tmp_path / "figures").glob(f"{figure.id}.*")}
            assert f"{figure.id}.csv" in files
            assert (f"{figure.id}.svg" in files) == make(figure, found).shows


def test_a_figure_of_nothing_says_so_and_leaves_no_picture(tmp_path: Path) -> None:
    drawn = make(*figure_of("zhang2019.fig4", tmp_path / "toy"))
    assert (drawn.status, drawn.shows) == ("not-run", False)
    assert len(drawn.missing) == 8
    assert "Toy scale: nothing of this figure has been run." in drawn.label
    (tmp_path / "zhang2019.fig4.svg").write_text("of an earlier run")
    write(drawn, tmp_path)
    assert [path.name for path in tmp_path.glob("zhang2019*")] == ["zhang2019.fig4.csv"]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Drawn:
    """Zhang's Figure 3 of made-up records."""
    folder = tmp_path_factory.mktemp("drawn") / "toy"
    write_runs(folder, "zhang2019")
    figure, found = figure_of("zhang2019.fig3", folder)
    first, again = make(figure, found), make(figure, found)
    assert first.svg == again.svg, "the same points make the same bytes"
    return first


def test_a_figure_has_a_title_its_scale_and_no_date(drawn: Drawn) -> None:
    label = "Toy scale. A toy corpus. Not comparable with the paper's numbers."
    assert drawn.label == label
    assert label in drawn.svg
    assert "<title>Figure 3: test BLEU against model depth" in drawn.svg
    assert "<dc:date>" not in drawn.svg


def test_a_figure_of_no_paper_is_compared_with_none(tmp_path: Path) -> None:
    write_runs(tmp_path / "toy", "unified")
    drawn = make(*figure_of("unified.fig2", tmp_path / "toy"))
    assert drawn.shows
    assert drawn.label.startswith("Toy scale. A toy corpus.")
    assert "paper" not in drawn.label


def test_a_figure_of_one_place_in_each_panel_has_no_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_runs(tmp_path / "toy", "zhang2019")
    figure, found = figure_of("zhang2019.fig3", tmp_path / "toy")
    assert make(figure, found).shows
    kind = KINDS["score-by-depth"]
    points = list(kind(figure, found).gather())
    one = [point for point in points if point["x"] == points[0]["x"]]
    assert any(point.get("y") for point in one)
    monkeypatch.setattr(kind, "gather", lambda self: iter(one))
    assert not make(figure, found).shows


def test_a_colour_is_a_method_dashes_are_a_depth_and_dots_what_changes() -> None:
    plain, changed, shallow = looks_of(["12+12 new", "12+12 new, dropout 0.2", "3+3 new"]).values()
    assert plain["color"] == changed["color"] == shallow["color"]
    assert plain["linestyle"] == changed["linestyle"] != shallow["linestyle"]
    assert (plain["marker"], changed["marker"]) == ("", "o")


def test_points_are_written_as_measured_with_their_seeds(tmp_path: Path, drawn: Drawn) -> None:
    assert set(drawn.points[drawn.points.source == "ours"].seed) == {"1 2"}
    write(drawn, tmp_path / "figures")
    points = pd.read_csv(tmp_path / "figures/zhang2019.fig3.csv")
    assert list(points.y[:2]) == pytest.approx([56.15, 62.15])


def test_a_system_that_diverged_is_a_result_and_one_not_run_is_missing(tmp_path: Path) -> None:
    write_runs(
        tmp_path / "toy",
        "zhang2019",
        lost="post-saan-merged-ds_init-30",
        skip="post-saan-merged-ds_init-20",
    )
    found = make(*figure_of("zhang2019.fig3", tmp_path / "toy"))
    assert found.status == "partial"
    assert found.missing[0].endswith("DS-Init + MAtt at 20: no record yet")
    assert "diverged at update 90" in found.missing[1]
    assert found.label.endswith("Not run: 1 of 5 points.")


def test_gradients_are_relative_to_the_last_layer_and_variances_are_of_it(tmp_path: Path) -> None:
    lines = "system,stack,layer,quantity,ours,spread,seeds,layers\n"
    lines += "pre 60L,decoder,1,gradient_norm,6,0,1,60\npre 60L,decoder,60,gradient_norm,2,0,1,60\n"
    lines += "pre 6L,encoder,1,variance,5,0,1,6\npre 6L,encoder,6,variance,9,0,1,6\n"
    lines += "rezero 60L,encoder,60,gradient_norm,0,0,1,60\n"
    (tmp_path / "toy/probes").mkdir(parents=True)
    (tmp_path / "toy/probes/growth.csv").write_text(lines)
    figure, data = figure_of("unified.fig7", tmp_path / "toy")
    points = as_points(KINDS["growth-by-depth"](figure, data).gather())
    known = points[points.series == "pre-norm"].dropna(subset="y")
    assert [(point.x, point.y) for point in known.itertuples()] == [(6, 9), (1, 3), (60, 1)]
    [note] = points[(points.series == "ReZero") & (points.note != "")].note[:1]
    assert note == "no gradient yet"


def test_what_a_speed_file_holds_becomes_points(tmp_path: Path) -> None:
    lines = "paper,table,row,measure,ours,spread,rounds,note\n"
    lines += "wang2019,wang2019.fig4,ende-big-6l-pre,tokens_per_s,9,1,2,x\n"
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy/speed.csv").write_text(lines)
    figure, data = figure_of("wang2019.fig4", tmp_path / "toy")
    points = as_points(KINDS["speed-by-depth"](figure, data).gather())
    [big] = points[points.series == "Big-6L"].itertuples()
    assert (big.x, big.y, big.spread) == (6, 9, 1)
    assert set(points[points.series != "Big-6L"].note) == {"not measured: run the target speed"}


def test_a_figure_that_fails_is_a_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy/speed.csv").write_text("nothing,of,use\n")
    figure, data = figure_of("zhang2019.fig1", tmp_path / "toy")
    (tmp_path / "toy/probes").mkdir()
    (tmp_path / "toy/probes/fig1.csv").write_text("nothing,of,use\n")
    drawn = make(figure, data)
    assert drawn.status == "not-drawn"
    assert "could not be drawn: UserError" in drawn.label
    assert "fig1.csv is damaged" in drawn.label
    assert "Traceback" in capsys.readouterr().err
    write(drawn, tmp_path / "figures")


def test_letters_are_matplotlibs_own_whatever_the_system_has() -> None:
    found = Path(font_manager.findfont("DejaVu Sans"))
    assert found.is_relative_to(get_data_path())
