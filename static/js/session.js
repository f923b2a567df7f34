// A session that ended while a page was open: the fragment that came is the sign-in page. Say so, and keep the page
// with all that was typed into it.
const words = document.getElementById("signed-out");
const told = () => document.querySelector("[data-signed-out]");

document.addEventListener("htmx:beforeSwap", (event) => {
  const answer = event.detail.xhr.responseURL;
  if (!words || !answer) return;
  if (new URL(answer).pathname !== words.dataset.login) return void told()?.remove();
  event.detail.shouldSwap = false;
  tell();
});

function tell() {
  if (!told()) document.getElementById("messages").append(words.content.cloneNode(true));
}

export const ENDED = "ended";
export const NOBODY = "nobody";

/** Asked before a form is sent, since a submission that meets the sign-in page, or nobody, would lose all that was
 * typed: ENDED where the session has ended (the person is told, and led to the way in), NOBODY without an answer. */
export async function answered(form) {
  const body = new FormData(form);
  if (token()) body.set("csrfmiddlewaretoken", token());
  const asked = { method: "POST", body, redirect: "manual" };
  const answer = await fetch(form.getAttribute("hx-post"), asked).catch(() => undefined);
  if (!answer) return NOBODY;
  if (answer.type !== "opaqueredirect") return "";
  tell();
  told().querySelector("a").focus();
  return ENDED;
}

// Signing in again changes the token of the forms that are open already: they take the newest.
const token = () => document.cookie.match(/(?:^|;\s*)csrftoken=([^;]+)/)?.[1];

document.addEventListener("htmx:configRequest", (event) => {
  if (token()) event.detail.headers["X-CSRFToken"] = token();
});
document.addEventListener("submit", (event) => {
  const field = event.target.querySelector("input[name=csrfmiddlewaretoken]");
  if (field && token()) field.value = token();
});
