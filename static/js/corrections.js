// Correcting values in place: only what was changed is sent, and a change suggests the signal that it speaks of.
import { showStep } from "./fields.js";
import { onKeys } from "./keys.js";
import { boxOf, firstBox, showFields } from "./values.js";

const FIELD = "[data-now]";
const TO_SIGNAL = { size: "wrong_physical_dimensions", unit: "wrong_physical_dimensions", value: "wrong_information" };

/** `form`: the review; its fields for values stand in the record, outside of it. */
export function corrections(form, signal) {
  const fields = [...document.querySelectorAll(FIELD)].filter((field) => field.form === form);
  for (const field of fields) {
    field.dataset.name = field.name;
    mark(field);
    field.addEventListener("input", () => {
      mark(field);
      if (field.classList.contains("is-changed")) field.closest(".correct").querySelector("[data-correct]").checked = true;
      suggest(form, fields);
      form.dispatchEvent(new Event("input"));
    });
    field.addEventListener("keydown", (event) => leave(event, field));
  }
  for (const box of document.querySelectorAll("[data-correct]")) {
    box.addEventListener("change", () => box.checked && first(box).select());
    box.addEventListener("keydown", (event) => toggle(event, box));
  }
  suggest(form, fields);
  onKeys({ e: open, g: () => (showStep("step-form"), form.querySelector(".suggest")?.focus()) }, signal);
}

/** Unchanged fields have no name, and so are not sent. */
function mark(field) {
  const changed = field.value !== field.dataset.now;
  field.classList.toggle("is-changed", changed);
  if (changed) field.name = field.dataset.name;
  else field.removeAttribute("name");
}

/** Enter opens and closes it, as Space does; Ctrl+Enter is the form's. */
function toggle(event, box) {
  if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  box.click();
}

function first(box) {
  return box.closest(".correct").querySelector(FIELD);
}

/** The value that is pointed at, else the first one in doubt, else the first. */
function open() {
  showFields();
  const here = document.querySelector("[data-field].is-active") ?? document.activeElement?.closest("[data-field]");
  const box = here && (boxOf(here) || here.contains(document.activeElement)) ? boxOf(here) : firstBox();
  if (!box) return false;
  showStep("step-record");
  box.checked = true;
  first(box).focus();
  first(box).select();
}

/** Enter and Escape close the field; what was typed stays. Ctrl+Enter is the form's. */
function leave(event, field) {
  const ends = event.key === "Escape" || (event.key === "Enter" && field.matches("input") && !event.ctrlKey && !event.metaKey);
  if (!ends) return;
  event.preventDefault();
  event.stopPropagation();
  const box = field.closest(".correct").querySelector("[data-correct]");
  box.checked = [...field.parentElement.children].some((part) => part.classList.contains("is-changed"));
  box.focus();
}

function fold(text) {
  return text.normalize("NFKC").toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}

/** The signal that a change speaks of: what was empty is missing, what differs in form only is bad form. */
function signalOf(field) {
  if (!field.parentElement.querySelector(FIELD).dataset.now) return "missing_spec";
  if (fold(field.value) === fold(field.dataset.now) && field.dataset.kind !== "unit") return "bad_format";
  return TO_SIGNAL[field.dataset.kind];
}

function suggest(form, fields) {
  const by = Map.groupBy(fields.filter((field) => field.classList.contains("is-changed")), signalOf);
  for (const old of form.querySelectorAll(".suggest")) old.remove();
  for (const [signal, changed] of by) {
    const names = [...new Set(changed.map((field) => field.dataset.label))];
    if (signal === "missing_spec") for (const name of names) offer(form, document.querySelector("[data-named]"), name, () => add(form, name));
    else confirm(form, signal, names);
  }
}

function confirm(form, signal, names) {
  const yes = form.querySelector(`[name=${signal}][value=yes]`);
  if (!yes || yes.checked) return;
  const row = yes.closest(".signal").querySelector(".signal-name");
  offer(form, row, names.join(", "), () => {
    yes.checked = true;
    yes.focus();
    yes.dispatchEvent(new Event("change", { bubbles: true }));
  });
}

/** A button that says what it would set; nothing is set without the reviewer. */
function offer(form, beside, text, take) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "suggest";
  button.append(form.dataset.suggest.replace("%s", text), hint());
  button.addEventListener("click", () => {
    button.remove();
    take();
  });
  beside?.append(button);
}

function hint() {
  const key = Object.assign(document.createElement("kbd"), { className: "key", textContent: "g" });
  key.ariaHidden = "true";
  return key;
}

function add(form, name) {
  const field = form.querySelector("#missing");
  field.value = field.value ? `${field.value}, ${name}` : name;
  field.focus();
  field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
}
