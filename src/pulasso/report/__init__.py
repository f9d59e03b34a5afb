"""What a fitted model is, for others: an HTML page for readers who never saw the code, a card in Markdown."""

from pulasso.report.build import write_report
from pulasso.report.card import write_card

__all__ = ["write_card", "write_report"]
