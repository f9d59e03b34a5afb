"""The page in a real browser: no complaints, sorting and the slider work, nothing is inaccessible."""

import html
import json
import re

import numpy as np
import pytest

PROBE = """<script>
const click = (element) => element.dispatchEvent(new MouseEvent("click", { bubbles: true }));
const column = (table, i) => [...table.tBodies[0].rows].map((row) => row.cells[i].textContent);
const table = [...document.querySelectorAll("#features table")][0];
const buttons = table.querySelectorAll("thead button");
const found = { buttons: buttons.length, before: column(table, 0) };
click(buttons[1]); found.ascending = column(table, 1);
found.sort = table.tHead.rows[0].cells[1].getAttribute("aria-sort");
click(buttons[1]); found.descending = column(table, 1);
click(buttons[0]); found.names = column(table, 0);
const slider = document.getElementById("lam-slider");
const selected = () => document.querySelector("#path-of-lams tbody").rows.length;
found.at_start = selected(); found.words = document.getElementById("lam-shown").textContent;
slider.value = 0; slider.dispatchEvent(new Event("input"));
found.at_largest = selected(); found.words_at_largest = document.getElementById("lam-shown").textContent;
const line = document.querySelector("#path-line-0 path");
const ends = line.getAttribute("d").match(/[\\d.]+/g).map(Number);
const chart = document.querySelector("#path-of-lams svg");
const box = chart.getBoundingClientRect();
const scale = box.width / chart.viewBox.baseVal.width;
const mark = document.getElementById("path-mark").getBoundingClientRect();
found.mark = Math.abs((mark.left + mark.right) / 2 - box.left - ends[0] * scale);
const where = { clientX: box.left + ends.at(-2) * scale, clientY: box.top + ends.at(-1) * scale, bubbles: true };
chart.dispatchEvent(new PointerEvent("pointermove", where));
found.pointed = document.querySelector(".pointed").textContent;
found.scripts = document.scripts.length;
found.wide = document.documentElement.scrollWidth <= window.innerWidth;
const out = document.createElement("pre"); out.id = "found"; out.textContent = JSON.stringify(found);
document.body.append(out);
</script>"""

AXE = """<script>
axe.run(document).then((result) => {
  const out = document.createElement("pre"); out.id = "found";
  out.textContent = JSON.stringify({ passes: result.passes.length, violations: result.violations.map(
    (each) => `${each.id}: ${each.nodes.map((node) => node.html).slice(0, 3).join(" ")}`) });
  document.body.append(out);
});
</script>"""


def with_script(page, script, folder):
    """Return a copy of the page that runs another script, too, which its policy would not allow."""
    text = page.read_text(encoding="utf-8")
    text = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", text)
    copy = folder / "probe.html"
    copy.write_text(text.replace("</body>", script + "</body>"), encoding="utf-8")
    return copy


def found_in(dom):
    return json.loads(html.unescape(re.search(r'<pre id="found">(.*?)</pre>', dom, re.DOTALL).group(1)))


def number(words):
    return float(words.replace("\u2212", "-"))


def test_the_page_runs_its_own_script_without_complaints(page, browser):
    dom, messages = browser(page)
    assert messages == []
    assert re.search(r'<th[^>]*scope="col"[^>]*><button', dom), "tables got their buttons"
    assert re.search(r'<div class="slider">', dom), "the slider is shown"


def test_sorting_slider_and_pointing(page, hostile, browser, tmp_path):
    model = hostile[0]
    dom, messages = browser(with_script(page, PROBE, tmp_path), "--window-size=500,900")
    found = found_in(dom)
    assert messages == []
    values = [number(cell) for cell in found["ascending"]]
    assert found["buttons"] == 5 and found["sort"] == "ascending"
    assert values == sorted(values) and [number(cell) for cell in found["descending"]] == values[::-1]
    assert sorted(found["names"]) == sorted(found["before"]) and len(values) == sum(model.coef_.any(axis=0))
    assert found["at_start"] == len(values) and "the penalty of this model" in found["words"]
    assert found["at_largest"] == 0 and ": 0 features selected" in found["words_at_largest"]
    assert found["mark"] < 2, "the mark went to the largest penalty, where lines begin"
    norms = np.asarray(model.path_.group_norms).max(axis=0)
    assert found["pointed"] == model.groups_.names[np.argmax(norms)]
    assert found["scripts"] == 3, "names with markup made no script"
    assert found["wide"], "a narrow window does not scroll sideways"


@pytest.mark.parametrize("scheme", ["light", "dark", "narrow"])
def test_axe_finds_no_violations(page, browser, axe, tmp_path, scheme):
    script = f"<script>{axe.replace('</script>', '<' + '/script>')}</script>{AXE}"
    flags = {"dark": ["--blink-settings=preferredColorScheme=0"], "narrow": ["--window-size=500,900"]}
    found = found_in(browser(with_script(page, script, tmp_path), *flags.get(scheme, []))[0])
    assert found["passes"] > 20 and found["violations"] == []


NARROW = """<script>
const found = { pictures: [...document.querySelectorAll(".picture")].map((box) =>
    [box.querySelector("svg").getBoundingClientRect().width, box.scrollWidth > box.clientWidth, box.tabIndex]) };
found.window = window.innerWidth;
found.captions = [...document.querySelectorAll("caption")].map((each) => each.getBoundingClientRect().right);
const out = document.createElement("pre"); out.id = "found"; out.textContent = JSON.stringify(found);
document.body.append(out);
</script>"""


def test_a_narrow_screen(page, browser, tmp_path):
    """Pictures keep a size that can be read and scroll, by keys too; captions are not cut."""
    found = found_in(browser(with_script(page, NARROW, tmp_path), "--window-size=500,900")[0])
    assert found["window"] < 640
    assert found["pictures"] and all(width >= 576 for width, _, _ in found["pictures"])
    assert all(scrolls and reached == 0 for _, scrolls, reached in found["pictures"])
    assert max(found["captions"]) <= found["window"]
    wide = found_in(browser(with_script(page, NARROW, tmp_path), "--window-size=1280,900")[0])
    assert all(not scrolls and reached == -1 for _, scrolls, reached in wide["pictures"])


def test_paper_has_column_heads_on_every_sheet_and_no_hints(page, on_paper, tmp_path):
    text = page.read_text(encoding="utf-8")
    start = text.index("<tbody>", text.index("Selected features, the strongest first")) + len("<tbody>")
    row = text[start : text.index("</tr>", start) + len("</tr>")]
    long = tmp_path / "long.html"
    long.write_text(text[:start] + 120 * row + text[start:], encoding="utf-8")
    sheets = on_paper(long)
    name = re.search(r"<th scope=\"row\">(.*?)</th>", row)[1]
    full = [sheet for sheet in sheets if sheet.count(html.unescape(name)) > 10]
    assert len(full) >= 2
    for sheet in full:
        assert "strength" in sheet, "the head of the table is on each of its sheets"
    assert [sheet for sheet in sheets if "Every line is one group" in sheet]
    assert "Move the slider" in text and "Point at a line" in text
    assert not [sheet for sheet in sheets if "Move the slider" in sheet or "Point at" in sheet]
