// Light or dark: the system decides until a person does. Loaded before the first paint, so never deferred; what only a
// script serves (the hints of keys) is shown from then on.
(() => {
  const root = document.documentElement;
  root.classList.add("has-script");
  const read = () => {
    try {
      return localStorage.getItem("theme");
    } catch {
      return null; // storage refused: the system's choice stands
    }
  };
  const chosen = read();
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
