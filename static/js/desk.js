/* The desk: one request at a time, where one is, how long one works, and the rubric's words. What the three scripts
   share (`window.evenhand`, events) is listed in docs/architecture.md, "The desk's scripts". */
"use strict";
{
  const desk = (window.evenhand = {});

  /* One request at a time, and nothing acts on what is not there yet. */
  const queue = [];
  const verdicts = new Set();
  let submit = null;
  let painted = 0; /* when the item was, on the clock of the events */
  let early = false; /* a key came before that */
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
  /* Told by htmx, to an element that may be gone, and by the request itself. */
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
        if (early && xhr.status === 200) desk.hint("early");
        early = false;
      }),
    );
  };
  const isSubmit = (element) =>
    element?.matches?.("[data-submit], [data-back]"); /* what ends the work on this item, or for now */
  const isVerdict = (element) => element?.matches?.(".answers, .scale, .fact, [data-look-up]");
  desk.isRefused = (status) => [400, 404, 413].includes(status); /* no later try changes that */
  /* What is in the way, by the name of its words; "" where nothing is any more. */
  desk.warn = (what) => {
    const place = document.querySelector("[data-trouble]");
    if (!place || (place.hidden && !what)) return;
    place.dataset.away ??= place.textContent;
    const words = place.dataset[what || "away"];
    if (place.textContent !== words) place.textContent = words; /* else it is read out at each try */
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
        early ||= kind === "keydown" && (event.key.length === 1 || event.key === "Enter");
      },
      true,
    );
  }

  let pressed = null; /* the score clicked, until it has changed something */
  document.addEventListener("click", (event) => {
    /* By mouse: the arrows then lead to another row, and do not change the answer. */
    if (event.detail && event.target.matches?.(".choice input"))
      event.target.closest("[data-row]")?.focus({ preventScroll: true });
    const level = event.target.closest?.(".level input");
    if (!level) return;
    /* By mouse or finger it leads on as by key: only these clicks have a number. */
    const isBarred = level.matches("[aria-disabled]");
    /* The second click of two would give the next row the score under the pointer. */
    if (event.detail > 1) return event.preventDefault();
    if (event.detail && !isBarred && level.form?.matches("[data-moves-on]")) {
      desk.advance = true;
      pressed = level;
      setTimeout(() => {
        if (pressed !== level) return; /* the score that was given already: on, where it is complete */
        desk.advance = false;
        const row = level.closest("[data-row]");
        if (row?.querySelector("[data-complete]")) desk.goOn(row);
      });
    }
    if (!isBarred) return;
    event.preventDefault();
    if (desk.waiting) {
      const id = level.id;
      desk.inTurn(() => document.getElementById(id)?.click());
      return;
    }
    level.focus();
    /* Why it is barred comes first under the scores, in full, until the next verdict. */
    const why = document.getElementById(level.dataset.why).cloneNode(true);
    const verdict = level.closest("[data-row]").querySelector("[data-verdict]");
    verdict.querySelector(".asked-why")?.remove();
    why.removeAttribute("id");
    why.className = "asked-why";
    verdict.prepend(why);
    verdict.scrollTop = 0;
    desk.announce(why.textContent.replace(/\s+/g, " ").trim());
  });

  document.addEventListener("change", (event) => {
    event.target.closest?.("[aria-invalid]")?.removeAttribute("aria-invalid");
  });

  /* htmx logs a request that a newer one replaces as an error, which it is not. */
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
    if ((desk.busy && !isSubmit(event.target)) || isQuiet(event)) event.preventDefault();
  });
  document.addEventListener("htmx:beforeRequest", (event) => {
    const { elt, xhr } = event.detail;
    xhr.addEventListener("loadend", () => end(xhr));
    if (isSubmit(elt)) {
      /* Texts that are on their way are this item's, not the next one's. */
      for (const look of document.querySelectorAll("#look [data-hx-post]")) htmx.trigger(look, "htmx:abort");
      submit = xhr;
      desk.busy = true;
      queue.length = 0;
    } else if (isVerdict(elt)) desk.waiting = verdicts.add(xhr).size;
  });
  /* htmx sends two events to each element that it removes: slow. Most are removed before, but for the element that
     asked and the one with the focus. */
  for (const kind of ["htmx:beforeSwap", "htmx:oobBeforeSwap"]) {
    window.addEventListener(kind, ({ detail: { requestConfig, shouldSwap, target } }) => {
      const elt = requestConfig?.elt; /* none of what comes beside what was asked for */
      const goes = isSubmit(elt) || !(target.contains(elt) || target.contains(document.activeElement));
      if (shouldSwap && goes && (!elt || elt.dataset.hxSwap === "outerHTML"))
        target.replaceChildren(...(target.contains(elt) ? [elt] : [])); /* by who asked htmx finds the document */
    });
  }
  document.addEventListener("htmx:afterRequest", (event) => {
    const { successful, xhr, requestConfig } = event.detail;
    const elt =
      requestConfig.elt; /* detail.elt is what remains on the page, once a submit has replaced its own button */
    end(xhr);
    if (successful) desk.warn("");
    if (isSubmit(elt) && !successful && xhr.status !== 422) document.getElementById("submit")?.focus();
  });
  for (const kind of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
    document.addEventListener(kind, (event) => {
      if (isSubmit(event.detail.requestConfig?.elt)) queue.length = 0;
      const { status } = event.detail.xhr ?? {}; /* 403: the page's token is of a log-in that is over */
      desk.warn(status === 403 ? "signedAnew" : desk.isRefused(status) ? "refused" : "away");
    });
  }

  /* The current row and response, and where to go next. The server says what is complete. */
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  let last = "";

  desk.rows = () => all("[data-row]");
  desk.row = () => document.activeElement?.closest?.("[data-row]") ?? document.getElementById(last);

  desk.mark = (row) => {
    if (!row) return;
    last = row.id;
    for (const other of all("[data-row].current")) if (other !== row) other.classList.remove("current");
    row.classList.add("current");
    desk.hint();
    desk.showRubric();
  };

  /* Say what is left, in order. `state`: "missing" after Enter (first what the current row asks), "early" after a key
     that came before the item. `said`: what became of the item before. */
  desk.hint = (state, said = "") => {
    if (said) desk.announce(said);
    const place = document.querySelector("[data-hint]");
    if (!place) return;
    const list = (names) => new Intl.ListFormat(document.documentElement.lang).format(names);
    const row = desk.row();
    const isOpen = (target) => all("[data-row]", target).some(desk.isOpen);
    const named = (target) => document.querySelector(`#strip-${target.id} b`)?.textContent;
    const left = all("[data-target]").filter(isOpen);
    const title = (each) => each.querySelector("h3 > :last-child").textContent;
    const beside = all("[data-row]", row?.closest("[data-target]")).filter((each) => each !== row && desk.isOpen(each));
    const others = [...beside.map(title), ...left.filter((target) => !target.contains(row)).map(named)];
    const { dataset } = place;
    const some = left.length > 4 ? String(left.length) : list(left.map(named));
    let words = left.length ? dataset.toGo.replace("%s", some) : dataset.ready;
    if (state === "early") words = dataset.early;
    if (state === "missing" && row) {
      const asks = all(OPEN, row).map((question) => question.querySelector(".wording > :last-child").textContent);
      const given = row.querySelector(".scale :checked");
      if (!given) asks.push(dataset.score);
      else if (given.ariaDisabled) asks.push(dataset.barred.replace("%s", given.value));
      if (row.querySelector('[data-key="0"]') && !row.querySelector(".tick :checked")) asks.push(dataset.reason);
      const where = row.closest(".rows-1") ? "" : title(row);
      words = dataset.missing.replace("%w", `${named(row.closest("[data-target]"))} ${where}`.trim());
      words = words.replace("%s", list(asks)) + (others.length ? ` ${dataset.then.replace("%s", list(others))}` : "");
    }
    row?.classList.toggle("unfinished", state === "missing");
    words = `${said} ${words}`.trim();
    if (place.textContent !== words) place.textContent = words;
    if (state) desk.announce(words);
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
    for (const picked of all("[data-picked]")) {
      const scores = all(`#strip-${picked.dataset.picked} .score`);
      picked.textContent = scores.map((score) => score.textContent).join(" ");
    }
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

  /* Scroll to the beginning of a response, unless that is in the upper part of the window. */
  const bringIntoView = (target, share = 0.5) => {
    const text = target.querySelector(".response").getBoundingClientRect();
    const stuck = [".bar", ".pinned"].map((place) => document.querySelector(place));
    const over = stuck.reduce((sum, each) => {
      return each && getComputedStyle(each).position === "sticky" ? sum + each.offsetHeight : sum;
    }, 0);
    if (text.top >= over && text.top < share * window.innerHeight) return;
    const all = target.parentElement; /* the tabs come along */
    const top = all.matches(".listed") ? text.top : all.getBoundingClientRect().top;
    window.scrollBy(0, top - over - 8);
  };

  /* To a row; `still`: what is read stays where it is. */
  desk.go = (row, still) => {
    if (!row) return;
    desk.mark(row); /* before anything is measured: what changes after that is laid out once more */
    const changed = desk.show(row.closest("[data-target]"), still);
    row.focus({ preventScroll: true });
    /* Stacked, a response that was not there before is read first. */
    const beside = getComputedStyle(row.closest(".panel")).position === "fixed";
    if (beside || !changed || row.querySelector(".error")) row.scrollIntoView({ block: "nearest" });
  };

  /* To a response: to the first of its rows that is not complete. */
  desk.enter = (target, still) =>
    desk.go(target.querySelector("[data-row]:not(:has([data-complete]))") ?? target.querySelector("[data-row]"), still);

  /* A row with something to do: not complete, refused at submit, or asked and not answered. */
  const ASKED = ".detection:not(:has(:checked))";
  const OPEN = ".question:not(:has([type=radio]:checked))";
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
      window.scrollTo(0, 0); /* what is answered comes first */
      if (!document.getElementById("rated")) bringIntoView(first.closest("[data-target]"), 0.85);
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

  /* On phones the prompt folds once when it comes to lie over the response. */
  const phone = matchMedia("(width < 40rem)");
  document.addEventListener("scroll", () => {
    const prompt = phone.matches && document.querySelector(".prompt[open]:not([data-folded])");
    const under = document.querySelector("[data-target].current")?.getBoundingClientRect().top;
    if (!prompt || prompt.getBoundingClientRect().bottom <= under) return;
    prompt.dataset.folded = "";
    prompt.open = false;
  });

  desk.showScore = (row) => {
    const target = row.closest("[data-target]");
    const place = [...target.querySelectorAll("[data-row]")].indexOf(row);
    const shown = document.getElementById(`strip-${target.id}`)?.querySelectorAll(".score")[place];
    if (shown) shown.textContent = row.querySelector(".scale :checked")?.value ?? "–";
    const whole = [...target.querySelectorAll("[data-row]")].every((each) => each.querySelector("[data-complete]"));
    document.getElementById(`strip-${target.id}`)?.classList.toggle("complete", whole);
    markStrip();
  };
  /* On after a score, unless one is elsewhere by then. */
  const leadOn = (row) => {
    const isHere = row.contains(document.activeElement) || document.activeElement === document.body;
    if (desk.advance && isHere) desk.goOn(row);
    desk.advance = false;
  };
  /* The server names the scores and answers that need no verdict (docs/architecture.md). */
  const isQuiet = ({ target, detail: { triggeringEvent } }) => {
    const row = target.matches(".answers, .scale") ? target.closest("[data-row]") : null;
    const verdict = row?.querySelector("[data-verdict]");
    const isNamed = verdict?.dataset.quiet.split(" ").includes(triggeringEvent?.target.id);
    if (!isNamed || desk.waiting || "unjudged" in row.dataset) return false;
    if (target.matches(".scale")) {
      verdict.dataset.complete = "";
      for (const said of verdict.querySelectorAll(".remark, .error, .asked-why")) said.remove();
      desk.showScore(row);
    } else if (!row.querySelector(OPEN)) return false;
    desk.keepQuietly();
    desk.mark(row);
    if (target.matches(".scale")) leadOn(row);
    return true;
  };

  /* After a score: on, when the row is complete. After a submit: to the first row, or to what is to be mended. */
  let scored = "";
  document.addEventListener("change", (event) => {
    scored = event.target.closest?.(".scale") ? event.target.closest("[data-row]").id : "";
    pressed = null;
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
      const isOwn = document.querySelector("#desk > .notice, #desk > .idle");
      const told = isOwn ? stored : (elt.dataset.stored ?? stored);
      if (!document.querySelector("[data-summary]")) desk.hint("", told);
      return;
    }
    if (elt.id === "rubric") return desk.showRubric();
    markStrip();
    const row = document.getElementById(last);
    desk.mark(row);
    /* A remark on the score just given is read before going on: the same digit again, or Enter, goes on. */
    const settled = row?.querySelector("[data-complete]") && !row.querySelector(".verdict .remark");
    if (scored && scored === row?.id && settled) leadOn(row);
    scored = "";
    desk.advance = false;
  });
  document.addEventListener("DOMContentLoaded", () => desk.start());

  /* In another view texts are longer or shorter: what one reads stays where it is. */
  const change = (event) => event.detail.requestConfig?.elt.closest("#look, [data-look]");
  let reading = null; /* a text, and how deep in it */

  document.addEventListener("htmx:beforeSwap", (event) => {
    if (!change(event)) return;
    const head = document.querySelector(".bar").getBoundingClientRect().bottom;
    const texts = [...document.querySelectorAll("[data-said]")].filter((text) => text.checkVisibility());
    const text = texts.find((each) => each.getBoundingClientRect().bottom > Math.max(0, head) + 32);
    if (!text) return;
    const { top, height } = text.getBoundingClientRect();
    reading = { name: text.dataset.said, top, depth: Math.min(0, top) / height };
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (!reading || !change(event)) return;
    const { top, height } = document.querySelector(`[data-said="${reading.name}"]`).getBoundingClientRect();
    window.scrollBy(0, top - (reading.depth ? reading.depth * height : reading.top));
    reading = null;
  });

  /* Seconds of work on this item: the page was in sight, not paused, and used within the last minute. While there is
     work, and for half an hour of a pause, the server hears of it every two minutes, so that the item stays lent. */
  const IDLE = 60_000,
    TOLD = 120_000,
    KEPT = 1_800_000; /* milliseconds */
  let seconds = 0;
  let used = Date.now(),
    told = used,
    paused = 0;
  let form = "";
  let focused = null; /* where the focus is on the desk */

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
    if (event.target.closest("#desk")) focused = event.target;
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
      if (focused?.isConnected) focused.focus({ preventScroll: true });
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

  /* A look-up has begun: what was written since of other claims stays, and the search opens. */
  let lookedUp = {}; /* the form as it was sent for a look-up */
  document.addEventListener("htmx:beforeRequest", ({ detail }) => {
    if (detail.elt.matches("[data-look-up]")) lookedUp = detail.requestConfig.parameters;
  });
  document.addEventListener("htmx:oobBeforeSwap", ({ detail }) => {
    for (const field of detail.fragment.querySelectorAll(".fact textarea")) {
      const before = document.getElementsByName(field.name)[0]?.value;
      if (lookedUp[field.name] !== undefined && before !== undefined && before !== lookedUp[field.name])
        field.value = before;
    }
  });
  document.addEventListener("htmx:oobAfterSwap", () => {
    const search = document.querySelector("[data-follow]");
    if (!search) return;
    search.removeAttribute("data-follow");
    search.click();
  });

  /* The rubric beside the item: the scale of the current dimension, what bars its levels, and what the check under the
     pointer or focus means. */
  const rubric = () => document.getElementById("rubric");
  let pointed = null;

  desk.showRubric = () => {
    const row = document.querySelector("[data-row].current");
    if (!row || !rubric()) return;
    for (const part of rubric().querySelectorAll("[data-part]")) part.hidden = part.dataset.part !== row.dataset.part;
    for (const level of rubric().querySelectorAll(`[data-part="${row.dataset.part}"] [data-level]`)) {
      const input = row.querySelector(`.scale [value="${level.dataset.level}"]`);
      const why = document.getElementById(input?.dataset.why)?.firstElementChild?.firstElementChild;
      const isChosen = Boolean(input?.checked);
      const changed = isChosen !== level.matches(".chosen");
      level.classList.toggle("barred", Boolean(why));
      level.classList.toggle("chosen", isChosen);
      level.querySelector("[data-cause]").textContent = why?.textContent ?? "";
      if (changed && level.querySelector(".example")) level.querySelector(".example").open = isChosen;
      if (changed && isChosen) level.scrollIntoView({ block: "nearest" });
    }
    const about = document.getElementById(
      (pointed ?? document.activeElement.closest("[data-explain]"))?.dataset.explain,
    );
    for (const each of rubric().querySelectorAll(".check:not([hidden])")) each.hidden = each !== about;
    if (about?.matches(".check")) about.hidden = false;
    for (const button of all("[data-rubric-button][aria-expanded]"))
      button.setAttribute("aria-expanded", String(rubric().checkVisibility()));
  };
  const SHOWN = "rubric-side"; /* whether one wants it beside the item, in this browser */
  document.addEventListener("DOMContentLoaded", () => {
    if (matchMedia("(min-width: 60rem)").matches) document.body.dataset.rubric = localStorage.getItem(SHOWN) ?? "";
  });
  desk.toggleRubric = () => {
    if (!rubric().firstElementChild) htmx.trigger(rubric(), "evenhand:rubric"); /* it did not come at first */
    const state = rubric().checkVisibility() ? "closed" : "open";
    if (rubric().contains(document.activeElement)) desk.row()?.focus({ preventScroll: true });
    document.body.dataset.rubric = state;
    localStorage.setItem(SHOWN, state);
    desk.showRubric();
  };

  document.addEventListener("pointerover", ({ target }) => {
    const element = target.closest?.(".tick")?.querySelector("input") ?? target.closest?.("[data-explain]");
    if (element === pointed) return;
    pointed = element?.closest("[data-row].current") ? element : null;
    desk.showRubric();
  });
  for (const kind of ["focusin", "change"]) {
    document.addEventListener(kind, ({ target }) => {
      const element = target.closest?.("[data-explain]");
      if (document.getElementById(element?.dataset.explain)) {
        const said = element.getAttribute("aria-describedby")?.split(" ") ?? [];
        element.setAttribute("aria-describedby", [...new Set([...said, element.dataset.explain])].join(" "));
      }
      if (target.closest?.("[data-row]")) desk.hint();
      desk.showRubric();
    });
  }
}
