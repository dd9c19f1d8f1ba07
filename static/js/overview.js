/* The overview renews itself every 30 seconds while someone looks at it and has nothing selected. */
"use strict";
(() => {
  const EVERY = 30_000; /* milliseconds */
  const live = () => document.getElementById("live");
  let renewed = Date.now();

  const renew = () => {
    const selects = live().contains(getSelection().anchorNode) && !getSelection().isCollapsed;
    if (document.visibilityState !== "visible" || selects || Date.now() - renewed < EVERY) return;
    renewed = Date.now();
    htmx.trigger(live(), "evenhand:look");
  };
  setInterval(renew, 1000);
  document.addEventListener("visibilitychange", renew);
})();
