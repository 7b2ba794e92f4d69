"""Fixtures of several modules."""

from emulated_tiles import build_folder, multiplied
from http_server import server

__all__ = ["build_folder", "multiplied", "server"]
