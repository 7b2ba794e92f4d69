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
