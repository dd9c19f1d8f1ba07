/* Whoever leaves or sends a part of a rubric right after writing is let go once it is saved. */
"use strict";
const WAYS = "a[href], .add-dimension button, #part [type=submit], #part button, [form=part]";
const part = () => document.getElementById("part");
let isChanged = false; // and the save has not begun
const isSaving = () => isChanged || document.querySelector(".mid .htmx-request");
const ended = () => new Promise((go) => {
  document.addEventListener("htmx:afterRequest", () => setTimeout(go), { once: true });
});
document.addEventListener("change", ({ target }) => (isChanged ||= target.form === part()));
/* A form that was swapped came with what the one before had sent. */
for (const each of ["htmx:beforeRequest", "htmx:load"])
  document.addEventListener(each, ({ target }) => (isChanged &&= target !== part()));
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
