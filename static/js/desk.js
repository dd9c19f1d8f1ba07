/* The desk's behaviours, a block each, in one file, since each file is a request more before the desk works. */
"use strict";

/* One request at a time, and nothing acts on what is not there yet.

   `evenhand.busy`: a submit is on its way; until the next item is painted, keys and clicks do nothing, not even those
   that the browser hands on only then.
   `evenhand.waiting`: a verdict is on its way; what depends on it (a score, a submit) waits in a queue, in order.
   A barred level cannot be picked: it takes the focus, and its reasons are shown and announced. */
{
  const desk = (window.evenhand ??= {});
  const queue = [];
  const verdicts = new Set();
  let submit = null;
  let painted = 0; /* when the item was, on the clock of the events */
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
  /* Told twice: by htmx, which says so to an element that may be on the page no more, and by the request itself. */
  const end = (xhr) => {
    if (verdicts.delete(xhr)) {
      desk.waiting = verdicts.size;
      queueMicrotask(goOn);
    }
    if (submit !== xhr) return;
    submit = null;
    /* Free again when the new item has been painted: two frames from here. */
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        desk.busy = false;
        painted = performance.now();
      }),
    );
  };
  const isSubmit = (element) =>
    element?.matches?.("[data-submit], [data-back]"); /* what ends the work on this item, or for now */
  const isVerdict = (element) => element?.matches?.(".answers, .scale, .fact, [data-look-up]");
  /* What is in the way, by the name of its words; "" where nothing is any more. */
  desk.warn = (what) => {
    const place = document.querySelector("[data-trouble]");
    if (!place || (place.hidden && !what)) return;
    place.dataset.away ??= place.textContent;
    place.textContent = place.dataset[what || "away"];
    place.hidden = !what;
  };

  for (const kind of ["click", "keydown", "keypress", "beforeinput", "mousedown"]) {
    document.addEventListener(
      kind,
      (event) => {
        if (!(desk.busy || event.timeStamp < painted) || !event.isTrusted || event.target.closest?.("dialog, .bar"))
          return;
        event.preventDefault();
        event.stopImmediatePropagation();
      },
      true,
    );
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

  /* A request that a newer one replaces is no error, and htmx would say so in the console. Its logger is asked
     first. */
  let replacing = false;
  document.addEventListener(
    "htmx:abort",
    () => {
      replacing = true;
      queueMicrotask(() => {
        replacing = false;
      });
    },
    true,
  );
  htmx.logger = (element, name, detail) => {
    if (replacing && ["htmx:afterRequest", "htmx:sendAbort"].includes(name)) delete detail.error;
  };

  document.addEventListener("htmx:confirm", (event) => {
    if (desk.busy && !isSubmit(event.target)) event.preventDefault();
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    const { elt, xhr } = event.detail;
    desk.warn("");
    xhr.addEventListener("loadend", () => end(xhr));
    if (isSubmit(elt)) {
      /* Texts that are on their way are this item's, not the next one's. */
      for (const look of document.querySelectorAll("#look [data-hx-get]")) htmx.trigger(look, "htmx:abort");
      submit = xhr;
      desk.busy = true;
      queue.length = 0;
    } else if (isVerdict(elt)) desk.waiting = verdicts.add(xhr).size;
  });
  /* htmx takes leave of each element by two events, which takes longer than all else it does: most leave before, once
     the others have looked at them. Who asked stays, and what has the focus, which htmx hands on; but for a submit. */
  for (const kind of ["htmx:beforeSwap", "htmx:oobBeforeSwap"]) {
    window.addEventListener(kind, ({ detail: { requestConfig, shouldSwap, target } }) => {
      const elt = requestConfig?.elt; /* none of what comes beside what was asked for */
      const goes = isSubmit(elt) || !(target.contains(elt) || target.contains(document.activeElement));
      if (shouldSwap && goes && (!elt || elt.dataset.hxSwap === "outerHTML")) target.replaceChildren();
    });
  }
  document.addEventListener("htmx:afterRequest", (event) => {
    const { successful, xhr, requestConfig } = event.detail;
    const elt =
      requestConfig.elt; /* detail.elt is what remains on the page, once a submit has replaced its own button */
    end(xhr);
    if (isSubmit(elt) && !successful && xhr.status !== 422) document.getElementById("submit")?.focus();
  });
  for (const kind of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
    document.addEventListener(kind, (event) => {
      if (isSubmit(event.detail.requestConfig?.elt)) queue.length = 0;
      /* 403: the page's token is of a log-in that is over. Anything else may work when it is tried again. */
      desk.warn(event.detail.xhr?.status === 403 ? "signedAnew" : "away");
    });
  }
}

/* What is entered is never lost. The server keeps it as a draft: with every verdict, and a moment after the last key.
   While the server is away, this browser keeps it, says so, and sends it once the server answers again; so it does
   with what a log-in page came in the way of, or a page closed too soon. Signing out wipes what a browser keeps. */
{
  const desk = window.evenhand;
  const [PAUSE, RETRY] = [800, 3000]; /* ms */
  const MOST_TAKEN = 20; /* pages, whose forms were taken over one after the other */
  const pause = (time) => new Promise((go) => setTimeout(go, time));
  let [number, typed, retry, leaving] = [0, 0, 0, ""];
  const pending = new Set(); /* forms that are on their way */
  let [meant, signingOut] = [false, false];
  let brings = false; /* whether what was kept is yet to be judged */
  let failed = 0; /* the last of what was sent that had no answer */
  let [brought, wentOn] = ["", false]; /* as it was sent for that; whether it says something else by now */

  const form = () => document.getElementById("rating");
  const path = () => form()?.getAttribute("action");
  const name = () => form()?.dataset.keptAs; /* an item's, whatever lease it comes by */
  /* One's own, by item and by page: two windows of a browser may keep the same item. */
  const prefix = (of = "") => `evenhand:${document.getElementById("trouble").dataset.who}:${of && `${of}:`}`;
  const key = (writer = whole().value, of = name()) => prefix(of) + writer;
  const stored = (of) => Object.keys(localStorage).filter((each) => each.startsWith(prefix(of)));
  const say = (what) => {
    const place = document.getElementById("draft-state");
    if (place) place.textContent = place.dataset[what];
  };
  /* What is sent is numbered, so that what comes late cannot undo what came after it. */
  const count = (before = 0) => {
    number = Math.max(number, before) + 1;
    if (form()) form().elements.draft_number.value = number;
    return String(number);
  };
  /* Whether this browser keeps it. */
  const keep = (to = form().dataset.draft) => {
    if (signingOut) return true; /* a request that goes with its page says so after what is kept here was wiped */
    try {
      localStorage.setItem(key(), JSON.stringify({ to, fields: [...new FormData(form())] }));
      return true;
    } catch {
      desk.warn("full"); /* no room: only this page has it */
      return false;
    }
  };
  const ask = (url, options) => htmx.ajax("POST", url, options).catch(() => {}); /* told by htmx:sendError */
  /* Who asks: a field, for htmx would send the form itself to where the button leads that was clicked last. */
  const whole = () => form().elements.draft_writer;
  const send = () => {
    clearTimeout(typed);
    typed = 0;
    if (form() && !desk.busy) return ask(form().dataset.draft, { source: whole(), swap: "none" });
  };
  /* A moment after the last key; while a skip is on its way, after that, if the item is still here then. */
  const soon = (of = name()) => {
    clearTimeout(typed);
    typed = setTimeout(() => {
      typed = 0;
      if (desk.busy) soon(of);
      else if (name() === of) send();
    }, PAUSE);
  };
  const again = () => {
    clearTimeout(retry);
    retry = setTimeout(attempt, RETRY);
  };
  /* What an earlier page kept of this item is put into the form at once, and judged when the server can be reached:
     what is shown is what is kept, whatever becomes of the network meanwhile. */
  const put = (fields) => {
    for (const field of form().elements) {
      if (
        !field.name ||
        ["csrfmiddlewaretoken", "draft_writer", "draft_number"].includes(field.name) ||
        field.type === "submit"
      )
        continue;
      const values = fields.filter(([name]) => name === field.name).map(([, value]) => value);
      if (["radio", "checkbox"].includes(field.type)) field.checked = values.includes(field.value);
      else if (values.length) [field.value] = values;
    }
    /* Of what the server has not shown yet, such as a claim that was looked up: it goes along until it is. */
    for (const [name, value] of fields.filter(([each]) => !form().elements[each])) {
      form().append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
    }
  };
  const said = () =>
    JSON.stringify([...new FormData(form())].filter(([each]) => !["draft_number", "active_seconds"].includes(each)));
  const bring = () => {
    brings = true;
    [brought, wentOn] = [said(), false];
    return ask(form().dataset.verdict, { source: whole(), target: "#desk", swap: "outerHTML" });
  };
  const attempt = () => {
    if (desk.busy) return again();
    if (brings) return bring();
    if (leaving && leaving === path()) document.getElementById("submit").click();
    else send();
  };
  /* What was said of a row before holds no more, nor does what it barred. */
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
    const target = row.closest("[data-target]");
    const place = [...target.querySelectorAll("[data-row]")].indexOf(row);
    const picked = document.getElementById(`strip-${target.id}`)?.querySelectorAll(".score")[place];
    if (picked) picked.textContent = row.querySelector(".scale :checked")?.value ?? "–";
    if (row === desk.row()) desk.mark(row);
  };
  /* One row after the other: what judges it, or takes its place, is followed by the next. */
  const judge = () => {
    const row = desk.rows().find((each) => "unjudged" in each.dataset);
    const answers = row && document.getElementById(`${row.id}-answers`);
    if (answers && !desk.waiting)
      ask(answers.getAttribute("data-hx-post"), { source: answers, target: `#${row.id}-outcome`, swap: "outerHTML" });
  };

  document.addEventListener("input", ({ target }) => {
    meant = false;
    if (target.form !== form() || target.closest(".answers, .scale")) return;
    leaving = "";
    say("changed");
    soon();
  });
  document.addEventListener("change", () => {
    leaving = "";
  });
  /* Both versions were shown, and the other one was chosen, or both. */
  document.addEventListener("click", ({ target }) => {
    const take = target.closest?.("[data-take]");
    if (take) localStorage.removeItem(take.dataset.take ? prefix() + take.dataset.take : key());
    target.closest?.("[data-kept] button[type=button]")?.closest("[data-kept]").remove();
  });
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    if (detail.parameters.draft_number === undefined) return;
    clearTimeout(typed);
    typed = 0;
    detail.parameters.draft_number = count(Number(detail.parameters.draft_number));
  });
  document.addEventListener("htmx:beforeRequest", ({ detail }) => {
    const { elt, parameters } = detail.requestConfig;
    if (parameters.draft_number === undefined) {
      if (typed && form() && elt.matches("[data-submit]"))
        keep(); /* skipped before it was saved: it is sent beside the next item */
      return;
    }
    pending.add(detail.xhr);
    detail.xhr.addEventListener("loadend", () => pending.delete(detail.xhr));
  });
  /* The answer to what was brought is of what was sent: who has gone on meanwhile keeps that, and it is sent anew. */
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    if (detail.requestConfig.elt !== form()?.elements.draft_writer || detail.target.id !== "desk") return;
    wentOn = said() !== brought;
    detail.shouldSwap &&= !wentOn;
  });
  /* What gave way to another row's verdict is judged after it. */
  document.addEventListener("htmx:sendAbort", ({ detail }) => {
    const row = detail.requestConfig?.elt.closest("[data-row]");
    if (row) unjudge(row);
  });
  document.addEventListener("htmx:beforeOnLoad", (event) => {
    const { detail } = event;
    /* Of two versions neither is the server's until one was chosen: this one stays here, whatever becomes of the
       page. */
    const refused = detail.xhr.status === 409 && detail.requestConfig.parameters.draft_number !== undefined;
    const to = detail.xhr.getResponseHeader("HX-Redirect"); /* to the log-in, unless one leaves */
    if (form() && (refused || (to && to !== detail.elt.dataset.back && !detail.elt.matches("[data-take]")))) keep();
    /* A reason that was written goes along through the log-in as without scripts. */
    if (to?.includes("next=") && detail.elt.closest("[data-concern]")) {
      event.preventDefault();
      detail.elt.form.requestSubmit(detail.elt);
    }
  });
  document.addEventListener("htmx:afterRequest", ({ detail }) => {
    const { elt, path: asked, parameters } = detail.requestConfig;
    if (parameters.draft_number === undefined) return;
    pending.delete(detail.xhr);
    if (!detail.successful) return;
    if (Number(parameters.draft_number) < failed) {
      /* what came after it is not there */
      say("away");
      return again();
    }
    clearTimeout(retry);
    if (elt.matches("[data-submit]")) leaving = "";
    else if (leaving) again(); /* what was on its way beside a submit that failed */
    if (asked === form()?.dataset.verdict) {
      if (wentOn) return void setTimeout(bring);
      if (brings && detail.xhr.status !== 409) setTimeout(take);
      brings = false;
    }
    if (brings) again();
    const submitted = elt.matches("[data-submit]");
    if (form() || submitted)
      localStorage.removeItem(key(parameters.draft_writer, submitted ? elt.form.dataset.keptAs : name()));
    if (detail.xhr.status === 409) {
      if (form()) keep(); /* by the name of the page as it came back */
    } else if (submitted) {
      brings = false;
    } else if (form()) {
      /* By its name: elt may have been replaced. What a claim asks stands apart from the row. */
      if (elt.matches(".answers")) delete document.getElementById(elt.id.replace(/-answers$/, "")).dataset.unjudged;
      judge();
      if (typed) say("changed"); /* after what was sent */
    }
  });
  for (const kind of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
    document.addEventListener(kind, ({ detail }) => {
      const { elt } = detail.requestConfig;
      if (!form()?.contains(elt) || detail.xhr.status === 404) return;
      const submitting = elt.matches("[data-submit]");
      failed = Math.max(failed, Number(detail.requestConfig.parameters.draft_number) || 0);
      say(keep(submitting ? path() : form().dataset.draft) ? "away" : "changed");
      const concerned = (row) => brings || (!submitting && (row.contains(elt) || row.id === elt.dataset.judges));
      desk.rows().filter(concerned).forEach(unjudge);
      if (submitting) leaving = path();
      if (detail.xhr.status !== 403) again();
    });
  }
  window.addEventListener("online", attempt);
  /* The next page is asked for before this one goes: what is on its way then, or sent in between, is not on it. */
  let [going, asking] = [false, null];
  /* The answer to signing out wipes what is kept here, and comes before the page goes: from then on nothing is kept.
     What is on its way is waited for; where something is in its way, one sees that first, and signs out by a second
     click. */
  document.addEventListener("submit", async (event) => {
    if (!event.target.matches("[data-sign-out]")) return;
    signingOut = meant || !(typed || pending.size || stored().length);
    if (signingOut) return;
    event.preventDefault();
    meant = true;
    if (typed) send();
    await Promise.race([forward(), pause(RETRY)]);
    for (const end = Date.now() + RETRY; pending.size && Date.now() < end;) await pause(50);
    const left = stored().length;
    if (left) desk.warn("stillKept");
    if (pending.size || typed || left) return;
    signingOut = true;
    event.target.submit();
  });
  window.addEventListener("beforeunload", () => {
    going = [...pending].some((xhr) => xhr.readyState < XMLHttpRequest.DONE);
    asking = number;
  });
  window.addEventListener("pagehide", () => {
    const sent = asking !== null && number !== asking;
    if (signingOut || !(typed || pending.size || going || sent) || !form()) return;
    count();
    keep();
    navigator.sendBeacon(form().dataset.draft, new FormData(form()));
  });

  const REFUSED = [400, 404, 413]; /* for good */
  let [forwarded, forwards] = [false, 0];
  /* A panel above the page of something that was kept, once. */
  const tell = (panel, ...parts) => {
    if (panel && !document.getElementById(panel.getAttribute("aria-labelledby"))) {
      document.querySelector("main").before(panel, ...parts);
    }
  };
  /* What no server takes is shown as it is, to be copied. */
  const showRefused = (found, fields) => {
    const panel = document.getElementById("refused").content.firstElementChild.cloneNode(true);
    const name = found.slice(prefix().length);
    panel.querySelector("h2").id = `refused-${name}`;
    panel.setAttribute("aria-labelledby", `refused-${name}`);
    panel.querySelector("[data-take]").dataset.take = name;
    const said = fields.filter(([each, value]) => value && (each.includes(".") || each === "comment"));
    panel.querySelector("textarea").value = said.map(([each, value]) => `${each}: ${value}`).join("\n");
    tell(panel);
  };
  /* What an earlier page could not send: of this item, it is shown; of others, it goes where it was to go, as soon as
     that can be reached, and what it says of this item is then in the draft. `fresh`: nobody has begun on this page. */
  const forward = async ({ anew = true, fresh = false } = {}) => {
    const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
    let away = false;
    for (const found of Object.keys(localStorage).filter((each) => each.startsWith("evenhand:"))) {
      if (form() && found.startsWith(prefix(name()))) continue;
      if (found.startsWith(prefix())) {
        /* one's own; another person's goes unsent */
        const kept = localStorage.getItem(found);
        if (!kept) continue; /* another window was quicker */
        const { to, fields, refused } = JSON.parse(kept);
        if (refused && !anew) continue;
        const body = new URLSearchParams({ ...Object.fromEntries(fields), kept: "1", csrfmiddlewaretoken: token });
        const answer = await fetch(to, { method: "POST", body, headers: { "HX-Request": "true" } }).catch(() => {});
        if (signingOut) return; /* what is kept here is wiped, and stays so */
        away ||= !(answer?.status < 500);
        if (answer?.ok || answer?.status === 409) {
          const parts = document.createRange().createContextualFragment(await answer.text());
          tell(parts.querySelector("[data-kept]"), parts);
        }
        if (REFUSED.includes(answer?.status)) showRefused(found, fields);
        if (REFUSED.includes(answer?.status) || answer?.status === 409) {
          /* it stays until its own page shows both versions, or one chose in the panel here */
          if (localStorage.getItem(found) === kept)
            localStorage.setItem(found, JSON.stringify({ to, fields, refused: true }));
          continue;
        }
        /* Where the log-in of this page is over, the page after the next one sends it. */
        if (!answer?.ok || answer.headers.get("HX-Redirect")?.includes("next=")) continue;
        forwarded = true;
        if (localStorage.getItem(found) !== kept)
          continue; /* its page, in another window, went on meanwhile, as above */
      }
      localStorage.removeItem(found);
    }
    clearTimeout(forwards);
    if (away) forwards = setTimeout(forward, RETRY, { anew: false });
    else if (forwarded && fresh && form() && !document.querySelector("[data-kept]")) location.reload();
  };
  /* What was kept of the item that is here now: this page goes on from there, and says from which page. Of two that are
     kept the second comes after the first has been judged, and both are shown. */
  const take = () => {
    const found = form() && stored(name()).find((each) => each !== key());
    if (!found) return;
    const { fields } = JSON.parse(localStorage.getItem(found));
    const { draft_writer: writer, draft_number: sent, draft_taken: before = "" } = Object.fromEntries(fields);
    const taken = [...before.split(" ").filter(Boolean), `${writer}.${sent}`].slice(-MOST_TAKEN).join(" ");
    put([...fields.filter(([each]) => each !== "draft_taken"), ["draft_taken", taken]]);
    localStorage.removeItem(found);
    keep();
    brings = true;
    if (desk.busy) again();
    else bring().then(() => wentOn || desk.isTyping() || desk.start());
  };
  /* Whether with the page, or in the place of another item: what was kept of that one can go now. */
  let here;
  const recover = () => {
    if (name() === here) return;
    here = name();
    take();
    forward();
  };
  document.addEventListener("htmx:afterSettle", () =>
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(recover))),
  );
  document.addEventListener("DOMContentLoaded", () => {
    here = name();
    /* A page that the browser shows once more as it first came is another page: it has sent nothing yet. */
    const bytes = crypto.getRandomValues(new Uint8Array(8));
    if (here) whole().value = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    take();
    forward({ fresh: true });
  });
}

/* Where one is: the current row and response, and where to go next. The server says what is complete. */
{
  const desk = (window.evenhand ??= {});
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  let last = "";

  desk.rows = () => all("[data-row]");
  desk.row = () => document.activeElement?.closest?.("[data-row]") ?? document.getElementById(last);

  desk.mark = (row) => {
    if (!row) return;
    last = row.id;
    for (const other of all("[data-row].current")) if (other !== row) other.classList.remove("current");
    row.classList.add("current");
    const place = document.querySelector("[data-foot-verdict]");
    if (place) {
      const words = row.querySelector("[data-headline]")?.textContent ?? "";
      const name = row.closest(".rows-1") ? "" : `${row.querySelector("h3 > :last-child").textContent} · `;
      const told = name + words; // the strip says of which response
      if (place.textContent !== told) place.textContent = told;
    }
    desk.read?.();
  };

  /* Whether it was not there before. */
  desk.show = (target, still) => {
    if (!target) return false;
    for (const other of all("[data-target].current")) if (other !== target) other.classList.remove("current");
    const changed = !target.classList.contains("current");
    target.classList.add("current");
    markStrip();
    if (changed && !still) bringIntoView(target);
    return changed;
  };

  const markStrip = () => {
    const shown = document.querySelector("[data-target].current")?.id;
    for (const link of all("[data-show]")) {
      if (link.dataset.show !== shown) {
        link.removeAttribute("aria-current");
        continue;
      }
      link.setAttribute("aria-current", "true");
      const bar = link.closest("ol, nav"); /* where not all have room, it scrolls by itself: never the page */
      if (bar.scrollWidth > bar.clientWidth)
        bar.scrollLeft = link.offsetLeft - (bar.clientWidth - link.offsetWidth) / 2;
    }
  };

  /* The newest turn and the response first; what came before is one scroll above. */
  const bringIntoView = (target) => {
    const head = document.querySelector(".bar")?.getBoundingClientRect().bottom ?? 0;
    const persona = document.querySelector(".persona")?.offsetHeight ?? 0;
    const newest = document.querySelector("[data-newest]");
    const text = target.querySelector(".response");
    const room = window.innerHeight - Math.max(0, head) - persona;
    const from =
      newest && text.getBoundingClientRect().top - newest.getBoundingClientRect().top < room / 2 ? newest : text;
    const top = from.getBoundingClientRect().top + window.scrollY - Math.max(0, head) - persona - 16;
    if (document.documentElement.scrollHeight > window.innerHeight) window.scrollTo(0, top < room / 4 ? 0 : top);
  };

  /* To a row; `still`: what is read stays where it is. */
  desk.go = (row, still) => {
    if (!row) return;
    desk.mark(row); /* before anything is measured: what changes after that is laid out once more */
    const changed = desk.show(row.closest("[data-target]"), still);
    row.focus({ preventScroll: true });
    /* Beside its panel a response stays where it is. Above it, a response that was not there before is read first. */
    const beside = getComputedStyle(row.closest(".panel")).position === "fixed";
    if (beside || !changed || row.querySelector(".error")) row.scrollIntoView({ block: "nearest" });
  };

  /* To a response, by tab, strip, key or click: to the first of its rows that is not complete. */
  desk.enter = (target, still) =>
    desk.go(target.querySelector("[data-row]:not(:has([data-complete]))") ?? target.querySelector("[data-row]"), still);

  /* Whether something is still to be done in a row: not complete, refused at submit, or asked and not answered. */
  const ASKED = ".detection:not(:has(:checked))";
  const asked = (row) => row.querySelector(ASKED);
  desk.isOpen = (row) =>
    !row.querySelector("[data-complete]") || Boolean(row.querySelector(".verdict .error") ?? asked(row));

  /* The next open row, in the order of the page and then from its beginning; else Submit. */
  desk.goOn = (row) => {
    const rows = desk.rows();
    const at = rows.indexOf(row);
    const open = [...rows.slice(at + 1), ...rows.slice(0, at + 1)].find(desk.isOpen);
    if (!open) {
      document.getElementById("submit")?.focus();
      return;
    }
    desk.go(open);
    if (open.querySelector("[data-complete]")) asked(open)?.querySelector("input").focus();
  };

  desk.start = () => {
    const summary = document.querySelector("[data-summary]");
    const rows = desk.rows();
    if (!rows.length) {
      document.querySelector("[data-entry]")?.focus();
      return;
    }
    const place = document.getElementById(
      summary?.querySelector("[data-goto]")?.hash.slice(1),
    ); /* of the first thing in it */
    const first = place?.closest("[data-row]") ?? rows.find(desk.isOpen) ?? rows[0];
    if (summary) {
      desk.show(first.closest("[data-target]"));
      desk.mark(first);
      (place?.closest("[data-target].current") ? place : first).scrollIntoView({ block: "nearest" });
      summary.focus({ preventScroll: true });
      summary.scrollIntoView();
    } else {
      desk.go(first);
      if (document.getElementById("rated")) window.scrollTo(0, 0); /* what it is, and whether it can be corrected */
      else bringIntoView(first.closest("[data-target]"));
    }
  };

  document.addEventListener("focusin", (event) => {
    const row = event.target.closest?.("[data-row]");
    if (row) desk.mark(row);
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("[data-show], [data-goto]");
    const beside = event.target.closest?.("[data-target]:not(.current) .response");
    if (beside && !event.target.closest("a, button, summary, input, label") && getSelection().isCollapsed)
      desk.enter(beside.closest("[data-target]"), true);
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const place = document.getElementById(link.hash.slice(1));
    if (!place) return;
    event.preventDefault();
    const target = place.closest("[data-target]") ?? place.querySelector("[data-target]");
    desk.show(target);
    if (place.matches("[data-target], #sets")) desk.enter(place);
    else {
      place.focus();
      place.scrollIntoView({ block: "nearest" });
    }
  });

  /* After a score: on, when the row is complete. After a submit: to the first row, or to what is to be mended. */
  let scored = "";
  document.addEventListener("change", (event) => {
    scored = event.target.closest?.(".scale") ? event.target.closest("[data-row]").id : "";
  });
  let seen = null; /* htmx tells it of every part of an answer, when all of them are in their places */
  document.addEventListener("htmx:afterSwap", ({ detail: { requestConfig, xhr } }) => {
    if (xhr === seen) return;
    seen = xhr;
    const { elt } = requestConfig;
    if (elt.matches("[data-submit]")) {
      scored = "";
      desk.start();
      const concern = document.querySelector("[data-concern][open]"); /* refused: what is wrong stands there */
      if (concern) return void concern.querySelector("input[type=radio]").focus();
      const { stored } = document.getElementById("desk").dataset;
      const told = document.querySelector("#desk > .notice") ? stored : (elt.dataset.stored ?? stored);
      if (!document.querySelector("[data-summary]")) desk.announce(told);
      return;
    }
    markStrip();
    const row = document.getElementById(last);
    desk.mark(row);
    /* A remark on the score just given is read before going on: the same digit again, or Enter, goes on. */
    const settled = row?.querySelector("[data-complete]") && !row.querySelector(".verdict .remark");
    if (scored && scored === row?.id && settled && desk.advance) desk.goOn(row);
    scored = "";
    desk.advance = false;
  });
  document.addEventListener("DOMContentLoaded", () => desk.start());
}

/* The texts in another view are longer or shorter: what one reads stays where it is, however deep in it one was. */
{
  const change = (event) => event.detail.requestConfig?.elt.closest("#look, [data-look]");
  let place = null;

  document.addEventListener("htmx:beforeSwap", (event) => {
    if (!change(event)) return;
    const head = document.querySelector(".bar").getBoundingClientRect().bottom;
    const texts = [...document.querySelectorAll("[data-said]")].filter((text) => text.checkVisibility());
    const text = texts.find((each) => each.getBoundingClientRect().bottom > Math.max(0, head) + 32);
    if (!text) return;
    const { top, height } = text.getBoundingClientRect();
    place = { name: text.dataset.said, top, depth: Math.min(0, top) / height };
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (!place || !change(event)) return;
    const { top, height } = document.querySelector(`[data-said="${place.name}"]`).getBoundingClientRect();
    window.scrollBy(0, top - (place.depth ? place.depth * height : place.top));
    place = null;
  });
}

/* Seconds of work on this item: those in which the page was in sight, not paused, and had been used within the last
   minute. While there is work, and for half an hour of a pause, the server hears of it every two minutes
   (`evenhand:active`), so that the item stays lent. What is entered stays in the page, however long the pause. */
{
  const desk = (window.evenhand ??= {});
  const IDLE = 60_000,
    TOLD = 120_000,
    KEPT = 1_800_000; /* milliseconds */
  let seconds = 0;
  let used = Date.now(),
    told = used,
    paused = 0;
  let form = "";
  let place = null; /* where the focus is on the desk */

  for (const kind of ["pointermove", "pointerdown", "keydown", "wheel", "touchmove"]) {
    document.addEventListener(
      kind,
      () => {
        used = Date.now();
      },
      { passive: true },
    );
  }
  document.addEventListener("focusin", (event) => {
    if (event.target.closest("#desk")) place = event.target;
  });
  const tell = () => {
    told = Date.now();
    htmx.trigger(document.body, "evenhand:active");
  };
  /* The dialog makes all else inert, and covers it. */
  desk.pause = () => {
    const dialog = document.getElementById("pause");
    if (!dialog || dialog.open) return void dialog?.close();
    paused = Date.now();
    dialog.showModal();
  };
  document.addEventListener(
    "close",
    (event) => {
      if (event.target.id !== "pause") return;
      paused = 0;
      used = Date.now();
      tell(); /* the item may have gone back meanwhile, and may still be free */
      if (place?.isConnected) place.focus({ preventScroll: true });
      else desk.start();
      desk.announce(event.target.dataset.over);
    },
    true,
  );

  setInterval(() => {
    const now = Date.now();
    for (const clock of document.querySelectorAll("[data-left]")) {
      clock.until ??= now + 1000 * clock.dataset.left;
      const left = Math.max(0, Math.ceil((clock.until - now) / 1000));
      clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
      const over = document.getElementById(clock.dataset.over);
      if (left || !over.hidden) continue;
      over.hidden = false;
      desk.announce(over.textContent);
    }
    const field = document.querySelector("[data-active-seconds]");
    if (!field) return;
    /* Another item, or the next correction; the same one come back for mending goes on counting. */
    const which = `${field.form.action} ${field.form.elements.revision?.value}`;
    if (which !== form) {
      form = which;
      seconds = Number(field.value);
    }
    const works = !paused && document.visibilityState === "visible" && now - used <= IDLE;
    if (works) seconds += 1;
    field.value = String(seconds);
    if ((works || (paused && now - paused < KEPT)) && now - told >= TOLD) tell();
  }, 1000);

  /* A look-up has begun: what was written of other claims since it was sent stays, and the search opens beside. */
  let asked = {};
  document.addEventListener("htmx:beforeRequest", ({ detail }) => {
    if (detail.elt.matches("[data-look-up]")) asked = detail.requestConfig.parameters;
  });
  document.addEventListener("htmx:oobBeforeSwap", ({ detail }) => {
    for (const field of detail.fragment.querySelectorAll(".fact textarea")) {
      const before = document.getElementsByName(field.name)[0]?.value;
      if (asked[field.name] !== undefined && before !== undefined && before !== asked[field.name]) field.value = before;
    }
  });
  document.addEventListener("htmx:oobAfterSwap", () => {
    const search = document.querySelector("[data-follow]");
    if (!search) return;
    search.removeAttribute("data-follow");
    search.click();
  });

  document.addEventListener("DOMContentLoaded", () => {
    const zone = document.querySelector("[data-zone]");
    if (zone) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
  });
}
