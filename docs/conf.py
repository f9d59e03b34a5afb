"""How sphinx builds this documentation: ``make docs``."""

import os
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "_extensions"), str(HERE.parent)]  # the latter for reproduction/
# The progress bars and counts of a build belong to nobody's machine in particular.
os.environ.setdefault("OMP_NUM_THREADS", "1")

from pulasso import __version__  # noqa: E402

project = "pulasso"
author = "The pulasso developers"
copyright = "2026, the pulasso developers"
version = release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "command_help",
    "drawn",
    "mathml",
    "myst_parser",
    "optional_file",
    "reproduced",
    "short_names",
]
exclude_patterns = ["_build", "_templates", "_extensions"]
source_suffix = {".rst": "restructuredtext"}  # Markdown is only included
templates_path = ["_templates"]
default_role = "code"  # `lam` in a docstring is a chunk of code
nitpicky = True
nitpick_ignore = [  # not documented here, but rightly named in docstrings
    ("py:class", "ConvergenceWarning"),
    ("py:class", "MomentLoss"),
    ("py:class", "Risk"),
    ("py:meth", "to_frame"),
    ("py:mod", "pulasso.prevalence.profile"),
]
html_math_renderer = "mathml"

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc's lists of parameters say it in words
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
toc_object_entries = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "pulasso"
html_static_path = ["_static"]
html_css_files = ["pulasso.css"]
html_favicon = "_static/mark.svg"
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "pulasso", "image_light": "_static/mark.svg", "image_dark": "_static/mark.svg"},
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "start": [], "scenario": [], "coming": []}

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"^(?!.*plot_).*\.py$",
    "within_subsection_order": "FileNameSortKey",
    "remove_config_comments": True,
    "download_all_examples": False,
    "plot_gallery": "True",
    "abort_on_example_error": False,
    "show_memory": False,
    "write_computation_times": False,
    "min_reported_time": 1,
    "reset_modules": ("matplotlib",),
    "image_scrapers": ("matplotlib",),
    "default_thumb_file": str(HERE / "_static" / "mark.svg"),
}
# The gallery's settings hold objects that sphinx cannot keep; included Markdown begins below the title of its page.
suppress_warnings = ["config.cache", "myst.header"]

warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")
