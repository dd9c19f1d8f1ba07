/* A part of a rubric is saved while one writes. Whoever leaves it right after is let go once it is saved.
   This script comes before the form, and htmx may come after it: nothing is entered that it does not hear. */
"use strict";
{
  const WAYS = "a[href], .add-dimension button, #part [type=submit], #part button, [form=part]";
  const [PAUSE, RETRY] = [1000, 3000]; /* ms */
  const part = () => document.getElementById("part");
  const failure = () => document.getElementById("save-failed");
  /* Numbers of edits: all, those that the last request carried, those that are stored. */
  let [edits, sent, saved] = [0, 0, 0];
  let timer;
  const isUnsaved = () => saved < edits;
  const isReady = new Promise((go) => document.addEventListener("DOMContentLoaded", () => setTimeout(go)));
  const send = async () => {
    await isReady;
    window.htmx?.trigger(part(), "evenhand:save");
  };
  const save = (pause = 0) => {
    clearTimeout(timer);
    timer = setTimeout(send, pause);
  };
  const ended = () =>
    new Promise((go) => {
      document.addEventListener("htmx:afterRequest", () => setTimeout(go), { once: true });
    });

  /* A new row is saved when one of its fields is left: its code comes from its words. */
  document.addEventListener("input", ({ target }) => {
    if (target.form !== part()) return;
    edits += 1;
    if (target.closest("[data-new]")) clearTimeout(timer);
    else save(PAUSE);
  });
  document.addEventListener("htmx:confirm", (event) => {
    if (event.target === part() && sent === edits) event.preventDefault();
  });
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (detail.elt !== part()) return;
    clearTimeout(timer);
    detail.edits = sent = edits;
  });
  /* Whoever is signed out is asked to sign in by a redirect. Here it would take the text along. */
  const isSentAway = ({ elt, xhr }) => elt === part() && xhr.getResponseHeader("HX-Redirect");
  document.addEventListener("htmx:beforeOnLoad", (event) => isSentAway(event.detail) && event.preventDefault());
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    if (detail.elt !== part()) return;
    failure().hidden = detail.successful && !isSentAway(detail);
    if (failure().hidden) return void (saved = Math.max(saved, detail.requestConfig.edits));
    sent = saved;
    if (!detail.xhr.status || detail.xhr.status >= 500) save(RETRY);
  });
  window.addEventListener("beforeunload", (event) => {
    if (isUnsaved()) event.preventDefault();
  });
  document.addEventListener("submit", ({ target }) => {
    if (target !== part()) return;
    clearTimeout(timer);
    [saved, failure().hidden] = [edits, true];
  });
  const NEW_ROW = ".edit-rows > [data-new] :is(input:not([type=hidden]), select, textarea)";
  document.addEventListener("click", async (event) => {
    const way = event.target.closest(WAYS);
    const [adds, { activeElement: focused }] = [way?.value === "add", document];
    const holds = (isUnsaved() || adds) && failure().hidden && !part().matches("[data-hx-disable]");
    if (!way || !holds || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    await isReady;
    if (!window.htmx) return part().requestSubmit(); /* it could not be loaded: the form is sent without it */
    if (isUnsaved()) save();
    while (isUnsaved() && failure().hidden) await ended();
    if (document.querySelector("main [role=alert]:not([hidden])")) return; /* it was refused, and says why */
    /* The answer to a save has a row to fill in. Another page would take away what is entered there meanwhile. */
    if (adds) return void (document.activeElement === focused && part().querySelector(NEW_ROW).focus());
    if (way.href) location.assign(way.href);
    else if (way.isConnected) way.form.requestSubmit(way);
    else part().requestSubmit();
  });
}
