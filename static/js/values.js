// The record on the keyboard: which values are in doubt, the boxes that open them, what is folded away, the tab of fields.
const BOX = "[data-correct]";
const NO_WORDS = ".value--unsupported, .value--suspect"; // the source has no such words, or others
const isFolded = (element) => Boolean(element.closest("details:not([open])"));

/** The values with findings, then those that the source does not bear out. Of what is folded away findings alone. */
export function doubted() {
  const values = [...document.querySelectorAll("[data-field]")];
  const found = values.filter((value) => value.matches(".has-findings"));
  const others = values.filter((value) => !found.includes(value) && !isFolded(value) && value.querySelector(NO_WORDS));
  return [...found, ...others];
}

/** The box that opens a value; null where it cannot be corrected. */
export function boxOf(value) {
  return value.querySelector(BOX);
}

/** The first value to correct where none is pointed at: one in doubt, else the record's first. */
export function firstBox() {
  return doubted().map(boxOf).find(Boolean) ?? boxes()[0];
}

/** From a box that has the focus to the one before or behind it; false where none has it. */
export function walk(step) {
  if (!document.activeElement?.matches(BOX)) return false;
  const all = boxes();
  all[all.indexOf(document.activeElement) + step]?.focus();
}

/** The record as its fields, whatever tab is chosen. */
export function showFields() {
  const tab = document.querySelector("[data-fields]");
  if (tab && !tab.hasAttribute("aria-current")) tab.click();
}

/** The part of the record that opens and closes: the one that has the focus, else the first. */
export function folded() {
  return document.activeElement?.closest("#record-fields details") ?? document.querySelector("#record-fields details");
}

/** Open or close it; the focus says aloud which. */
export function turn(part) {
  showFields();
  part.open = !part.open;
  part.querySelector("summary").focus();
}

function boxes() {
  return [...document.querySelectorAll(BOX)].filter((box) => !isFolded(box));
}
