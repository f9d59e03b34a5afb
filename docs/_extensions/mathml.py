"""Formulas as MathML, which browsers draw by themselves: no script, no network, readable aloud."""

import re

from docutils import nodes
from docutils.utils.math import MathError, latex2mathml, pick_math_environment, wrap_math_code
from sphinx.util import logging

logger = logging.getLogger(__name__)
# MathML stretches brackets by itself.
SIZES = re.compile(r"\\(?:big|Big|bigg|Bigg)[lrm]?(?![a-zA-Z])")
LOG = re.compile(r"\\log +(?=[a-zA-Z])")  # TeX sets a thin space here
# An index of a letter with a hat belongs beside it, not below.
HAT = re.compile(
    r'<munderover>\s*(<mi>\w+</mi>)\s*(<m(?:i|n)>\w+</m(?:i|n)>)\s*(<mo stretchy="false">ˆ</mo>)\s*</munderover>'
)
BRACE = re.compile(r"<mo>([{}])</mo>")  # written as \{ and \}, not by \left: does not grow


def _mathml(node: nodes.Element, block: bool) -> str:
    source = LOG.sub(r"\\log\\, ", SIZES.sub("", node.astext())).replace(r"\dots", r"\ldots")
    if block:
        environment = pick_math_environment(source).replace("*", "")
        if environment != "equation":
            source = wrap_math_code(source, as_block=True)
    try:
        text = latex2mathml.tex2mathml(source, as_block=block)
    except MathError as error:
        logger.warning("a formula cannot be read: %s", error, location=node)
        return f"<code>{nodes.unescape(source)}</code>"
    text = HAT.sub(r'<msub><mover accent="true">\1\3</mover>\2</msub>', text)
    return BRACE.sub(r'<mo stretchy="false">\1</mo>', text)


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
