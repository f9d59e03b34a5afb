"use strict";
(() => {
  // Tables: a button in every head, which sorts by its column and turns round on the next click.
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    const number = Number(cell.dataset.value);
    return cell.dataset.value !== undefined && !Number.isNaN(number) ? number : cell.textContent.trim();
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
  const sortBy = (table, column) => {
    const heads = [...table.tHead.rows[0].cells];
    const descending = heads[column].getAttribute("aria-sort") === "ascending";
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    heads[column].setAttribute("aria-sort", descending ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = [...body.rows].sort((a, b) => compare(valueOf(a, column), valueOf(b, column)));
    body.append(...(descending ? rows.reverse() : rows));
  };
  document.querySelectorAll("table.sortable").forEach((table) => {
    if (table.tBodies[0].rows.length < 2) return;
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      button.title = "Sort by this column";
      head.replaceChildren(button);
      button.addEventListener("click", () => sortBy(table, column));
    });
  });

  // Pictures that are wider than a narrow screen scroll by keys as well.
  const reach = () =>
    document.querySelectorAll(".picture").forEach((box) => {
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    });
  window.addEventListener("resize", reach);
  reach();

  // The path: a slider over lam moves the mark and fills the table; pointing at a line shows its name.
  const source = document.getElementById("path-data");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const root = document.getElementById("path-of-lams");
  const slider = document.getElementById("lam-slider");
  const shown = document.getElementById("lam-shown");
  const body = root.querySelector("tbody");
  const mark = document.getElementById("path-mark");
  const note = root.querySelector(".scroll + .small:not(.pointed)");
  const start = Number(slider.value);
  const write = (value) => (value === 0 ? "" : String(Number(value.toPrecision(3))).replace("-", "\u2212"));
  const makeRow = (name, values) => {
    const row = document.createElement("tr");
    const head = document.createElement("th");
    head.scope = "row";
    head.textContent = name;
    row.append(head);
    values.forEach((value) => {
      const cell = row.insertCell();
      cell.className = "number";
      cell.textContent = write(value);
    });
    return row;
  };
  const size = (values) => Math.hypot(...values);
  const update = () => {
    const at = Number(slider.value);
    const found = data.coefs[at]
      .map((values, i) => ({ name: data.features[i], values, size: size(values) }))
      .filter((each) => each.size > 0)
      .sort((a, b) => b.size - a.size);
    body.replaceChildren(...found.slice(0, data.rows).map((each) => makeRow(each.name, each.values)));
    const n = data.selected[at];
    const lam = `lam = ${String(Number(data.lams[at].toPrecision(3)))}`;
    shown.textContent = `${lam}: ${n} ${n === 1 ? "feature" : "features"} selected` + (at === start ? ", the penalty of this model" : "");
    slider.setAttribute("aria-valuetext", shown.textContent);
    if (note) note.textContent = n > data.rows ? `and ${n - data.rows} weaker ones` : "";
    mark.setAttribute("transform", `translate(${data.x[at] - data.x[start]} 0)`);
  };
  root.querySelector(".slider").hidden = false;
  slider.addEventListener("input", update);
  update();

  const pointed = root.querySelector(".pointed");
  const chart = root.querySelector("svg");
  const lines = [...chart.querySelectorAll("[id^='path-line-']")];
  const pointsOf = (line) => [...line.querySelector("path").getAttribute("d").matchAll(/([\d.]+) ([\d.]+)/g)];
  const points = new Map(lines.map((line) => [line, pointsOf(line).map(([, x, y]) => [Number(x), Number(y)])]));
  const nearest = (event) => {
    const box = chart.getBoundingClientRect();
    const scale = chart.viewBox.baseVal.width / box.width;
    const x = (event.clientX - box.left) * scale;
    const y = (event.clientY - box.top) * scale;
    let best = null;
    let least = 14;
    lines.forEach((line) => {
      points.get(line).forEach(([a, b]) => {
        const away = Math.abs(a - x) + Math.abs(b - y);
        if (away < least) { least = away; best = line; }
      });
    });
    return best;
  };
  chart.addEventListener("pointermove", (event) => {
    const best = nearest(event);
    lines.forEach((line) => line.classList.toggle("on", line === best));
    pointed.hidden = best === null;
    pointed.textContent = best ? best.querySelector("title").textContent : "";
  });
  chart.addEventListener("pointerleave", () => {
    lines.forEach((line) => line.classList.remove("on"));
    pointed.hidden = true;
  });
})();
