// A value and the words that support it: pointing at one marks both. Findings and doubts are jumped to in turn.
import { showStep } from "./fields.js";
import { onKeys } from "./keys.js";
import { boxOf, doubted, showFields } from "./values.js";

const ACTIVE = "is-active";

/** Mark pairs on the page until `signal`. */
export function pairs(signal) {
  let shown = "";
  let at; // where the last jump led
  let pointer = ""; // where the mouse is
  let resting = ""; // where it was when a key moved on: what is scrolled under it there is not pointed at
  const show = (id) => {
    if (id === shown) return;
    shown = id;
    for (const old of document.querySelectorAll(`.${ACTIVE}`)) old.classList.remove(ACTIVE);
    const field = id && document.getElementById(id);
    if (!field) return;
    field.classList.add(ACTIVE);
    for (const mark of document.querySelectorAll(`[data-for~="${CSS.escape(id)}"]`)) {
      mark.classList.add(ACTIVE);
      mark.closest("li").classList.add(ACTIVE);
    }
  };
  const over = (event) => {
    if (event.type === "focusin") resting = pointer;
    else if (place(event) === resting) return;
    const element = event.target instanceof Element ? event.target : null;
    const field = element?.closest("[data-field]");
    const mark = element?.closest("[data-for]");
    if (field) show(field.id);
    else if (mark) show(mark.dataset.for.split(" ")[0]);
  };
  const next = () => {
    showFields();
    const found = doubted();
    if (!found.length) return false;
    const here = document.activeElement?.closest("[data-field]");
    at = found[(found.indexOf(found.includes(here) ? here : at) + 1) % found.length];
    at.closest("details")?.setAttribute("open", "");
    showStep("step-record");
    focus(at);
    show(at.id);
  };
  document.addEventListener("pointermove", (event) => (pointer = place(event)), { signal });
  document.addEventListener("pointerover", over, { signal });
  document.addEventListener("focusin", over, { signal });
  document.addEventListener("click", (event) => event.target.closest?.("[data-findings]") && next(), { signal });
  onKeys({ f: next }, signal);
}

const place = (event) => `${event.screenX} ${event.screenY}`;

/** On what opens it, so that it is what `e` opens; a value that cannot be corrected has the focus itself. */
function focus(value) {
  const box = boxOf(value);
  if (!box) value.tabIndex = -1;
  (box ?? value).focus({ preventScroll: true });
  value.scrollIntoView({ block: "nearest" });
}
