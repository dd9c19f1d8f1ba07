/* Whoever leaves or sends a part of a rubric right after writing is let go once it is saved. */
"use strict";
const WAYS = "a[href], .add-dimension button, #part [type=submit], #part button, [form=part]";
const part = () => document.getElementById("part");
let isChanged = false; // and the save has not begun
const isSaving = () => isChanged || document.querySelector(".mid .htmx-request");
const ended = () => new Promise((go) => {
  document.addEventListener("htmx:afterRequest", () => setTimeout(go), { once: true });
});
document.addEventListener("change", ({ target }) => (isChanged ||= target.form === part()), true);
/* A request takes the whole form along, and a form that is swapped came with what it had sent. */
for (const each of ["htmx:beforeRequest", "htmx:load"])
  document.addEventListener(each, ({ target }) => (isChanged &&= !target.closest(".mid")));
document.addEventListener("click", async (event) => {
  const way = event.target.closest(WAYS);
  if (!way || !isSaving() || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  while (isSaving()) await ended();
  if (part().querySelector("[role=alert]")) return; // it was refused, and says why
  if (way.href) location.assign(way.href);
  else if (way.isConnected) way.form.requestSubmit(way);
  else part().requestSubmit();
});
/* A link that a save puts anew while it is pressed hears of no click. */
let pressed = null;
document.addEventListener("pointerdown", ({ target }) => (pressed = target.closest(WAYS)));
document.addEventListener("pointerup", ({ target }) => {
  const way = target.closest(WAYS);
  if (way && pressed?.isConnected === false && way.href === pressed.href) way.click();
});
