"use strict";
for (const run of document.querySelectorAll(".run")) {
  const steps = run.querySelectorAll("button.step");
  const now = run.querySelector(".now");
  let at = 0;
  const show = (to, move) => {
    at = Math.max(0, Math.min(steps.length - 1, to));
    for (const cell of run.querySelectorAll(".current")) cell.classList.remove("current");
    for (const cell of run.querySelectorAll(`[data-step="${at}"]`)) {
      if (cell.tagName !== "BUTTON") cell.classList.add("current");
    }
    for (const step of steps) step.removeAttribute("aria-current");
    steps[at].setAttribute("aria-current", "step");
    const name = steps[at].parentElement.textContent.trim().replace(/\s+/g, " ");
    now.textContent = `Step ${name} of ${steps.length - 1}`;
    if (move) steps[at].parentElement.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  steps.forEach((step, number) => step.addEventListener("click", () => show(number, false)));
  for (const button of run.querySelectorAll("button[data-go]")) {
    button.addEventListener("click", () => show(at + Number(button.dataset.go), true));
  }
  run.addEventListener("keydown", (event) => {
    if (!event.target.classList.contains("step")) return;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    show(at + by, true);
    steps[at].focus();
  });
  const table = run.querySelector("table.states");
  if (table) {
    const full = run.querySelector("button.full");
    full.addEventListener("click", () => {
      const all = table.classList.toggle("all");
      full.setAttribute("aria-pressed", String(all));
    });
    const heads = [...table.tHead.rows[0].cells].slice(1);
    const count = run.querySelector(".count");
    run.querySelector("input.filter").addEventListener("input", (event) => {
      const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      heads.forEach((head, number) => {
        const name = head.textContent.toLowerCase();
        const hidden = words.length > 0 && !words.some((word) => name.includes(word));
        if (!hidden) shown += 1;
        for (const row of table.rows) row.cells[number + 1].hidden = hidden;
      });
      count.textContent = `${shown} of ${heads.length} cells`;
    });
  }
}
const root = document.querySelector(".graph .node");
if (root) {
  const frame = root.closest(".scroll");
  frame.scrollLeft = root.getBoundingClientRect().x - frame.getBoundingClientRect().x - frame.clientWidth / 2;
}
for (const node of document.querySelectorAll(".node")) {
  const choose = () => {
    for (const other of document.querySelectorAll(".node.current")) other.classList.remove("current");
    node.classList.add("current");
    document.querySelector(".chosen").textContent = node.dataset.words;
  };
  node.addEventListener("click", choose);
  node.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose();
    }
  });
}
