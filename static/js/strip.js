// A strip is one tab stop: arrow keys, Home and End move between its cells.
const STEPS = { ArrowLeft: -1, ArrowRight: 1 };

document.addEventListener("keydown", (event) => {
  const cell = event.target.closest?.("[data-strip] a.cell");
  if (!cell || event.ctrlKey || event.metaKey || event.altKey) return;
  const cells = [...cell.closest("[data-strip]").querySelectorAll("a.cell")];
  const last = cells.length - 1;
  const at = cells.indexOf(cell);
  const next = { Home: 0, End: last }[event.key] ?? at + (STEPS[event.key] ?? 0);
  if (next === at || next < 0 || next > last) return;
  event.preventDefault();
  for (const other of cells) other.tabIndex = -1;
  cells[next].tabIndex = 0;
  cells[next].focus();
});
