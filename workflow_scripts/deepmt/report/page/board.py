"""Show the boards of results and records: a headline, and a grid of methods by depth."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from deepmt.report.boards import Board, Outcome, Tile

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
    def methods(self) -> list[str]:
        """Return the rows, in the order of the table."""
        return list(dict.fromkeys(tile.method for tile in self.board.tiles))

    def tiles_of(self, method: str) -> list[Tile | None]:
        """Return the shallow and the deep tile of a row; None where there is none."""
        own = {tile.deep: tile for tile in self.board.tiles if tile.method == method}
        return [own.get(False), own.get(True)]

    def headline(self) -> str:
        """Return how many of the deepest systems train with every, some or no seed, and which."""
        counts = Counter(tile.depth for tile in self.board.tiles)
        usual = [depth for depth, count in counts.items() if 2 * count > max(counts.values()) / 2]
        deepest = max(usual, key=sum)
        here = [tile for tile in self.board.tiles if tile.depth == deepest]
        texts = []
        for words, outcomes in HOW_MANY.items():
            own = [_with_seeds(tile) for tile in here if tile.outcome in outcomes]
            verb = "trains" if len(own) == 1 else "train"
            texts += [f"{len(own)} {verb} with {words} ({', '.join(own)})"] if own else []
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
    seeds = f"{tile.trained} of {tile.seeds} seeds train" if tile.seeds > 1 else "1 seed"
    if tile.outcome == "trained":
        return seeds
    return f"{seeds}; {tile.note}" if tile.outcome == "partly" else tile.note


def listed(parts: Iterable[str]) -> str:
    """Join distinct words as in a sentence: "a, b and c"."""
    *some, last = dict.fromkeys(parts) or [""]
    return f"{', '.join(some)} and {last}" if some else last


def _with_seeds(tile: Tile) -> str:
    share = f" {tile.trained} of {tile.seeds}" if tile.outcome == "partly" else ""
    return f"{tile.method}{share}"
