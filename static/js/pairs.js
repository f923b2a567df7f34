// A value and the words that support it: pointing at one marks both. Findings are jumped to in turn.
const ACTIVE = "is-active";

/** Mark pairs on the page until `signal`. */
export function pairs(signal) {
  let shown = "";
  let at = -1;
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
    const element = event.target instanceof Element ? event.target : null;
    const field = element?.closest("[data-field]");
    const mark = element?.closest("[data-for]");
    if (field) show(field.id);
    else if (mark) show(mark.dataset.for.split(" ")[0]);
  };
  const next = (event) => {
    if (!(event.target instanceof Element && event.target.closest("[data-findings]"))) return;
    const found = [...document.querySelectorAll(".has-findings")];
    if (!found.length) return;
    at = (at + 1) % found.length;
    found[at].closest("details")?.setAttribute("open", "");
    found[at].scrollIntoView({ block: "nearest" });
    show(found[at].id);
  };
  document.addEventListener("pointerover", over, { signal });
  document.addEventListener("focusin", over, { signal });
  document.addEventListener("click", next, { signal });
}
