// Requests of an open page, and a session that ended meanwhile: the answer that came is the sign-in page. Say so, and
// keep the page with all that was typed into it.
const words = document.getElementById("signed-out");
const told = () => document.querySelector("[data-signed-out]");
const isSignIn = (address) => new URL(address).pathname === words.dataset.login;

document.addEventListener("htmx:beforeSwap", (event) => {
  const answer = event.detail.xhr.responseURL;
  if (!words || !answer) return;
  if (!isSignIn(answer)) return void told()?.remove();
  event.detail.shouldSwap = false;
  tell();
});

function tell() {
  if (!told()) document.getElementById("messages").append(words.content.cloneNode(true));
}

/** Lead to the way in. */
export const toSignIn = () => told()?.querySelector("a").focus();

export const ENDED = "ended";
export const NOBODY = "nobody";

/** Post fields as the open review page: the answer, or ENDED where the session has ended (the person is told), or NOBODY
 * where no answer came. */
export async function post(address, fields, { timeout = 0, ...options } = {}) {
  if (token()) fields.set("csrfmiddlewaretoken", token());
  const signals = [options.signal, timeout && AbortSignal.timeout(timeout)].filter(Boolean);
  const headers = { "HX-Request": "true", "HX-Target": "desk" };
  const asked = { method: "POST", body: fields, headers, ...options, signal: AbortSignal.any(signals) };
  const answer = await fetch(address, asked).catch(() => undefined);
  if (!answer) return NOBODY;
  if (answer.redirected && isSignIn(answer.url)) {
    tell();
    return ENDED;
  }
  told()?.remove();
  return answer;
}

// Signing in again changes the token of the forms that are open already: they take the newest.
const token = () => document.cookie.match(/(?:^|;\s*)csrftoken=([^;]+)/)?.[1];

document.addEventListener("htmx:configRequest", (event) => {
  if (token()) event.detail.headers["X-CSRFToken"] = token();
});
document.addEventListener("submit", (event) => {
  const field = event.target.querySelector("input[name=csrfmiddlewaretoken]");
  if (field && token()) field.value = token();
  if (event.target.matches("[data-sign-out]")) sessionStorage.clear(); // what was typed is nobody else's
});
