"""Self-contained pages: the tables of a paper, and the report over all papers."""

from deepmt.report.page.chapters import Chapter
from deepmt.report.page.render import paper_page, report_page

__all__ = ["Chapter", "paper_page", "report_page"]
