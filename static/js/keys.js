// Keys: one table per page. A page registers what a key does; this file knows when keys must be silent.
const actions = new Map();
const STORE = "single-keys";

/** Register actions by key, as `event.key` names it; "Ctrl+Enter" also stands for Cmd+Enter. Until `signal`, if any. */
export function onKeys(table, signal) {
  for (const [key, action] of Object.entries(table)) actions.set(key, action);
  signal?.addEventListener("abort", () => Object.keys(table).forEach((key) => actions.delete(key)));
}

/** Whether the person is writing, so that a letter is a letter. */
export function isTyping(element) {
  if (!(element instanceof HTMLElement)) return false;
  if (element.isContentEditable || element.matches("textarea, select")) return true;
  return element.matches("input:not([type=radio], [type=checkbox], [type=button], [type=submit])");
}

function singleKeysOn() {
  try {
    return localStorage.getItem(STORE) !== "off";
  } catch {
    return true;
  }
}

const sheet = document.getElementById("keys");
const openSheet = () => sheet?.showModal();
const ARROWS = ["ArrowUp", "ArrowDown"];
const WALKS = [...ARROWS, "j", "k", "f"]; // what may go on while a key is held down

document.addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") return leave(event);
  if (event.repeat && !WALKS.includes(event.key)) return;
  const command = event.ctrlKey || event.metaKey;
  if (command && event.key === "Enter") return run("Ctrl+Enter", event);
  if (command || event.altKey) return;
  const isArrow = ARROWS.includes(event.key);
  if (isArrow ? event.shiftKey || isWriting(event.target) : isTyping(event.target)) return;
  if ((isArrow || event.key.length === 1) && !singleKeysOn()) return;
  run(event.key, event);
});

/** Whether up and down move within what has the focus: lines, options, or words half typed. */
function isWriting(element) {
  if (!isTyping(element)) return false;
  return !element.matches("input[type=text], textarea") || element.value !== "";
}

function run(key, event) {
  const action = key === "?" ? openSheet : actions.get(key);
  if (action && action(event) !== false) event.preventDefault();
}

function leave(event) {
  document.querySelectorAll("details.menu[open]").forEach((menu) => menu.removeAttribute("open"));
  if (event.target.matches?.("[type=search]")) event.preventDefault(); // or the browser empties it, and the list stays
  if (isTyping(event.target)) event.target.blur();
  else actions.get("Escape")?.(event);
}

document.addEventListener("click", (event) => {
  if (!(event.target instanceof Element)) return;
  if (event.target.closest("[data-keys-open]")) openSheet();
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target)) menu.removeAttribute("open");
  }
});

const keysSwitch = document.querySelector("[data-keys-switch]");
if (keysSwitch) {
  keysSwitch.checked = singleKeysOn();
  keysSwitch.addEventListener("change", () => {
    document.documentElement.classList.toggle("has-no-single-keys", !keysSwitch.checked);
    try {
      localStorage.setItem(STORE, keysSwitch.checked ? "on" : "off");
    } catch {
      // not remembered
    }
  });
}
