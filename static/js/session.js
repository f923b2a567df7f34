// A session that ended while a page was open: the fragment that came is the sign-in page. Say so, and keep the page
// with all that was typed into it.
document.addEventListener("htmx:beforeSwap", (event) => {
  const answer = event.detail.xhr.responseURL;
  const words = document.getElementById("signed-out");
  if (!words || !answer || new URL(answer).pathname !== words.dataset.login) return;
  event.detail.shouldSwap = false;
  const place = document.getElementById("messages");
  if (!place.querySelector("[data-signed-out]")) place.append(words.content.cloneNode(true));
});

// Signing in again changes the token of the forms that are open already: they take the newest.
const token = () => document.cookie.match(/(?:^|;\s*)csrftoken=([^;]+)/)?.[1];

document.addEventListener("htmx:configRequest", (event) => {
  if (token()) event.detail.headers["X-CSRFToken"] = token();
});
document.addEventListener("submit", (event) => {
  const field = event.target.querySelector("input[name=csrfmiddlewaretoken]");
  if (field && token()) field.value = token();
});
