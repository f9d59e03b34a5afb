"""The page itself: safe, self-contained, ordered, labelled, and readable in both colour schemes."""

import base64
import hashlib
import json
import re
from html import unescape
from html.parser import HTMLParser
from importlib.resources import files

import numpy as np
import pytest

from pulasso.plots.names import literals

STYLE = files("pulasso.report").joinpath("templates", "style.css").read_text(encoding="utf-8")
VOID = {"meta", "input", "br", "img", "link", "hr"}


class Page(HTMLParser):
    """Elements in order, with attributes, text and parents; complains about tags that do not match."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.elements, self.open = [], []
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        element = {"tag": tag, "attrs": dict(attrs), "text": "", "path": [each["tag"] for each in self.open]}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.elements.append({"tag": tag, "attrs": dict(attrs), "text": "", "path": []})

    def handle_endtag(self, tag):
        assert self.open and self.open[-1]["tag"] == tag, f"</{tag}> closes <{self.open[-1]['tag']}>"
        self.open.pop()

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def all(self, *tags):
        return [element for element in self.elements if element["tag"] in tags]


@pytest.fixture(scope="module")
def html(page):
    return page.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def parsed(html):
    return Page(html)


def test_names_stay_text(html, parsed):
    """Names with markup appear in tables, pictures, sentences and data, and never as markup."""
    assert html.count("<script") == 2 and "alert('x')</script>" not in html
    scripts = parsed.all("script")
    assert [each["attrs"].get("type") for each in scripts] == ["application/json", None]
    assert not parsed.all("b")
    text = " ".join(each["text"] for each in parsed.all("main"))
    assert "<script>alert('x')</script>" in text and "</script><b>\"&'$" in text
    features = json.loads(scripts[0]["text"])["features"]
    assert "<script>alert('x')</script>" in features and "</script><b>\"&'$" in features


def test_it_needs_nothing_from_anywhere(html, parsed):
    loads = [each for each in parsed.elements if {"src", "data", "action", "formaction"} & set(each["attrs"])]
    assert not loads and not parsed.all("link", "iframe", "object", "embed", "img", "base")
    links = [each["attrs"]["href"] for each in parsed.elements if each["attrs"].get("href")]
    assert links and all(link.startswith("#") for link in links)
    outside = set(re.findall(r"https?://[^\s\"'<)]+", html))
    assert outside <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}
    assert "@import" not in STYLE and "url(" not in STYLE


def test_only_its_own_script_may_run(parsed):
    policy = next(each["attrs"]["content"] for each in parsed.all("meta") if "http-equiv" in each["attrs"])
    script = parsed.all("script")[-1]["text"]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy and "default-src 'none'" in policy
    assert not [each for each in parsed.elements if any(name.startswith("on") for name in each["attrs"])]


def test_headings_landmarks_and_language(parsed):
    levels = [int(each["tag"][1]) for each in parsed.all("h1", "h2", "h3", "h4")]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after - before <= 1 for before, after in zip(levels, levels[1:], strict=False))
    assert parsed.all("html")[0]["attrs"]["lang"] == "en" and parsed.all("title")[0]["text"].strip()
    assert len(parsed.all("main")) == len(parsed.all("header")) == len(parsed.all("nav")) == 1
    for section in parsed.all("section"):
        assert section["attrs"]["aria-labelledby"].endswith("-title")


def test_ids_are_unique_and_references_lead_somewhere(parsed):
    ids = [each["attrs"]["id"] for each in parsed.elements if "id" in each["attrs"]]
    assert len(ids) == len(set(ids))
    for element in parsed.elements:
        for name in ("aria-labelledby", "aria-describedby", "for"):
            if name in element["attrs"]:
                assert element["attrs"][name] in ids
        target = element["attrs"].get("href", "")
        assert not target or target[1:] in ids
        clip = re.search(r"url\(#([^)]+)\)", str(element["attrs"]))
        assert clip is None or clip.group(1) in ids


def test_tables_pictures_and_controls_have_names(parsed):
    assert len(parsed.all("caption")) == len(parsed.all("table")) > 4
    for head in parsed.all("th"):
        assert head["attrs"]["scope"] in ("row", "col")
    outer = [each for each in parsed.all("svg") if "svg" not in each["path"]]
    assert outer and all(each["attrs"]["role"] == "img" and each["attrs"]["aria-label"] for each in outer)
    assert len(parsed.all("figcaption")) == len(parsed.all("figure"))
    labelled = {each["attrs"]["for"] for each in parsed.all("label")}
    assert {each["attrs"]["id"] for each in parsed.all("input")} == labelled
    for region in parsed.elements:
        if region["attrs"].get("class") == "scroll":
            assert region["attrs"]["tabindex"] == "0" and region["attrs"]["role"] == "region"


def test_the_slider_starts_at_the_model(parsed, hostile):
    model = hostile[0]
    data = json.loads(parsed.all("script")[0]["text"])
    at = int(parsed.all("input")[0]["attrs"]["value"])
    assert data["lams"][at] == pytest.approx(model.lam_, rel=1e-3)
    assert data["selected"][at] == sum(model.coef_.any(axis=0))
    assert len(data["coefs"]) == len(data["lams"]) == len(data["x"])


def test_lines_of_the_path_carry_their_names(html, hostile):
    """The largest are named beside their ends, because on paper nobody can point at a line."""
    chart = re.search(r'<div class="path" id="path-of-lams">.*?</svg>', html, re.S)[0]
    model = hostile[0]
    norms = np.asarray(model.path_.group_norms).max(axis=0)
    names = [model.groups_.names[j] for j in np.argsort(-norms)]
    titles = dict(re.findall(r'<g id="path-line-(\d)"><title>(.*?)</title>', chart))
    assert {int(i): unescape(name) for i, name in titles.items()} == dict(enumerate(names))
    written = [unescape(words) for words in re.findall(r"<text[^>]*>(.*?)</text>", chart)]
    short = {name.replace(r"\$", "$") for name in literals(names[:7])}
    assert short <= set(written) and names[7] not in written


# -- contrast, computed from the style sheet -----------------------------------------------------------------------


def luminance(color):
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first, second):
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


THEMES = [
    dict(re.findall(r"(--[\w-]+): (#[0-9a-f]{6})", part))
    for part in re.findall(r":root \{(.*?)\}", STYLE, re.S)
]


@pytest.mark.parametrize("theme", THEMES, ids=["light", "dark", "print"])
def test_contrast(theme):
    paper = theme["--paper"]
    for name in ("--ink", "--quiet", "--link"):
        for background in (paper, theme["--stripe"]):
            assert contrast(theme[name], background) >= 4.5, name
    assert contrast(theme["--ink"], theme["--notice"]) >= 4.5
    for i in (0, 1, 2):  # lines are graphics: 3 to 1; paler ones also differ in dashes and carry names
        assert contrast(theme[f"--c{i}"], paper) >= 3
