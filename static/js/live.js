// A run in the making. Its events say that something happened; what it looks like now is drawn by the server. In
// between, running bars grow and waits count down. A tab in the background follows nothing: a browser keeps six
// connections to a server, and seven open runs would leave none for the pages.
const PATIENCE = [1, 2, 5, 10]; // seconds until the next try, by how many have failed
const GATHER = 60; // ms: events that come together are drawn once
const QUIET = 3000; // ms between two things that are read aloud
const told = document.getElementById("told");
const fragment = () => document.getElementById("progress");

let source;
let after = fragment().dataset.after;
let failures = 0;
let drawnAt = performance.now();
let toldAt = -QUIET;
let drawing = false;
let stale = false;
const timers = {};

function later(name, wait, act) {
  clearTimeout(timers[name]);
  timers[name] = setTimeout(act, wait);
}

function follow() {
  const address = fragment().dataset.live;
  if (!address || source || document.hidden) return;
  source = new EventSource(`${address}?after=${after}`);
  for (const kind of ["node_enter", "node_complete", "status"]) source.addEventListener(kind, happened);
  source.addEventListener("open", () => {
    failures = 0;
    lost(false);
  });
  source.addEventListener("error", () => {
    later("lost", 2000, () => lost(true)); // the end of a run looks the same for a moment
    if (source?.readyState !== EventSource.CLOSED) return; // the browser tries again by itself, behind the last event
    leave();
    later("again", PATIENCE[Math.min(failures++, PATIENCE.length - 1)] * 1000, () => {
      redraw();
      follow();
    });
  });
}

function leave() {
  source?.close();
  source = undefined;
}

function happened(event) {
  after = event.lastEventId || after;
  later("draw", GATHER, redraw);
}

function lost(is) {
  clearTimeout(timers.lost);
  fragment().querySelector("[data-lost]")?.toggleAttribute("hidden", !is);
}

async function redraw() {
  stale = drawing;
  if (drawing) return;
  drawing = true;
  do {
    stale = false;
    await htmx.ajax("GET", fragment().dataset.fragment, { target: "#progress", swap: "outerHTML" }).catch(() => {});
  } while (stale);
  drawing = false;
  drawnAt = performance.now();
  after = fragment().dataset.after ?? after;
  if (fragment().dataset.live) return say();
  leave();
  for (const timer of Object.values(timers)) clearTimeout(timer);
  say();
  if (fragment().dataset.opens) location.assign(fragment().dataset.opens);
}

/** Polite, and never faster than one can listen: only what holds at the end of a burst is said. */
function say() {
  later("say", Math.max(0, toldAt + QUIET - performance.now()), () => {
    if (told.textContent === fragment().dataset.says) return;
    told.textContent = fragment().dataset.says;
    toldAt = performance.now();
  });
}

function tick() {
  const since = (performance.now() - drawnAt) / 1000;
  let full = false;
  for (const bar of fragment().querySelectorAll("[data-grows]")) {
    const room = 100 - bar.dataset.start;
    const width = (Number(bar.dataset.elapsed) + since) * bar.dataset.grows;
    full ||= width >= room;
    bar.setAttribute("width", `${Math.min(room, Math.max(width, 0.6))}%`);
  }
  for (const clock of fragment().querySelectorAll("[data-clock]")) {
    clock.textContent = length(Number(clock.dataset.clock) + since);
  }
  for (const words of fragment().querySelectorAll("[data-left]")) {
    const left = words.dataset.left - since;
    full ||= left <= 0;
    words.textContent = length(Math.max(0, left));
  }
  if (full) redraw();
}

function length(seconds) {
  const whole = Math.floor(seconds);
  if (whole < 60) return `${whole} s`;
  return whole % 60 ? `${Math.floor(whole / 60)} min ${whole % 60} s` : `${whole / 60} min`;
}

function returned() {
  if (!fragment().dataset.live) return;
  if (document.hidden) return leave();
  redraw();
  follow();
}

document.addEventListener("visibilitychange", returned);
addEventListener("pagehide", leave);
addEventListener("pageshow", (event) => event.persisted && returned());
setInterval(tick, 1000);
follow();
