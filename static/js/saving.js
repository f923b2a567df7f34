// What is half-filled is saved by itself. Where that fails the form says so, keeps it and tries again.
const WAITS = [2, 5, 10, 30]; // seconds before the next try; the last one again and again
const TOO_MANY = 429;

/** Watch the form's own requests. Answers a function that tells that nothing can be reached. */
export function saving(form) {
  let failures = 0;
  let again = 0;

  const say = (words) => {
    const place = document.getElementById("saved");
    if (place.textContent === words) return; // said once, not at each try
    const told = document.createElement("span");
    told.className = "state state--failed";
    told.textContent = words;
    place.replaceChildren(told);
  };
  const retry = () => {
    clearTimeout(again);
    htmx.trigger(form, "save");
  };
  const failed = (words) => {
    say(words);
    clearTimeout(again);
    again = setTimeout(retry, 1000 * WAITS[Math.min(failures, WAITS.length - 1)]);
    failures += 1;
  };
  const own = (react) => (event) => event.target === form && react(event.detail.xhr.status);

  const unreachable = () => failed(form.dataset.unreachable);
  form.addEventListener("htmx:sendError", own(unreachable));
  form.addEventListener("htmx:timeout", own(unreachable));
  form.addEventListener(
    "htmx:responseError",
    own((status) => (status >= 500 || status === TOO_MANY ? failed(form.dataset.down) : say(form.dataset.refused))),
  );
  form.addEventListener(
    "htmx:afterOnLoad",
    own((status) => {
      if (status >= 500 || status === TOO_MANY) return;
      clearTimeout(again);
      failures = 0;
    }),
  );
  addEventListener("online", () => failures && retry());
  addEventListener("beforeunload", (event) => {
    if (failures && !form.hasAttribute("aria-busy")) event.preventDefault(); // the browser asks before it is lost
  });
  return unreachable;
}
