// The queue by keyboard: j and k move along the rows' links, so that Enter and the focus ring are the browser's own.
import { onKeys } from "./keys.js";

const links = () => [...document.querySelectorAll("[data-open]")];

function move(step) {
  const all = links();
  if (!all.length) return;
  const at = all.indexOf(document.activeElement);
  const next = at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + step, 0), all.length - 1);
  all[next].focus();
  all[next].scrollIntoView({ block: "nearest" });
}

onKeys({
  j: () => move(1),
  k: () => move(-1),
  u: () => document.querySelector("form[data-undo]")?.requestSubmit(),
  Enter: () => {
    if (document.activeElement !== document.body) return false; // what is in focus knows what Enter does
    document.querySelector("form[data-next]")?.requestSubmit();
  },
});
