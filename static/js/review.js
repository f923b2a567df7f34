// The review page: keys, missing fields, what is saved while it is filled, the claim that is kept alive.
import { corrections } from "./corrections.js";
import { onKeys } from "./keys.js";
import { tokens } from "./tokens.js";
import { pairs } from "./pairs.js";
import { answered, ENDED, NOBODY } from "./session.js";
import { recordTabs } from "./record.js";
import { saving } from "./saving.js";

const form = document.querySelector("[data-review]");
const HEARTBEAT = 60_000;
const PAUSE = 600; // ms without a change before the form is saved

pairs();
recordTabs();
if (form) fill(form);
steer();

function fill(form) {
  const names = tokens(form.querySelector("[data-tokens]"), form);
  const unreachable = saving(form);
  let waiting = 0;
  const save = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => htmx.trigger(form, "save"), PAUSE);
  };
  form.addEventListener("input", save);
  form.addEventListener("change", save);
  const missing = form.querySelector("[data-error=decision]");
  form.addEventListener("change", (event) => {
    if (event.target.name === "decision") missing.hidden = true;
  });
  const subcategory = document.getElementById("subcategory");
  const mark = () => subcategory.classList.toggle("is-corrected", subcategory.value !== subcategory.dataset.was);
  if (subcategory) {
    mark();
    subcategory.addEventListener("change", () => (mark(), save()));
  }
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    names.take();
    if (form.querySelector("[name=decision]:checked")) {
      clearTimeout(waiting);
      send(form, unreachable);
      return;
    }
    missing.hidden = false;
    showStep("step-form");
    form.querySelector("[name=decision]").focus();
  });
  addEventListener("pageshow", () => form.removeAttribute("aria-busy")); // come back to by the browser's own key
  count(form.querySelector("#notes"), form.querySelector("[data-counter]"));
  formKeys(form, names);
  corrections(form);
}

/** Once, however often it is asked for. */
async function send(form, unreachable) {
  if (form.hasAttribute("aria-busy")) return;
  form.setAttribute("aria-busy", "true");
  const found = await answered(form);
  if (found !== ENDED && found !== NOBODY) return form.submit();
  form.removeAttribute("aria-busy");
  if (found === NOBODY) unreachable();
}

function formKeys(form, names) {
  const decide = (value) => () => choose(form.querySelector(`[name=decision][value=${value}]`));
  const digit = (event) => {
    const options = document.activeElement?.closest("[data-options]");
    const number = Number(event.key);
    if (options) options.querySelectorAll("button")[number - 1]?.click();
    else if (number <= 4) cycle(form.querySelector(`[data-signal="${number}"]`));
  };
  onKeys(Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => [String(number), digit])));
  onKeys({
    a: decide("approve"),
    r: decide("revise"),
    x: decide("reject"),
    m: () => (showStep("step-form"), names.focus()),
    n: () => (showStep("step-form"), form.querySelector("#notes").focus()),
    c: () => document.getElementById("subcategory")?.focus(),
    s: () => document.getElementById("skip-form").requestSubmit(),
    "Ctrl+Enter": () => form.requestSubmit(),
  });
}

/** Yes, no, unset, and round again. */
function cycle(row) {
  if (!row) return;
  const radios = [...row.querySelectorAll("input")];
  const at = radios.findIndex((radio) => radio.checked);
  showStep("step-form");
  choose(radios[(at + 1) % radios.length]);
}

function choose(radio) {
  showStep("step-form");
  radio.checked = true;
  radio.focus();
  radio.dispatchEvent(new Event("change", { bubbles: true }));
}

function count(area, counter) {
  if (!area || !counter) return;
  const limit = Number(area.dataset.limit);
  const words = counter.textContent;
  const [was] = words.match(/\d+/) ?? ["0"];
  area.addEventListener("input", () => {
    const length = [...area.value].length;
    counter.textContent = words.replace(was, String(length));
    counter.classList.toggle("state--failed", length > limit);
  });
}

/** On a narrow page the part that a key concerns comes into view. */
function showStep(id) {
  const step = document.getElementById(id);
  if (step && getComputedStyle(step.closest(".steps")).display !== "none") step.checked = true;
}

function steer() {
  const follow = (selector) => () => document.querySelector(selector)?.click();
  onKeys({
    j: follow("[data-following]"),
    k: follow("[data-previous]"),
    u: () => document.querySelector("form[data-undo]")?.requestSubmit(),
    f: () => document.querySelector("[data-findings]")?.click(),
  });
  const beat = () => {
    const claim = document.querySelector("[data-heartbeat]");
    if (claim && !document.hidden) htmx.trigger(claim, "heartbeat");
  };
  setInterval(beat, HEARTBEAT);
  document.addEventListener("visibilitychange", beat);
}
