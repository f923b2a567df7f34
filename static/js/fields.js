// The form's fields on the keyboard: choosing without leaving one's place, and moving between the fields.
import { onKeys } from "./keys.js";
import { walk } from "./values.js";

/** Register the keys of one form until `signal`. `names` is its list of missing fields (tokens.js). */
export function fieldKeys(form, names, signal) {
  let last; // the field that had the focus last
  const decide = (value) => () => choose(form.querySelector(`[name=decision][value=${value}]`));
  const digit = (event) => {
    const number = Number(event.key);
    const options = form.contains(document.activeElement) && document.activeElement.closest("[data-options], fieldset[data-stop]");
    if (options) option(options, number);
    else if (number <= 4) cycle(form.querySelector(`[data-signal="${number}"]`));
  };
  const move = (step) => () => {
    if (!form.checkVisibility() || document.activeElement?.closest(".pane, .steps, .strip")) return walk(step);
    const stops = [...form.querySelectorAll("[data-stop]")];
    const here = stops.find((stop) => stop.contains(document.activeElement));
    if (!here && form.contains(document.activeElement) && document.activeElement.matches("button")) return false;
    const from = stops.indexOf(here ?? last);
    const to = from < 0 ? (step > 0 ? 0 : stops.length - 1) : from + step;
    if (stops[to]) enter(stops[to]);
  };
  form.addEventListener("focusin", (event) => (last = event.target.closest("[data-stop]") ?? last));
  onKeys(Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9].map((number) => [String(number), digit])), signal);
  onKeys(
    {
      a: decide("approve"),
      r: decide("revise"),
      x: decide("reject"),
      m: () => (showStep("step-form"), names.focus()),
      n: () => enter(form.querySelector("#notes")),
      c: () => document.getElementById("subcategory")?.focus(),
      s: () => document.getElementById("skip-form").requestSubmit(),
      ArrowDown: move(1),
      ArrowUp: move(-1),
      "Ctrl+Enter": () => form.requestSubmit(),
    },
    signal,
  );
}

/** Put the focus into a field: for a group of options, on the one that is chosen; in a text, behind what is there. */
export function enter(stop) {
  showStep("step-form");
  const field = stop.matches("fieldset") ? (stop.querySelector(":checked") ?? stop.querySelector("input")) : stop;
  field.focus();
  if (field.matches("textarea") && field.selectionEnd === 0) field.setSelectionRange(field.value.length, field.value.length);
}

function option(options, number) {
  const one = options.querySelectorAll("button, input")[number - 1];
  if (one?.matches("input")) choose(one);
  else one?.click();
}

/** Yes, no, unset, and round again. */
function cycle(row) {
  if (!row) return;
  const radios = [...row.querySelectorAll("input")];
  choose(radios[(radios.findIndex((radio) => radio.checked) + 1) % radios.length]);
}

/** The focus stays where it is, so that the next digit means what it meant before; the choice is said aloud. */
function choose(radio) {
  showStep("step-form");
  radio.checked = true;
  radio.dispatchEvent(new Event("change", { bubbles: true }));
  const group = radio.closest("fieldset").querySelector("legend");
  announce(`${words(group)}: ${words(radio.parentElement)}`);
}

/** An element's own text, without that of its icon and its key. */
function words(element) {
  const texts = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
  return texts.map((node) => node.textContent).join("").trim();
}

export function announce(words) {
  const place = document.getElementById("announce");
  if (place) place.textContent = words;
}

/** On a narrow page the part that a key concerns comes into view. */
export function showStep(id) {
  const step = document.getElementById(id);
  if (step && getComputedStyle(step.closest(".steps")).display !== "none") step.checked = true;
}
