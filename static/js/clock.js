/* Seconds of work on this item: those in which the page was visible and had been used within the last minute.
   Every two minutes of work the server hears of it (`evenhand:active`), so that the item stays lent. */
"use strict";
{
  const IDLE = 60_000;
  const TOLD = 120; /* seconds of work */
  let seconds = 0;
  let used = Date.now();
  let form = "";

  for (const kind of ["pointermove", "pointerdown", "keydown", "wheel", "touchmove"]) {
    document.addEventListener(kind, () => { used = Date.now(); }, { passive: true });
  }
  setInterval(() => {
    const field = document.querySelector("[data-active-seconds]");
    if (!field) return;
    if (field.form.action !== form) { /* another item; the same one come back for mending goes on counting */
      form = field.form.action;
      seconds = 0;
    }
    field.value = String(seconds);
    if (document.visibilityState !== "visible" || Date.now() - used > IDLE) return;
    seconds += 1;
    if (seconds % TOLD === 0) htmx.trigger(document.body, "evenhand:active");
    field.value = String(seconds);
  }, 1000);
}
