// The queue by keyboard: j and k move along the rows' links, so that Enter and the focus ring are the browser's own;
// x and Space choose the row in focus, and b leads to what can be done with the chosen ones.
import { onKeys } from "./keys.js";

const links = () => [...document.querySelectorAll("[data-open]")];
const chosen = () => document.querySelectorAll(".choose:checked");

function move(step) {
  const all = links();
  if (!all.length) return;
  const at = all.indexOf(document.activeElement);
  const next = at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + step, 0), all.length - 1);
  all[next].focus();
  all[next].scrollIntoView({ block: "nearest" });
}

function choose() {
  const box = document.activeElement?.closest("[data-row]")?.querySelector(".choose");
  if (!box || document.activeElement === box) return false; // Space on a box is the browser's
  box.checked = !box.checked;
  count();
}

function count() {
  const number = document.querySelector("[data-chosen]");
  if (number) number.textContent = chosen().length;
}

/** On a narrow page the tabs are a strip that scrolls: the chosen one is in view. */
function showTab() {
  const tab = document.querySelector(".tabs [aria-current]");
  const strip = tab?.parentElement;
  if (strip) strip.scrollLeft += tab.getBoundingClientRect().left - strip.getBoundingClientRect().left - (strip.clientWidth - tab.offsetWidth) / 2;
}

showTab();
document.addEventListener("htmx:afterSettle", showTab);

document.addEventListener("change", (event) => {
  if (event.target.matches?.(".choose")) count();
});

// What was searched for: on to what was found.
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.detail.requestConfig?.elt.matches("[data-find]")) links()[0]?.focus();
});

onKeys({
  j: () => move(1),
  k: () => move(-1),
  x: choose,
  " ": choose,
  b: () => (chosen().length ? document.querySelector("#bulk button")?.focus() : false),
  "/": () => document.getElementById("find")?.focus(),
  Escape: () => {
    for (const box of chosen()) box.checked = false;
    count();
  },
  u: () => document.querySelector("form[data-undo]")?.requestSubmit(),
  Enter: () => {
    if (document.activeElement !== document.body) return false; // what is in focus knows what Enter does
    document.querySelector("form[data-next]")?.requestSubmit();
  },
});
