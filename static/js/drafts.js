/* Keeps what is entered: every request that carries the form saves it, and one follows a moment after the last key.
   While that fails, this browser keeps the form and sends it again (docs/architecture.md, "State in the browser"). */
"use strict";
{
  const desk = (window.evenhand ??= {});
  const [PAUSE, LONGER, RETRY] = [800, 5000, 3000]; /* ms */
  const ERRORS = ["htmx:sendError", "htmx:responseError", "htmx:timeout"];
  let [sent, saved, failed, kept] = [0, 0, 0, 0]; /* numbers of the last version sent, saved, failed, kept here */
  let [typing, retry, forwarding] = [0, 0, 0]; /* timers */
  let failedSubmit = ""; /* where it was to go */
  let [warned, signingOut] = [false, false];
  let here = { item: "", sent: 0 }; /* the item on the page, and what had been sent when it came */

  const form = () => document.getElementById("rating");
  const item = () => form()?.dataset.keptAs;
  const writer = () => form().elements.draft_writer;
  const prefix = () => `evenhand:${document.getElementById("trouble").dataset.who}:`;
  const key = () => `${prefix()}${item()}:${writer().value}`;
  const stored = () => Object.keys(localStorage).filter((each) => each.startsWith(prefix()));
  const isOpen = () => Boolean(typing) || saved < sent; /* something is not saved yet */
  const isUnsafe = () => Boolean(typing) || Math.max(saved, kept) < sent; /* nor kept here */
  const pause = (time) => new Promise((go) => setTimeout(go, time));
  const count = () => (form().elements.draft_number.value = String(++sent));
  const say = (what) => {
    const place = document.getElementById("draft-state");
    if (place) place.textContent = place.dataset[what];
  };
  const forget = () => {
    clearTimeout(typing);
    typing = 0;
  };

  /* Keep the form in this browser, as a version of its own; false if there is no room. */
  const keep = (to = form().dataset.draft) => {
    if (signingOut) return true;
    count();
    try {
      localStorage.setItem(key(), JSON.stringify({ to, fields: [...new FormData(form())] }));
      kept = sent;
      return true;
    } catch {
      desk.warn("full");
      return false;
    }
  };
  /* A field asks: htmx sends the form itself to where the last button leads. */
  const ask = (url, options) => htmx.ajax("POST", url, options).catch(() => {}); /* told by htmx:sendError */
  const send = () => {
    forget();
    if (form() && !desk.busy) ask(form().dataset.draft, { source: writer(), swap: "none" });
  };
  const attempt = () => {
    if (desk.busy) again();
    else if (failedSubmit && failedSubmit === form()?.getAttribute("action")) document.getElementById("submit").click();
    else send();
  };
  const again = (time = RETRY) => {
    clearTimeout(retry);
    retry = setTimeout(attempt, time);
  };

  /* Saved a moment after the last key; while a skip is on its way, after that, if the item is still here. */
  const soon = (time = PAUSE, of = item()) => {
    forget();
    typing = setTimeout(() => {
      typing = 0;
      if (desk.busy) soon(time, of);
      else if (item() === of) send();
    }, time);
  };
  /* What needs no verdict is kept here at once, and saved with the next request or a while later. */
  desk.keepQuietly = () => {
    failedSubmit = "";
    if (!keep()) return send();
    say("changed");
    soon(LONGER);
  };
  document.addEventListener("input", ({ target }) => {
    warned = false;
    if (target.form !== form() || target.closest(".answers, .scale")) return;
    failedSubmit = "";
    say("changed");
    soon();
  });
  document.addEventListener("change", () => {
    failedSubmit = "";
  });

  /* Every request that carries the form has a number, so that none undoes what came after it. */
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (detail.parameters.draft_number === undefined) return;
    forget();
    detail.parameters.draft_number = count();
  });
  /* Skipped before it was saved: it is sent beside the next item. */
  let keptAs = ""; /* the item of the form that is being submitted, which the page may have no more after that */
  document.addEventListener("htmx:beforeRequest", ({ detail: { requestConfig } }) => {
    if (requestConfig.elt.matches("[data-submit]")) keptAs = requestConfig.elt.form?.dataset.keptAs;
    const skips = requestConfig.parameters.draft_number === undefined && requestConfig.elt.matches("[data-submit]");
    if (skips && isUnsafe()) keep();
  });
  document.addEventListener("htmx:afterRequest", ({ detail: { requestConfig, successful, xhr } }) => {
    const { elt, parameters } = requestConfig;
    const number = Number(parameters.draft_number);
    const to = xhr.getResponseHeader("HX-Redirect"); /* htmx calls such an answer no success */
    if (!number || !(successful || (to && !to.includes("next=")))) return;
    const isNews = number > saved;
    saved = Math.max(saved, number);
    if (number < failed) {
      say("away");
      return again();
    }
    clearTimeout(retry);
    const submitted = elt.matches("[data-submit]");
    if (submitted) failedSubmit = "";
    else if (failedSubmit) again();
    const of = submitted ? keptAs : form()?.dataset.keptAs;
    if (of && kept <= number) localStorage.removeItem(`${prefix()}${of}:${parameters.draft_writer}`);
    /* This version stays here until one of the two was chosen, which may have been before this answer. */
    if (xhr.status === 409 && form() && isNews) keep();
    if (xhr.status === 409 || submitted || !form()) return;
    /* By its name: elt may have been replaced. What a claim asks stands apart from the row. */
    if (elt.matches(".answers")) delete document.getElementById(elt.id.replace(/-answers$/, "")).dataset.unjudged;
    judge();
    if (typing) say("changed");
  });
  for (const kind of ERRORS) {
    document.addEventListener(kind, ({ detail: { requestConfig, xhr } }) => {
      const { elt, parameters } = requestConfig;
      if (!form()?.contains(elt) || xhr.status === 404) return;
      const submitting = elt.matches("[data-submit]");
      failed = Math.max(failed, Number(parameters.draft_number) || 0);
      if (submitting) failedSubmit = form().getAttribute("action");
      if (warned) desk.warn("stillKept"); /* not what desk.js says of a try that failed */
      say(keep(failedSubmit || undefined) ? "away" : "changed");
      const concerned = (row) => row.contains(elt) || row.id === elt.dataset.judges || "unjudged" in row.dataset;
      if (!submitting) desk.rows().filter(concerned).forEach(unjudge);
      if (xhr.status !== 403 && !desk.isRefused(xhr.status)) again();
    });
  }
  /* The log-in is over: it comes in the way, and what was entered goes along. */
  document.addEventListener("htmx:beforeOnLoad", (event) => {
    const { elt, xhr } = event.detail;
    const to = xhr.getResponseHeader("HX-Redirect");
    if (!to?.includes("next=")) return;
    if (form()) keep();
    if (!elt.closest("[data-concern]")) return;
    event.preventDefault(); /* its reason goes as without scripts */
    elt.form.requestSubmit(elt);
  });
  /* The other version was chosen, or a note was read. */
  document.addEventListener("click", ({ target }) => {
    const take = target.closest?.("[data-take]");
    if (take) {
      localStorage.removeItem(take.dataset.take ? prefix() + take.dataset.take : key());
      forget();
      saved = sent;
    }
    target.closest?.("[data-kept] button[type=button]")?.closest("[data-kept]").remove();
  });

  /* Without a verdict, what was said of a row before holds no more, nor does what it barred. */
  const unjudge = (row) => {
    row.dataset.unjudged = "";
    const headline = row.querySelector("[data-headline]");
    headline.textContent = form().dataset.unjudged;
    headline.parentElement.replaceChildren(headline);
    const verdict = row.querySelector("[data-verdict]");
    verdict.className = "verdict open";
    verdict.replaceChildren(headline.parentElement);
    for (const level of row.querySelectorAll(".level.barred")) {
      const input = level.querySelector("input");
      level.classList.remove("barred");
      level.querySelector(".why").remove();
      input.removeAttribute("aria-disabled");
      input.removeAttribute("data-why");
      input.setAttribute("aria-describedby", input.dataset.explain);
    }
    desk.showScore(row);
    if (row === desk.row()) desk.mark(row);
  };
  /* Such rows are judged one after the other, once the server answers. */
  const judge = () => {
    const row = desk.rows().find((each) => "unjudged" in each.dataset);
    const answers = row && document.getElementById(`${row.id}-answers`);
    if (answers && !desk.waiting)
      ask(answers.getAttribute("data-hx-post"), { source: answers, target: `#${row.id}-outcome`, swap: "outerHTML" });
  };
  /* Its verdict gave way to a newer one. */
  document.addEventListener("htmx:sendAbort", ({ detail }) => {
    const row = detail.requestConfig?.elt.closest("[data-row]");
    if (row) row.dataset.unjudged = "";
  });

  /* A page that goes keeps what may not be on the next one, which is asked for before this one goes. */
  let asking = null;
  window.addEventListener("beforeunload", () => {
    asking = isUnsafe() ? -1 : sent;
  });
  window.addEventListener("pagehide", () => {
    if (signingOut || !form() || !(isUnsafe() || (asking ?? sent) !== sent)) return;
    keep();
    navigator.sendBeacon(form().dataset.draft, new FormData(form()));
  });

  /* A panel above the page, once. */
  const tell = (panel, ...parts) => {
    if (panel && !document.getElementById(panel.getAttribute("aria-labelledby")))
      document.querySelector("main").before(panel, ...parts);
  };
  /* What no server takes is shown as it is, to be copied. */
  const showRefused = (name, fields) => {
    const panel = document.getElementById("refused").content.firstElementChild.cloneNode(true);
    panel.querySelector("h2").id = `refused-${name}`;
    panel.setAttribute("aria-labelledby", `refused-${name}`);
    panel.querySelector("[data-take]").dataset.take = name;
    const said = fields.filter(([each, value]) => value && (each.includes(".") || each === "comment"));
    panel.querySelector("textarea").value = said.map(([each, value]) => `${each}: ${value}`).join("\n");
    tell(panel);
  };
  /* Send what another page kept, as that page would have: true if this page shows an older version now. */
  const resend = async (name) => {
    const before = localStorage.getItem(name);
    const { to, fields } = JSON.parse(before);
    const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
    const body = new URLSearchParams({ ...Object.fromEntries(fields), kept: "1", csrfmiddlewaretoken: token });
    const answer = await fetch(to, { method: "POST", body, headers: { "HX-Request": "true" } }).catch(() => {});
    if (signingOut) return false;
    if (!answer || answer.status >= 500) throw new Error("away");
    const parts = document.createRange().createContextualFragment(answer.redirected ? "" : await answer.text());
    if (answer.ok || answer.status === 409) tell(parts.querySelector("[data-kept]"), parts);
    if (desk.isRefused(answer.status)) showRefused(name.slice(prefix().length), fields);
    const isSaved = answer.ok && !answer.headers.get("HX-Redirect")?.includes("next=");
    if (!isSaved || localStorage.getItem(name) !== before) return false; /* its page, in another window, went on */
    localStorage.removeItem(name);
    const shown = form()?.elements.draft_revision.value;
    return name.startsWith(`${prefix()}${item()}:`) && answer.headers.get("Draft-Revision") !== shown;
  };
  /* What other pages kept is sent, once for each item that comes, and until the server answers. */
  const forward = async () => {
    clearTimeout(forwarding);
    forwarding = 0;
    let isOld = false;
    try {
      for (const name of stored()) if (!form() || name !== key()) isOld = (await resend(name)) || isOld;
    } catch {
      forwarding = setTimeout(forward, RETRY);
    }
    if (!isOld || sent !== here.sent || typing) return;
    /* A panel with something to choose comes again. */
    const notes = [...document.querySelectorAll("[data-kept]:not(:has([data-take]))")];
    sessionStorage.setItem(prefix(), notes.map((each) => each.outerHTML).join(""));
    location.reload();
  };
  const arrive = () => {
    if (item() === here.item) return;
    here = { item: item(), sent };
    [saved, failedSubmit] = [sent, ""];
    clearTimeout(retry);
    forward();
  };
  document.addEventListener("htmx:afterSettle", () => setTimeout(arrive));
  document.addEventListener("DOMContentLoaded", () => {
    for (const each of Object.keys(localStorage))
      if (each.startsWith("evenhand:") && !each.startsWith(prefix())) localStorage.removeItem(each); /* another's */
    /* A page that the browser shows once more as it first came is another page: it has sent nothing yet. */
    const bytes = crypto.getRandomValues(new Uint8Array(8));
    if (form()) writer().value = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    const notes = sessionStorage.getItem(prefix()) ?? ""; /* from before the page was loaded once more */
    sessionStorage.removeItem(prefix());
    document.querySelector("main").before(document.createRange().createContextualFragment(notes));
    arrive();
  });
  window.addEventListener("online", () => {
    if (isOpen()) attempt();
    if (forwarding) forward();
  });

  /* Signing out wipes what this browser keeps: it waits for that, and where it cannot be sent, asks once. */
  document.addEventListener("submit", async (event) => {
    if (!event.target.matches("[data-sign-out]")) return;
    signingOut = warned || !(isOpen() || stored().length);
    if (signingOut) return;
    event.preventDefault();
    warned = true;
    if (typing) send();
    forward();
    for (const end = Date.now() + RETRY; (isOpen() || stored().length) && Date.now() < end;) await pause(50);
    if (stored().length) {
      desk.warn("stillKept");
      return again();
    }
    if (isOpen()) return;
    signingOut = true;
    event.target.submit();
  });
}
