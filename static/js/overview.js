/* The overview renews itself every 30 seconds while someone looks at it. What was open stays open, and the focus, the
   scrolled tables and a choice that was not sent yet stay where they were. */
"use strict";
(() => {
  const EVERY = 30_000; /* milliseconds */
  const FOCUSABLE = "a, button, select, summary, [tabindex]";
  const [PARTS, STATE] = ["details, select, [tabindex]", ["open", "value", "scrollLeft", "scrollTop"]];
  const live = () => document.getElementById("live");
  const all = (selector) => [...live().querySelectorAll(selector)];
  /* The same element before and after. */
  const key = (element) =>
    element.id || element.getAttribute("aria-labelledby") || `${element.getAttribute("href")} ${element.textContent}`;
  let renewed = Date.now();
  let [before, focused] = [new Map(), null];

  const renew = () => {
    const selects = live().contains(getSelection().anchorNode) && !getSelection().isCollapsed;
    if (document.visibilityState !== "visible" || selects || Date.now() - renewed < EVERY) return;
    renewed = Date.now();
    htmx.trigger(live(), "evenhand:look");
  };
  setInterval(renew, 1000);
  document.addEventListener("visibilitychange", renew);

  document.addEventListener("htmx:beforeSwap", () => {
    before = new Map(all(PARTS).map((part) => [key(part), STATE.map((name) => part[name])]));
    focused = live().contains(document.activeElement) ? key(document.activeElement) : null;
  });
  document.addEventListener("htmx:afterSwap", () => {
    for (const part of all(PARTS))
      for (const [at, value] of (before.get(key(part)) ?? []).entries())
        if (value !== undefined) part[STATE[at]] = value;
    all(FOCUSABLE)
      .find((element) => key(element) === focused)
      ?.focus({ preventScroll: true });
  });
})();
