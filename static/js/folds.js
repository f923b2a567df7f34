// A link to something folded opens it.
function open() {
  const target = location.hash && document.getElementById(location.hash.slice(1));
  if (target) for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  if (target) target.scrollIntoView({ block: "nearest" });
}

addEventListener("hashchange", open);
document.addEventListener("click", (event) => {
  if (event.target.closest?.("a")?.getAttribute("href") === location.hash) open(); // the same link again
});
open();
