/* What every page but the desk does by script. */
"use strict";
/* A button copies the field that it names, and says so. Where the clipboard is barred, the text is selected. */
document.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-copies]");
  if (!button) return;
  const field = document.getElementById(button.dataset.copies);
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    button.textContent = button.dataset.copied;
  } catch {
    field.focus();
  }
});
/* Signing out wipes what the desk could not send. A notice says so first, and a second click signs out. */
document.addEventListener("submit", (event) => {
  const notice = document.getElementById("still-kept");
  if (!event.target.matches("[data-sign-out]") || !notice?.hidden) return;
  notice.hidden = !Object.keys(localStorage).some((each) => each.startsWith(`evenhand:${notice.dataset.who}:`));
  if (!notice.hidden) event.preventDefault();
});
/* Whoever signs in or starts to rate sends the time zone by which their days begin. */
for (const zone of document.querySelectorAll("[data-zone]"))
  zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
/* On a narrow screen the tabs scroll: the current one is in sight. */
const tab = document.querySelector(".project-tabs [aria-current]");
if (tab) tab.closest("nav").scrollLeft = tab.offsetLeft - 24;
