/* The overview renews itself every 30 seconds while someone looks at it. What was open stays open, and the focus, the
   scrolled tables and a choice that was not sent yet stay where they were. */
"use strict";
(() => {
  const EVERY = 30_000; /* milliseconds */
  const FOCUSABLE = "a, button, select, summary, [tabindex]";
  const live = () => document.getElementById("live");
  const all = (selector) => [...live().querySelectorAll(selector)];
  /* The same element before and after. */
  const key = (element) =>
    element.id || element.getAttribute("aria-labelledby") || `${element.getAttribute("href")} ${element.textContent}`;
  let renewed = Date.now();
  let before = null;

  const renew = () => {
    const selects = live().contains(getSelection().anchorNode) && !getSelection().isCollapsed;
    if (document.visibilityState !== "visible" || selects || Date.now() - renewed < EVERY) return;
    renewed = Date.now();
    htmx.trigger(live(), "evenhand:look");
  };
  setInterval(renew, 1000);
  document.addEventListener("visibilitychange", renew);

  document.addEventListener("htmx:beforeSwap", () => {
    const { activeElement } = document;
    before = {
      open: all("details[open]").map(key),
      chosen: all("select").map((select) => [key(select), select.value]),
      scrolled: all("[tabindex]").map((part) => [key(part), part.scrollLeft, part.scrollTop]),
      focused: live().contains(activeElement) ? key(activeElement) : null,
    };
  });
  document.addEventListener("htmx:afterSwap", () => {
    const { open, chosen, scrolled, focused } = before;
    for (const details of all("details")) details.open ||= open.includes(key(details));
    for (const [name, value] of chosen) {
      for (const select of all("select")) if (key(select) === name) select.value = value;
    }
    for (const [name, left, top] of scrolled) {
      for (const part of all("[tabindex]")) if (key(part) === name) part.scrollTo(left, top);
    }
    if (focused !== null) {
      const found = all(FOCUSABLE).find((element) => key(element) === focused);
      found?.focus({ preventScroll: true });
    }
  });
})();
