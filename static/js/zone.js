/* Whoever starts to rate says in which time zone, by which their days begin. */
"use strict";
for (const zone of document.querySelectorAll("[data-zone]"))
  zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
