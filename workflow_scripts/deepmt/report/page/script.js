"use strict";

// A click on a heading sorts every group of rows by that column: up, down, as printed.
const NEXT = { none: "ascending", ascending: "descending", descending: "none" };

function keyOf(row, heading) {
  // great_tables names in each cell the headings above it; other tables have one line of them.
  const cell = [...row.cells].find((each) => heading.id && each.headers.split(" ").includes(heading.id))
    ?? row.cells[heading.cellIndex];
  const number = cell.querySelector("[data-value], [data-published]")?.dataset;
  if (number) return Number(number.value ?? number.published);
  const text = cell.textContent.trim();
  return text === "–" ? "" : text;
}

function compare(a, b, sign) {
  // What is missing comes last either way, and words come after numbers.
  if (a === "" || b === "") return (a === "") - (b === "");
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  if (typeof a === "number") return sign * (a - b);
  return sign * a.localeCompare(b, "en", { numeric: true });
}

function groupsOf(table) {
  const groups = [[]];
  for (const row of table.tBodies[0].rows) {
    if (row.classList.contains("gt_group_heading_row")) groups.push([]);
    else groups.at(-1).push(row);
  }
  return groups.filter((group) => group.length > 0);
}

function sort(table, heading) {
  const order = NEXT[heading.getAttribute("aria-sort") ?? "none"];
  for (const other of table.tHead.querySelectorAll("[aria-sort]")) other.removeAttribute("aria-sort");
  if (order !== "none") heading.setAttribute("aria-sort", order);
  const sign = order === "descending" ? -1 : 1;
  for (const group of groupsOf(table)) {
    const end = group.at(-1).nextSibling;
    const keyed = group.map((row) => [order === "none" ? Number(row.dataset.place) : keyOf(row, heading), row]);
    keyed.sort(([a], [b]) => compare(a, b, sign));
    for (const [, row] of keyed) table.tBodies[0].insertBefore(row, end);
  }
}

for (const table of document.querySelectorAll("table.gt_table, table[data-sortable]")) {
  [...table.tBodies[0].rows].forEach((row, place) => { row.dataset.place = place; });
  for (const heading of table.tHead.querySelectorAll("th:not(.gt_column_spanner_outer)")) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => sort(table, heading));
    heading.append(button);
  }
}

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
