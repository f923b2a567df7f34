// A prompt's text with its placeholders marked: a copy behind the textarea, which grows with what is typed. What the
// server found wrong (#checks) is marked too, comes into view at a click, and is mended at another.
const PLACEHOLDER = /<<([A-Z][A-Z0-9_]*)>>/g;
const areas = new Map();

function classOf(found) {
  return found[1].endsWith("_REVIEW") ? "hole hole--review" : "hole";
}

/** Stretches to mark, in the text's order: good placeholders, and faults, which go before them. */
function marks(text, faults) {
  const good = [...text.matchAll(PLACEHOLDER)].map((found) => ({
    start: found.index,
    end: found.index + found[0].length,
    name: classOf(found),
  }));
  const bad = faults.map((fault) => ({ ...fault, name: "hole hole--bad" }));
  const free = good.filter((one) => bad.every((fault) => one.end <= fault.start || one.start >= fault.end));
  return [...free, ...bad].sort((one, other) => one.start - other.start);
}

function draw(pre, text, faults) {
  pre.replaceChildren();
  let end = 0;
  for (const found of marks(text, faults)) {
    if (found.start < end) continue;
    pre.append(text.slice(end, found.start));
    const mark = document.createElement("span");
    mark.className = found.name;
    mark.textContent = text.slice(found.start, found.end);
    pre.append(mark);
    end = found.end;
  }
  pre.append(`${text.slice(end)}\n`);
}

/** The faults that the server told of one field, where the text is still the one that it read. */
function faultsOf(name, text) {
  return [...document.querySelectorAll(`[data-fault="${name}"]`)]
    .map((one) => ({ start: Number(one.dataset.start), end: Number(one.dataset.end), whole: one.querySelector("code").textContent }))
    .filter((fault) => text.slice(fault.start, fault.end) === fault.whole);
}

function redraw(area) {
  draw(areas.get(area), area.value, faultsOf(area.name, area.value));
}

function put(area, text, start, end) {
  area.focus();
  area.setRangeText(text, start, end, "end");
  area.dispatchEvent(new Event("input", { bubbles: true }));
}

for (const editor of document.querySelectorAll("[data-editor]")) {
  const area = editor.querySelector("textarea");
  areas.set(area, editor.querySelector("pre"));
  area.addEventListener("input", () => redraw(area));
  redraw(area);
}

document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id === "checks" || event.detail.target?.id === "checks") areas.forEach((_pre, area) => redraw(area));
});

document.addEventListener("click", (event) => {
  const fault = event.target.closest("[data-fault]");
  const go = event.target.closest("[data-go]");
  const mend = event.target.closest("[data-mend]");
  const append = event.target.closest("[data-append]");
  if (fault && (go || mend)) {
    const area = document.querySelector(`[data-editor] textarea[name="${fault.dataset.fault}"]`);
    const [start, end] = [Number(fault.dataset.start), Number(fault.dataset.end)];
    if (area.value.slice(start, end) !== fault.querySelector("code").textContent) return; // typed on since
    if (mend) put(area, mend.dataset.mend, start, end);
    area.focus();
    if (go) area.setSelectionRange(start, end);
  }
  if (append) {
    const area = document.querySelector('[data-editor] textarea[name="user"]');
    put(area, `\n\n${append.dataset.append}`, area.value.length, area.value.length);
  }
});

// What was refused comes into view, ready to be mended.
const refused = document.querySelector("[data-editor] [aria-invalid=true]");
if (refused) {
  refused.focus({ preventScroll: true });
  document.getElementById(`${refused.id}_error`)?.scrollIntoView({ block: "center" });
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.target.closest("form")?.requestSubmit();
});
