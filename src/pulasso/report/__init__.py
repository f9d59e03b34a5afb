"""One self-contained HTML page about a fitted model, for readers who never saw the code."""

from pulasso.report.build import write_report

__all__ = ["write_report"]
