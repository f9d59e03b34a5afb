"""What a page says."""

import re
from html import unescape


def words_of(page):
    """The text of a page, without tags, styles and scripts."""
    html = page.read_text(encoding="utf-8")
    html = re.sub(r"<(style|script|svg).*?</\1>", " ", html, flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())
