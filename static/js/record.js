// The record's pane: as fields, as JSON, or against an earlier revision. The fields stay on the page, with what was typed.
import { onKeys } from "./keys.js";

export function recordTabs(signal) {
  const tabs = [...document.querySelectorAll(".record-tabs a")];
  if (!tabs.length) return;
  const mark = (chosen) => {
    for (const tab of tabs) tab.removeAttribute("aria-current");
    chosen.setAttribute("aria-current", "true");
  };
  for (const tab of tabs) {
    tab.addEventListener("click", (event) => {
      mark(tab);
      if (!tab.hasAttribute("data-fields")) return;
      event.preventDefault();
      document.getElementById("record-as").replaceChildren();
    });
  }
  onKeys({ d: () => tabs[(tabs.findIndex((tab) => tab.hasAttribute("aria-current")) + 1) % tabs.length].click() }, signal);
}
