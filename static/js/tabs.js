// Several tabs of one person: each has runs of its own. A tab holds a lock of the browser for each run that it shows or
// keeps unseen; the browser lets go of it when the tab is closed or leaves. Without locks (plain HTTP) tabs know nothing of
// each other, and the server gives a person's own claim first.
const PREFIX = "foldback run ";
const held = new Map(); // run → lets go of it

/** From now on this tab has these runs, and no others. */
export function hold(runs) {
  for (const run of [...held.keys()].filter((one) => !runs.includes(one))) {
    held.get(run)();
    held.delete(run);
  }
  for (const run of runs.filter((one) => !held.has(one))) {
    const until = new Promise((letGo) => held.set(run, letGo));
    navigator.locks?.request(PREFIX + run, { mode: "shared" }, () => until);
  }
}

/** The runs that other tabs have. */
export async function elsewhere() {
  if (!navigator.locks) return [];
  const names = (await navigator.locks.query()).held.map((lock) => lock.name);
  const runs = names.filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length));
  return [...new Set(runs.filter((run, at) => !held.has(run) || runs.indexOf(run) !== at))];
}

/** This tab shows a run's form, until `signal`: `met` is called, once, where another tab shows it too, be it since before or
 * from then on. A channel of the browser, which needs no locks. */
export function meet(run, met, signal) {
  const channel = new BroadcastChannel("foldback runs");
  let isTold = false;
  channel.addEventListener("message", ({ data }) => {
    if (data.run !== run) return;
    if (data.asks) channel.postMessage({ run });
    if (!isTold) met();
    isTold = true;
  });
  signal.addEventListener("abort", () => channel.close());
  channel.postMessage({ run, asks: true });
}

// A way to the next run from another page than a run's: not to one that is open in another tab.
document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!navigator.locks || !form.matches("[data-claims]:not([data-travel])")) return;
  event.preventDefault();
  const field = form.elements.elsewhere ?? document.createElement("input");
  Object.assign(field, { type: "hidden", name: "elsewhere", value: (await elsewhere()).join() });
  form.append(field);
  form.submit();
});
