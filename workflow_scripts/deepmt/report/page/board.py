"""Show the boards of results and records: a headline, and a grid of methods by depth."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from deepmt.report.figures.findings import listed
from deepmt.results.boards import Board, Outcome, Tile

HOW_MANY: dict[str, tuple[Outcome, ...]] = {
    "every seed": ("trained",),
    "some seeds": ("partly",),
    "no seed": ("learned-nothing", "failed"),
}
WIDTH, HEIGHT = 100, 24
"""Size of a sparkline, in units of its view box."""


@dataclass(frozen=True, kw_only=True)
class BoardView:
    """Arrange the tiles of a board."""

    board: Board

    @cached_property
    def depths(self) -> list[tuple[int, int]]:
        """Return the columns, from shallow to deep."""
        return sorted(
            {tile.depth for tile in self.board.tiles}, key=lambda depth: (sum(depth), depth)
        )

    @cached_property
    def methods(self) -> list[str]:
        """Return the rows, in the order of the table."""
        return list(dict.fromkeys(tile.method for tile in self.board.tiles))

    def tile(self, method: str, depth: tuple[int, int]) -> Tile | None:
        """Return the tile of a row and column, or None."""
        found = (t for t in self.board.tiles if (t.method, t.depth) == (method, depth))
        return next(found, None)

    def headline(self) -> str:
        """Return how many methods train at the greatest depth of most methods, and which."""
        counts = {depth: sum(t.depth == depth for t in self.board.tiles) for depth in self.depths}
        most = max(counts.values())
        deepest = max(
            (depth for depth in self.depths if 2 * counts[depth] > most), key=lambda d: (sum(d), d)
        )
        here = [tile for tile in self.board.tiles if tile.depth == deepest]
        texts = []
        for words, outcomes in HOW_MANY.items():
            own = [_with_seeds(tile) for tile in here if tile.outcome in outcomes]
            texts += [f"{len(own)} train with {words} ({', '.join(own)})"] if own else []
        kinds = "method" if len(here) == 1 else "methods"
        return f"Of {len(here)} {kinds} with {layers(deepest)} layers, {listed(texts)}."

    @cached_property
    def _range(self) -> tuple[float, float, int]:
        points = [point for tile in self.board.tiles for point in tile.loss]
        losses = [loss for _, loss in points if math.isfinite(loss)]
        return min(losses), max(losses), max(update for update, _ in points)

    def sparkline(self, tile: Tile) -> str:
        """Return the points of a training curve; all tiles of a board share the axes."""
        low, high, last = self._range
        return " ".join(
            f"{WIDTH * update / last:.1f},{HEIGHT * (high - loss) / ((high - low) or 1):.1f}"
            for update, loss in tile.loss
            if math.isfinite(loss)
        )


def views(boards: Sequence[Board]) -> list[BoardView]:
    """Return the views of all boards that have tiles."""
    return [BoardView(board=board) for board in boards if board.tiles]


def layers(depth: tuple[int, int]) -> str:
    """Return layers of encoder and decoder as in 12+12."""
    return "{}+{}".format(*depth)


def tile_words(tile: Tile) -> str:
    """Return the outcome of a tile in words."""
    if tile.outcome == "trained":
        return f"{tile.seeds} of {tile.seeds} seeds" if tile.seeds > 1 else "1 seed"
    if tile.outcome == "learned-nothing" and "collapsed" not in tile.note:
        return f"learned nothing: {tile.note}"
    return tile.note or f"{tile.trained} of {tile.seeds} seeds"


def _with_seeds(tile: Tile) -> str:
    share = f" {tile.trained} of {tile.seeds}" if tile.outcome == "partly" else ""
    return f"{tile.method}{share}"
