/* Whoever leaves a part of a rubric right after writing is let go once it is saved. */
"use strict";
let isChanged = false; // and the save has not begun
const isSaving = () => isChanged || document.querySelector(".mid .htmx-request");
const ended = () => new Promise((go) => {
  document.addEventListener("htmx:afterRequest", () => setTimeout(go), { once: true });
});
document.addEventListener("change", ({ target }) => (isChanged ||= target.form?.id === "part"));
document.addEventListener("htmx:beforeRequest", ({ target }) => (isChanged &&= target.id !== "part"));
document.addEventListener("click", async (event) => {
  const way = event.target.closest("a[href], .add-dimension button");
  if (!way || !isSaving() || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  while (isSaving()) await ended();
  if (document.querySelector("#part [role=alert]")) return; // it was refused, and says why
  if (way.href) location.assign(way.href);
  else way.form.requestSubmit();
});
