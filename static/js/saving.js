// What is half-filled is kept in the tab at once (drafts.js), and saved by the server after a pause and when the page is
// hidden. Where saving fails the form says so, keeps it and tries again.
import { draft } from "./drafts.js";
import { ENDED, NOBODY, post } from "./session.js";

const PAUSE = 3000; // ms without a change: a quick review is submitted before
const WAITS = [2, 5, 10, 30]; // seconds before the next try; the last one again and again
const TIMEOUT = 15_000;
const TOO_MANY = 429;

/** Watch a form until `signal`. `names` is its list of missing fields. */
export function saving(form, names, signal) {
  const copy = draft(form, names);
  let changes = 0; // since the page was drawn
  let saved = 0; // of these the server has
  let failures = 0;
  let timer = 0;
  let running = Promise.resolve();
  let sending = 0; // requests without an answer
  let isStale = false; // another tab has saved since: what is typed here is kept in this tab alone

  const place = () => form.querySelector("#saved");
  const say = (words) => {
    if (place().textContent === words) return; // said once, not at each try
    const told = Object.assign(document.createElement("span"), { className: "state state--failed", textContent: words });
    place().replaceChildren(told);
  };
  const later = (wait) => {
    clearTimeout(timer);
    timer = setTimeout(save, wait);
  };
  const changed = () => {
    changes += 1;
    if (isStale) return copy.setAside();
    copy.keep();
    later(PAUSE);
  };
  /** Tells what an answer that is no page means; whether it was one. */
  const failed = (answer) => {
    if (answer === ENDED) return true;
    const isDown = answer !== NOBODY && (answer.status >= 500 || answer.status === TOO_MANY);
    if (answer !== NOBODY && !isDown) {
      const refused = answer.status >= 400 && ![409, 422].includes(answer.status);
      if (refused) say(form.dataset.refused);
      return refused;
    }
    saved = Math.min(saved, changes - 1);
    say(answer === NOBODY ? form.dataset.unreachable : form.dataset.down);
    later(1000 * WAITS[Math.min(failures, WAITS.length - 1)]);
    failures += 1;
    return true;
  };

  async function once(options) {
    clearTimeout(timer);
    if (saved >= changes || signal.aborted || isStale) return;
    const upTo = changes;
    const fields = new FormData(form);
    if (!sending) fields.set("base", place().dataset.base); // what overtakes a save of its own page knows no newer one
    sending += 1;
    const answer = await post(form.dataset.save, fields, options);
    sending -= 1;
    if (signal.aborted || failed(answer)) return;
    failures = 0;
    place().outerHTML = await answer.text();
    if ("stale" in place().dataset) {
      isStale = true;
      copy.setAside();
    }
    if (!answer.ok) return;
    saved = upTo;
    if (saved === changes) copy.forget();
  }
  /** One after the other; answers when all that was typed so far was sent. */
  function save() {
    running = running.then(() => once({ timeout: TIMEOUT }));
    return running;
  }
  const hidden = () => void once({ keepalive: true });

  form.addEventListener("input", changed, { signal });
  form.addEventListener("change", changed, { signal });
  document.getElementById("subcategory")?.addEventListener("change", changed, { signal }); // it stands outside the form
  document.addEventListener("visibilitychange", () => document.hidden && hidden(), { signal });
  addEventListener("pagehide", hidden, { signal });
  addEventListener("online", () => failures && save(), { signal });
  addEventListener(
    "beforeunload",
    (event) => failures && !form.hasAttribute("aria-busy") && event.preventDefault(), // the browser asks
    { signal },
  );
  signal.addEventListener("abort", () => clearTimeout(timer));

  const restored = () => {
    changed();
    void save(); // at once: the page before may just be saving the same
    place().textContent = form.dataset.kept;
  };
  const offer = () => {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "link", textContent: form.dataset.again });
    button.addEventListener("click", () => {
      copy.putBack();
      restored();
    });
    place().replaceChildren(button);
  };
  if (copy.isAside()) offer();
  else if (copy.restore()) restored();
  return {
    save,
    failed,
    /** It was submitted, or stands in another form now. */
    done: () => {
      clearTimeout(timer);
      saved = changes;
      copy.forgetAll();
    },
  };
}
