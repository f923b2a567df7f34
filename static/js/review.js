// The pages of a run: the keys, the form with what is kept of it, the claim that is kept alive.
import { corrections } from "./corrections.js";
import { start, submit } from "./desk.js";
import { enter, fieldKeys, showStep } from "./fields.js";
import { isTyping, onKeys } from "./keys.js";
import { pairs } from "./pairs.js";
import { recordTabs } from "./record.js";
import { saving } from "./saving.js";
import { tokens } from "./tokens.js";
import { folded, turn } from "./values.js";

const HEARTBEAT = 60_000;

start(open);

/** Wire what is shown, until `signal`; answers what keeps its form, if it has one. */
function open(signal) {
  const form = document.querySelector("[data-review]");
  pairs(signal);
  recordTabs(signal);
  steer(signal);
  keepClaim(signal);
  if (form) return fill(form, signal);
  onKeys({ "Ctrl+Enter": goOn }, signal);
}

/** To the next run from one without a form; not from within a text that is typed here. */
function goOn(event) {
  if (isTyping(event.target)) return false;
  document.querySelector("form[data-claims]")?.requestSubmit();
}

function fill(form, signal) {
  const names = tokens(form.querySelector("[data-tokens]"), form);
  const subcategory = document.getElementById("subcategory");
  const mark = () => subcategory?.classList.toggle("is-corrected", subcategory.value !== subcategory.dataset.was);
  const missing = form.querySelector("[data-error=decision]");
  corrections(form, signal); // before what was typed is filled in again
  const saves = saving(form, names, signal);
  form.addEventListener("change", (event) => {
    if (event.target.name === "decision") missing.hidden = true;
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    names.take();
    if (form.querySelector("[name=decision]:checked")) return void submit(form);
    missing.hidden = false;
    enter(form.querySelector("[name=decision]").closest("fieldset"));
  });
  subcategory?.addEventListener("change", mark);
  mark();
  count(form.querySelector("#notes"), form.querySelector("[data-counter]"));
  fieldKeys(form, names, signal);
  return saves;
}

function count(area, counter) {
  const limit = Number(area.dataset.limit);
  const words = counter.textContent;
  const [was] = words.match(/\d+/) ?? ["0"];
  const tell = () => {
    const length = [...area.value].length;
    counter.textContent = words.replace(was, String(length));
    counter.classList.toggle("state--failed", length > limit);
  };
  area.addEventListener("input", tell);
  tell();
}

function steer(signal) {
  const follow = (selector) => () => document.querySelector(selector)?.click();
  onKeys(
    {
      j: follow("[data-following]"),
      k: follow("[data-previous]"),
      u: () => document.querySelector("form[data-undo]")?.requestSubmit(),
      o: () => folded() && (showStep("step-record"), turn(folded())),
    },
    signal,
  );
}

function keepClaim(signal) {
  const beat = () => {
    const claim = document.querySelector("[data-heartbeat]");
    if (claim && !document.hidden) htmx.trigger(claim, "heartbeat");
  };
  const timer = setInterval(beat, HEARTBEAT);
  signal.addEventListener("abort", () => clearInterval(timer));
  document.addEventListener("visibilitychange", beat, { signal });
}
