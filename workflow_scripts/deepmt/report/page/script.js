"use strict";

// A click on a number of ours shows its entry under Records, without scrolling there.
const dialog = document.querySelector("dialog");

function show(link) {
  const origin = document.getElementById(decodeURIComponent(link.hash.slice(1)));
  const place = document.createComment("");
  const line = origin.querySelector(`[data-line="${CSS.escape(link.dataset.cell)}"]`);
  const command = origin.querySelector(".explain");
  const first = command.textContent;
  command.textContent = link.dataset.cell;
  line.dataset.picked = "";
  origin.replaceWith(place);
  dialog.append(origin);
  dialog.showModal();
  dialog.scrollTop = 0;
  dialog.addEventListener("close", () => {
    command.textContent = first;
    delete line.dataset.picked;
    place.replaceWith(origin);
  }, { once: true });
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a.ours");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  show(link);
});

dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close();
});

// A table can be copied, and a ranking sorted by a column; neither is offered without scripts.
function button(text, label, act) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.setAttribute("aria-label", label);
  made.addEventListener("click", () => act(made));
  return made;
}

// The texts of a table; one that spans several rows, or columns of the head, is repeated.
function grid(table) {
  const rows = [...table.rows].filter((row) => !row.matches(".evidence"));
  const lines = rows.map(() => []);
  rows.forEach((row, y) => {
    let x = 0;
    for (const cell of row.cells) {
      while (lines[y][x] !== undefined) x += 1;
      const text = cell.innerText.replace(/\s+/g, " ").trim();
      for (let down = 0; down < cell.rowSpan; down += 1) {
        for (let right = 0; right < cell.colSpan; right += 1) {
          if (lines[y + down]) lines[y + down][x + right] = right && row.closest("tbody") ? "" : text;
        }
      }
    }
  });
  return lines.map((line) => [...line].map((text) => text ?? ""));
}

const csv = (lines) => lines.map((line) => line
  .map((text) => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(",")).join("\n");

const LATEX = { "\\": "\\textbackslash{}", "^": "\\^{}", "~": "\\~{}", "±": "$\\pm$", "–": "--" };
const latex = (lines) => [
  `\\begin{tabular}{${"l".repeat(lines[0].length)}}`,
  ...lines.map((line) => `${line
    .map((text) => text.replace(/[\\^~±–&%$#_{}]/g, (one) => LATEX[one] ?? `\\${one}`)).join(" & ")} \\\\`),
  "\\end{tabular}",
].join("\n");

for (const table of document.querySelectorAll("main .box > table:has(thead)")) {
  const row = document.createElement("p");
  row.className = "copy";
  for (const [text, form] of [["CSV", csv], ["LaTeX", latex]]) {
    row.append(button(text, `Copy the table as ${text}`, async (made) => {
      await navigator.clipboard.writeText(form(grid(table)));
      made.textContent = "copied";
      setTimeout(() => { made.textContent = text; }, 1500);
    }));
  }
  table.parentElement.after(row);
}

for (const head of document.querySelectorAll(".ranking thead th")) {
  const text = head.textContent;
  if (head.closest("table").querySelector(`tbody td:nth-child(${head.cellIndex + 1}) > svg`)) continue;
  head.replaceChildren(button(text, `Sort by ${text}`, () => {
    const table = head.closest("table");
    const up = head.getAttribute("aria-sort") !== "ascending";
    const value = (row) => row.cells[head.cellIndex]?.innerText.trim() ?? "";
    const order = (one, other) => {
      const [a, b] = [one, other].map((row) => parseFloat(value(row)));
      if (Number.isNaN(a) !== Number.isNaN(b)) return Number.isNaN(a) ? 1 : -1;
      return (up ? 1 : -1) * (a - b || value(one).localeCompare(value(other)));
    };
    table.querySelectorAll("[aria-sort]").forEach((each) => each.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    for (const body of table.tBodies) {
      body.append(...[...body.rows].filter((row) => row.cells.length > 1).sort(order));
    }
  }));
}
