"""Fixtures of several modules."""

from http_server import server

__all__ = ["server"]
