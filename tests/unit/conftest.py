"""Fixtures of several modules."""

from emulated_tiles import build_folder, onednn, tiles, torch_alone
from http_server import server

__all__ = ["build_folder", "onednn", "server", "tiles", "torch_alone"]
