/* Signing out wipes what the desk has kept in this browser and could not send. Away from the desk nothing sends it:
   one is told first, and signs out by a second click. */
"use strict";
document.addEventListener("submit", (event) => {
  const told = document.getElementById("still-kept");
  const kept = Object.keys(localStorage).some((each) => each.startsWith(`evenhand:${told.dataset.who}:`));
  if (!event.target.matches("[data-sign-out]") || !told.hidden || !kept) return;
  event.preventDefault();
  told.hidden = false;
});
