/* A part of a rubric is saved while one writes. Whoever leaves it right after is let go once it is saved. */
"use strict";
const WAYS = "a[href], .add-dimension button, #part [type=submit], #part button, [form=part]";
const part = () => document.getElementById("part");
let isChanged = false; // and the save has not begun
let isTyped = false; // and the field still has the focus
const isSaving = () => isChanged || document.querySelector(".mid .htmx-request");
const failure = () => document.getElementById("save-failed");
const ended = () =>
  new Promise((go) => {
    document.addEventListener("htmx:afterRequest", () => setTimeout(go), { once: true });
  });
document.addEventListener("input", ({ target }) => (isTyped ||= target.form === part()));
document.addEventListener("change", ({ target }) => (isChanged ||= target.form === part()), true);
document.addEventListener("htmx:beforeRequest", ({ target }) => {
  if (part().contains(target)) isChanged = isTyped = false;
});
document.addEventListener("htmx:load", ({ target }) => {
  if (target === part()) isChanged = isTyped = false; // what waited for the form before goes with it
});
/* Whoever is signed out is asked to sign in by a redirect. Here it would take the text along. */
const isSentAway = ({ target, detail }) => part().contains(target) && detail.xhr.getResponseHeader("HX-Redirect");
document.addEventListener("htmx:beforeOnLoad", (event) => isSentAway(event) && event.preventDefault());
document.addEventListener("htmx:afterRequest", (event) => {
  if (part().contains(event.target)) failure().hidden = event.detail.successful && !isSentAway(event);
});
window.addEventListener("beforeunload", (event) => {
  if (isTyped || isSaving() || !failure().hidden) event.preventDefault();
});
document.addEventListener("submit", ({ target }) => {
  if (target === part()) failure().hidden = !(isChanged = isTyped = false);
});
document.addEventListener("click", async (event) => {
  const way = event.target.closest(WAYS);
  if (!way || !isSaving() || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  while (isSaving()) await ended();
  if (document.querySelector("main [role=alert]:not([hidden])")) return; // it was refused, and says why
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
