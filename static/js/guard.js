/* One request at a time, and nothing acts on what is not there yet.

   `evenhand.busy`: a submit is on its way; until the next item is painted, keys and clicks do nothing.
   `evenhand.waiting`: a verdict is on its way; what depends on it (a score, a submit) waits in a queue, in order.
   A barred level cannot be picked: it takes the focus, and its reasons are shown and announced. */
"use strict";
{
  const desk = (window.evenhand ??= {});
  const queue = [];
  desk.busy = false;
  desk.waiting = 0;

  /* Do it now, or after the verdict that is on its way; `free`: it need not wait for one. */
  desk.inTurn = (act, free = false) => {
    if (desk.busy) return;
    if (queue.length || (desk.waiting && !free)) queue.push(act);
    else act();
  };
  const goOn = () => {
    while (queue.length && !desk.waiting && !desk.busy) queue.shift()();
  };
  desk.announce = (text) => {
    const place = document.getElementById("announcer");
    if (place) place.textContent = text;
  };
  const isSubmit = (element) => element?.matches?.("[data-submit]");
  const isVerdict = (element) => element?.matches?.(".answers, .scale");
  /* 403: the page's token is of a log-in that is over. Anything else may work when it is tried again. */
  const trouble = (shown, status = 0) => {
    const place = document.querySelector("[data-trouble]");
    if (!place) return;
    place.dataset.words ??= place.textContent;
    place.textContent = status === 403 ? place.dataset.signedAnew : place.dataset.words;
    place.hidden = !shown;
  };

  for (const kind of ["click", "keydown", "keypress", "beforeinput", "mousedown"]) {
    document.addEventListener(kind, (event) => {
      if (!desk.busy || !event.isTrusted || event.target.closest?.("dialog, .bar")) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    }, true);
  }

  document.addEventListener("click", (event) => {
    const level = event.target.closest?.(".level input[aria-disabled]");
    if (!level) return;
    event.preventDefault();
    if (desk.waiting) {
      const id = level.id;
      desk.inTurn(() => document.getElementById(id)?.click());
      return;
    }
    level.focus();
    const why = document.getElementById(level.dataset.why);
    desk.announce(why ? why.textContent.replace(/\s+/g, " ").trim() : "");
  });

  document.addEventListener("change", (event) => {
    event.target.closest?.("[aria-invalid]")?.removeAttribute("aria-invalid");
  });

  /* A request that a newer one replaces is no error, and htmx would say so in the console. Its logger is asked first. */
  let replacing = false;
  document.addEventListener("htmx:abort", () => {
    replacing = true;
    queueMicrotask(() => { replacing = false; });
  }, true);
  htmx.logger = (element, name, detail) => {
    if (replacing && ["htmx:afterRequest", "htmx:sendAbort"].includes(name)) delete detail.error;
  };

  document.addEventListener("htmx:confirm", (event) => {
    if (desk.busy && !isSubmit(event.target)) event.preventDefault();
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    const { elt } = event.detail;
    trouble(false);
    if (isSubmit(elt)) {
      desk.busy = true;
      queue.length = 0;
    } else if (isVerdict(elt)) desk.waiting += 1;
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    const { successful, xhr, requestConfig } = event.detail;
    const elt = requestConfig.elt; /* detail.elt is what remains on the page, once a submit has replaced its own button */
    if (isVerdict(elt)) {
      desk.waiting = Math.max(0, desk.waiting - 1);
      queueMicrotask(goOn);
    }
    if (isSubmit(elt)) {
      /* Free again when the new item has been painted: two frames from here. */
      requestAnimationFrame(() => requestAnimationFrame(() => { desk.busy = false; }));
      if (!successful && xhr.status !== 422) document.getElementById("submit")?.focus();
    }
  });
  for (const kind of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
    document.addEventListener(kind, (event) => {
      queue.length = 0;
      trouble(true, event.detail.xhr?.status);
    });
  }
}
