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

/** Whether a form may be sent: a submission that meets the sign-in page would lose all that was typed. Where the
 * session has ended the person is told, and led to the way in. Without an answer the browser tells it by itself. */
export async function signedIn(form) {
  const body = new FormData(form);
  if (token()) body.set("csrfmiddlewaretoken", token());
  const asked = { method: "POST", body, redirect: "manual" };
  const answer = await fetch(form.getAttribute("hx-post"), asked).catch(() => undefined);
  if (answer?.type !== "opaqueredirect") return true;
  tell();
  told().querySelector("a").focus();
  return false;
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
