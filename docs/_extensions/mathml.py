"""Formulas as MathML, which browsers draw by themselves: no script, no network, readable aloud."""

import re

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml, pick_math_environment, wrap_math_code
from sphinx.util import logging

logger = logging.getLogger(__name__)
# MathML stretches brackets by itself.
SIZES = re.compile(r"\\(?:big|Big|bigg|Bigg)[lrm]?(?![a-zA-Z])")
LOG = re.compile(r"\\log +(?=[a-zA-Z])")  # TeX sets a thin space here


def _mathml(node: nodes.Element, block: bool) -> str:
    source = LOG.sub(r"\\log\\, ", SIZES.sub("", node.astext())).replace(r"\dots", r"\ldots")
    if block:
        environment = pick_math_environment(source).replace("*", "")
        if environment != "equation":
            source = wrap_math_code(source, as_block=True)
    try:
        return latex2mathml.tex2mathml(source, as_block=block)
    except MathError as error:
        logger.warning("a formula cannot be read: %s", error, location=node)
        return f"<code>{nodes.unescape(source)}</code>"


def visit_inline(self, node: nodes.math) -> None:
    self.body.append(_mathml(node, block=False))
    raise nodes.SkipNode


def visit_block(self, node: nodes.math_block) -> None:
    self.body.append(self.starttag(node, "div", CLASS="math-block"))
    self.body.append(_mathml(node, block=True))
    self.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
