// A prompt's text with its placeholders marked: a copy behind the textarea, which grows with what is typed.
const PLACEHOLDER = /<<([A-Z][A-Z0-9_]*)>>/g;

function draw(pre, text) {
  pre.replaceChildren();
  let end = 0;
  for (const found of text.matchAll(PLACEHOLDER)) {
    pre.append(text.slice(end, found.index));
    const mark = document.createElement("span");
    mark.className = found[1].endsWith("_REVIEW") ? "hole hole--review" : "hole";
    mark.textContent = found[0];
    pre.append(mark);
    end = found.index + found[0].length;
  }
  pre.append(`${text.slice(end)}\n`);
}

for (const editor of document.querySelectorAll("[data-editor]")) {
  const pre = editor.querySelector("pre");
  const area = editor.querySelector("textarea");
  const redraw = () => draw(pre, area.value);
  area.addEventListener("input", redraw);
  redraw();
}

// What was refused comes into view, ready to be mended.
const refused = document.querySelector("[data-editor] [aria-invalid=true]");
if (refused) {
  refused.focus({ preventScroll: true });
  document.getElementById(`${refused.id}_error`)?.scrollIntoView({ block: "center" });
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) event.target.closest("form")?.requestSubmit();
});
