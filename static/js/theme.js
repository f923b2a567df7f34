// Light or dark: the system decides until a person does. Loaded before the first paint, so never deferred; what only a
// script serves (the hints of keys) is shown from then on, but for single keys that a person has switched off.
(() => {
  const root = document.documentElement;
  root.classList.add("has-script");
  const read = (name) => {
    try {
      return localStorage.getItem(name);
    } catch {
      return null; // storage refused: the system's choice stands
    }
  };
  root.classList.toggle("has-no-single-keys", read("single-keys") === "off"); // keys.js: the same name
  const chosen = read("theme");
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;

  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element) || !event.target.closest("[data-theme-switch]")) return;
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    const next = (root.dataset.theme || system) === "dark" ? "light" : "dark";
    root.dataset.theme = next;
    try {
      localStorage.setItem("theme", next);
    } catch {
      // not remembered, but shown
    }
  });
})();
