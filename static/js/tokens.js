// A list of names: typed and taken by Enter or comma, suggested by buttons, each a chip with a hidden field.
const same = (a, b) => a.trim().toLowerCase() === b.trim().toLowerCase();

/** Wire one list; answers what the page's keys need of it. */
export function tokens(box, form) {
  const input = box.querySelector("input[type=text]");
  const state = form.querySelector("[data-named]");
  const chips = () => [...box.querySelectorAll(".chip--field")];
  const held = () => chips().map((chip) => chip.querySelector("input").value);

  function changed() {
    const count = chips().length;
    state.textContent = count ? `${count} ${state.dataset.words}` : "";
    for (const button of form.querySelectorAll("[data-add]")) {
      button.hidden = held().some((name) => same(name, button.dataset.add));
    }
    form.dispatchEvent(new Event("change", { bubbles: true }));
  }

  function add(text) {
    const name = text.trim().replace(/\s+/g, " ");
    if (!name || held().some((other) => same(other, name))) return;
    const chip = document.createElement("span");
    chip.className = "chip chip--field";
    const field = Object.assign(document.createElement("input"), {
      type: "hidden",
      name: box.dataset.tokens,
      value: name,
    });
    const remove = document.createElement("button");
    remove.type = "button";
    remove.className = "chip-remove";
    remove.setAttribute("aria-label", `${box.dataset.remove} ${name}`);
    remove.innerHTML = '<svg class="icon icon--small" aria-hidden="true"><use href="#i-cross"/></svg>';
    chip.append(field, name, remove);
    box.insertBefore(chip, input);
  }

  function take() {
    if (!input.value.trim()) return;
    input.value.split(",").forEach(add);
    input.value = "";
    changed();
  }

  input.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const command = event.ctrlKey || event.metaKey;
    if ((event.key === "Enter" && !command) || event.key === ",") {
      event.preventDefault();
      take();
    } else if (event.key === "Backspace" && !input.value) {
      chips().at(-1)?.querySelector(".chip-remove").focus(); // Enter there takes the name away; Backspace never does
    }
  });
  box.addEventListener("click", (event) => {
    const button = event.target.closest(".chip-remove");
    if (button) {
      button.closest(".chip").remove();
      changed();
      input.focus();
    } else if (event.target === box) input.focus();
  });
  form.addEventListener("click", (event) => {
    const button = event.target.closest("[data-add]");
    if (!button) return;
    const next = button.nextElementSibling ?? button.previousElementSibling;
    add(button.dataset.add);
    changed();
    if (document.activeElement === document.body) next?.focus?.();
  });
  function set(names) {
    for (const chip of chips()) chip.remove();
    names.forEach(add);
    changed();
  }

  return { take, set, field: box.dataset.tokens, focus: () => input.focus() };
}
