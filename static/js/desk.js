// The way from run to run without a page load. While one is reviewed, the body of the next is fetched and kept unseen;
// submitting, skipping, moving and undoing ask the server, and show the body that waits or the one that comes.
import { announce } from "./fields.js";
import { ENDED, NOBODY, post, toSignIn } from "./session.js";
import { elsewhere, hold, meet } from "./tabs.js";

const IDLE = 1000; // ms at most until the next body is fetched
const desk = () => document.getElementById("desk");
let open; // wires a body that is shown
let closing = new AbortController(); // takes the wires of the shown one away
let ahead; // the body that waits unseen
let saves; // what is half-filled in the shown one, if it has a form
let busy = false;
let left = false; // for another page: this one is history, with a form that was sent

/** Show the page's first body, and wire each: `openBody(signal)` answers what keeps its form, if it has one. */
export function start(openBody) {
  open = openBody;
  wire();
  document.addEventListener("submit", (event) => {
    if (!desk() || !event.target.matches("[data-travel]")) return;
    event.preventDefault();
    travel(event.target, event.submitter);
  });
  const shown = () => location.pathname;
  let at = shown();
  addEventListener("popstate", () => shown() !== at && location.reload()); // what became of the run, not its form
  addEventListener("pageshow", (event) => event.persisted && left && location.reload());
  document.addEventListener("desk:shown", () => (at = shown()));
}

function wire() {
  saves = open(closing.signal);
  hold(saves ? [desk().dataset.run] : []);
  if (!saves) return;
  idle(prefetch);
  meet(desk().dataset.run, tellOfOthers, closing.signal);
}

function tellOfOthers() {
  document.getElementById("notices").append(document.getElementById("open-elsewhere").content.cloneNode(true));
}

function idle(act) {
  const { signal } = closing;
  const now = () => !signal.aborted && !document.hidden && act(signal);
  const soon = () => (window.requestIdleCallback ?? setTimeout)(now, { timeout: IDLE });
  if (!document.hidden) return soon();
  document.addEventListener("visibilitychange", soon, { once: true, signal });
}

async function prefetch(signal) {
  const fields = new FormData();
  fields.set("shown", desk().dataset.run);
  fields.set("elsewhere", await elsewhere());
  const answer = await post(desk().dataset.ahead, fields, { signal });
  if (answer === ENDED || answer === NOBODY || answer.status !== 200) return;
  const body = parsed(await answer.text(), "desk");
  if (signal.aborted || !body) return;
  dress(body);
  ahead = body;
  hold([desk().dataset.run, ahead.dataset.run]);
}

/** Submit the review, and show what comes. */
export async function submit(form) {
  await ask(form, undefined, true);
}

async function travel(form, submitter) {
  if (busy) return;
  await saves?.save(); // what was typed is kept before it is left
  await ask(form, submitter, form.matches("[data-onward]"));
}

async function ask(form, submitter, onward) {
  if (busy) return;
  busy = true;
  form.setAttribute("aria-busy", "true");
  const isReview = form.matches("[data-review]");
  try {
    const answer = await post(form.action, await fieldsOf(form, submitter, onward));
    if (answer === ENDED) toSignIn();
    if (saves ? saves.failed(answer) : answer === ENDED || answer === NOBODY || !answer.ok) return;
    await take(answer, form, isReview);
  } finally {
    busy = false;
    form.removeAttribute("aria-busy");
  }
}

async function fieldsOf(form, submitter, onward) {
  const fields = new FormData(form, submitter);
  fields.set("elsewhere", await elsewhere());
  if (onward && ahead) {
    fields.set("ahead", ahead.dataset.run);
    fields.set("stamp", ahead.dataset.stamp);
  }
  return fields;
}

async function take(answer, form, isReview) {
  const elsewhere = answer.headers.get("HX-Redirect");
  if (answer.headers.get("Desk") === "load") return HTMLFormElement.prototype.submit.call(form);
  if (answer.ok && isReview) saves.done();
  if (elsewhere) {
    left = true;
    return location.assign(elsewhere);
  }
  const html = await answer.text();
  if (answer.headers.get("Desk") === "kept") return show(renewed(ahead, parsed(html, "kept")));
  const body = parsed(html, "desk");
  if (!body) return location.assign(answer.url);
  if (!answer.ok) saves.done(); // the same form comes back, with what was typed and why it was refused
  show(body, { moved: answer.ok });
}

/** The body that waited, with the parts that have changed since. */
function renewed(body, parts) {
  body.dataset.waiting = parts.dataset.waiting;
  for (const part of [...parts.children]) body.querySelector(`#${part.id}`)?.replaceWith(part);
  return body;
}

function show(body, { moved = true } = {}) {
  closing.abort();
  closing = new AbortController();
  ahead = undefined;
  document.getElementById("messages")?.replaceChildren();
  dress(body);
  desk().replaceWith(body);
  document.title = body.dataset.title;
  const count = document.getElementById("waiting");
  if (count) count.textContent = body.dataset.waiting;
  if (moved) history.pushState({}, "", body.dataset.address);
  document.dispatchEvent(new Event("desk:shown"));
  htmx.process(body);
  wire();
  scrollTo(0, 0);
  const said = body.querySelectorAll("#notice > span, #notices > :not(#notice), h1, .place");
  announce([...said].map((part) => part.textContent.trim().replace(/\s+/g, " ")).join(" "));
  (moved ? document.getElementById("main") : (body.querySelector("[aria-invalid]") ?? document.getElementById("main"))).focus();
}

function parsed(html, id) {
  const found = new DOMParser().parseFromString(html, "text/html").getElementById(id);
  return found && document.adoptNode(found);
}

/** The style sheet of the run's flow, before its body is shown. */
function dress(body) {
  const href = body.dataset.style;
  if (!href || document.querySelector(`link[href="${CSS.escape(href)}"]`)) return;
  document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href }));
}
