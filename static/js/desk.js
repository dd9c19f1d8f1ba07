/* The desk, in one file, because each file more delays the first paint (docs/adr/0006-no-front-end-build.md). Its
   sections: what both scripts share · one request at a time · where one is, and what is left · scores, by mouse as by
   key · what an answer brings, and what was entered since · the clock · the mouse · the rubric beside the item · keys ·
   buttons. */
"use strict";
{
  /* --- what both scripts share; docs/architecture.md, "The desk's scripts", has the names --- */
  const desk = (window.evenhand = { busy: false, waiting: 0 });
  let advance = ""; /* the row whose score leads on when the row is complete, by its id */
  const byId = (desk.byId = (id) => document.getElementById(id));
  const all = (desk.all = (selector, root = document) => [...root.querySelectorAll(selector)]);
  const on = (desk.on = (kinds, act, options) => {
    for (const kind of kinds.split(" ")) document.addEventListener(kind, act, options);
  });
  const ERRORS = (desk.ERRORS = "htmx:sendError htmx:responseError htmx:timeout");
  const ASKED = ".detection:not(:has(:checked))";
  const OPEN = ".question:not([hidden], .after, :has([type=radio]:checked))";
  const WANTED = "[data-wants-comment]:not([hidden])"; /* a score that needs one, and has none yet */
  const GIVEN = ".scale :is(:checked, [data-score])";
  const NUMBER = ".number input";
  const isSubmit = (element) => element.matches("[data-submit], [data-back]");

  /* Only text that is new: else it is read out again, and the page is laid out again. */
  const write = (place, text) => place.textContent === text || (place.textContent = text);
  const announce = (text) => (byId("announcer").textContent = text);
  desk.warn = (what) => {
    const place = byId("trouble");
    place.dataset.away ??= place.textContent;
    write(place, place.dataset[what || "away"]);
    place.hidden = !what;
  };
  desk.isRefused = (status) => [400, 404, 413].includes(status);

  /* --- one request at a time --- */
  const queue = [];
  let isActing = false;
  const run = (act) => {
    isActing = true;
    try {
      act();
    } finally {
      isActing = false;
    }
  };
  /* When the item was painted; what the mouse is down on; the score there; if a skip is out, or again. */
  let [painted, down, given, skips, again] = [0, null, null, false, false];
  /* The reason of a skip stays if the skip is refused for want of one. */
  const REASON = ", #concern :is(input, label, textarea)";
  /* Act now, or after the verdicts on their way (`free`: now). What an act calls comes before those that wait. */
  const inTurn = (act, free = false) => {
    if (desk.busy) return;
    const waits = desk.waiting && !free;
    if (isActing) waits ? queue.unshift(act) : act();
    else if (queue.length || waits) queue.push(act);
    else run(act);
  };
  /* A request that a newer one replaces ends before that one is counted: so what waits looks once both are done. */
  const judged = () => {
    desk.waiting -= 1;
    queueMicrotask(() => {
      while (queue.length && !desk.waiting && !desk.busy) run(queue.shift());
    });
  };
  const free = () => {
    [desk.busy, painted] = [false, performance.now()];
    if (again && byId("concern")?.open) document.querySelector("[data-skip]").click();
  };
  /* While a submit or a skip is on its way, nothing is entered. */
  const stop = (event) => {
    const isEarly = (desk.busy || event.timeStamp < painted) && event.isTrusted;
    if (!isEarly || event.target.closest?.(`dialog, .bar, [data-kept]${skips ? REASON : ""}`)) return;
    again ||= skips && event.type === "click" && event.target.closest("[data-skip]");
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  on("click keydown keypress beforeinput mousedown", stop, true);
  on("htmx:confirm", (event) => {
    if ((desk.busy && !isSubmit(event.target)) || isQuiet(event)) event.preventDefault();
  });
  on("htmx:beforeRequest", ({ detail: { elt, xhr } }) => {
    if (isSubmit(elt)) {
      for (const look of all("#look [data-hx-post]")) htmx.trigger(look, "htmx:abort");
      [desk.busy, down, queue.length, skips, again] = [true, null, 0, elt.matches("[data-skip]"), false];
      xhr.addEventListener("loadend", () => requestAnimationFrame(() => requestAnimationFrame(free))); /* painted */
    } else if (elt.matches(".answers, .scale, .facts, [data-look-up]")) {
      desk.waiting += 1;
      xhr.addEventListener("loadend", judged);
    }
  });
  on(ERRORS, ({ detail: { xhr } }) => {
    const { status } = xhr ?? {}; /* 403: the page's token is of a log-in that is over */
    const kind = status >= 500 ? "failing" : "away";
    desk.warn(status === 403 ? "signedAnew" : desk.isRefused(status) ? "refused" : kind);
  });
  /* A request that a newer one replaces is no error. */
  htmx.logger = (element, name, detail) => {
    if (["htmx:afterRequest", "htmx:sendAbort"].includes(name)) delete detail.error;
  };

  /* --- where one is, and what is left --- */
  desk.rows = () => all("[data-row]");
  desk.row = () => document.activeElement?.closest("[data-row]") ?? document.querySelector("[data-row].current");
  const isOpen = (row) =>
    !row.querySelector("[data-complete]") || Boolean(row.querySelector(`.verdict .error, ${ASKED}, ${WANTED}`));
  /* An open row without a task has a score that waits for answers of another row. */
  const hasTask = (row) => isOpen(row) && row.querySelector(`.clash, .verdict .error, ${ASKED}, ${OPEN}`);

  /* Make a row the current one, and show anew all that depends on it. */
  desk.mark = (row) => {
    if (!row) return;
    const target = row.closest("[data-target]");
    for (const other of all(":is([data-row], [data-target]).current"))
      other.classList.toggle("current", other.contains(row));
    for (const each of [row, target]) each.classList.add("current");
    row.querySelector(".row-head").after(document.querySelector(`[data-part="${row.dataset.part}"] > .asks`) ?? "");
    for (const link of all("[data-show]")) {
      const isHere = link.dataset.show === target.id;
      if (isHere === Boolean(link.ariaCurrent)) continue;
      link.ariaCurrent = isHere ? "true" : null;
      const bar = link.closest("ol, nav");
      if (isHere) bar.scrollLeft = link.offsetLeft - (bar.clientWidth - link.offsetWidth) / 2;
    }
    for (const each of all("[data-target]")) showScores(each);
    fold(":is(.persona, .corpus)[open]:not([data-folded])");
    hint();
    showRubric();
  };
  const showScores = (target) => {
    const rows = all("[data-row]", target);
    const ones = rows.filter((row) => !("unscored" in row.dataset)).map((row) => row.querySelector(GIVEN));
    const scores = ones.map((one) => one?.dataset.sign ?? one?.value ?? "–");
    const link = byId(`strip-${target.id}`);
    const count = scores.filter((score) => score !== "–").length;
    if (all(".score", link).length < scores.length) scores.splice(0, scores.length, `${count}/${scores.length}`);
    link.classList.toggle("complete", !rows.some((row) => !row.querySelector("[data-complete]")));
    for (const [at, place] of all(".score", link).entries()) write(place, scores[at]);
    for (const place of all("[data-picked]", target)) write(place, scores.join(" "));
    for (const place of all(".in-words", target))
      write(place, place.closest("[data-row]").querySelector(".level :checked ~ label > span")?.textContent ?? "");
  };

  /* Say what is left. `missing`: first what the current row asks. `said`: what became of the last item. Open questions
     and a missing score are named here; all else that is in the way of a row the server says (`data-obstacles`). */
  const hint = (missing = false, said = "") => {
    const place = document.querySelector("[data-hint]");
    if (said) announce(said);
    if (!place) return;
    const [{ dataset }, row] = [place, desk.row()];
    const here = row?.closest("[data-target]");
    const list = (names) => new Intl.ListFormat(document.documentElement.lang).format(names);
    const counted = (names, many) => (names.length > 1 ? [many.replace("%s", names.length)] : names);
    const named = (target) => document.querySelector(`#strip-${target.id} b`).textContent;
    const title = (each) => each.querySelector(":is(h3, .wording) > :last-child").textContent.replace(/\s*[?.!]$/, "");
    const left = all("[data-target]").filter((target) => all("[data-row]", target).some(isOpen));
    const some = left.length > 4 ? String(left.length) : list(left.map(named));
    let words = left.length ? dataset.toGo.replace("%s", some) : dataset.ready;
    if (missing && row) {
      const asks = counted(all(OPEN, row).map(title), dataset.questions);
      const isScored = row.querySelector(`${GIVEN}, .number [aria-invalid]`);
      if (!isScored && row.querySelector(".level, .number")) asks.push(dataset.score);
      for (const each of all("[data-obstacles]:not([hidden])", row)) asks.push(...each.dataset.obstacles.split("\n"));
      const beside = all("[data-row]", here).filter((each) => each !== row && isOpen(each));
      const others = [...counted(beside.map(title), dataset.rows), ...left.filter((each) => each !== here).map(named)];
      const where = `${named(here)} ${row.closest(".rows-1") ? "" : title(row)}`.trim();
      words = asks.length ? dataset.missing.replace("%s", list(asks)) : dataset.unclear;
      words = words.replace("%w", where);
      if (others.length) words += ` ${dataset.then.replace("%s", list(others))}`;
    }
    row?.classList.toggle("unfinished", missing);
    place.classList.toggle("missing", missing);
    words = `${said} ${words}`.trim();
    write(place, words);
    if (missing) announce(words);
  };

  /* Scroll to where a response begins, or `before` it, unless the upper part of the window has it. */
  const bringIntoView = (target, share = 0.5, before = null) => {
    const stuck = all(".bar, .pinned").filter((each) => getComputedStyle(each).position === "sticky");
    const over = stuck.reduce((sum, each) => sum + each.offsetHeight, 0);
    const text = target.querySelector(".response").getBoundingClientRect();
    if (text.top >= over && text.top < share * window.innerHeight) return;
    const start = before ?? (target.closest(".listed") ? target : target.parentElement);
    window.scrollBy(0, Math.max(start.getBoundingClientRect().top - over - 8, text.top - share * window.innerHeight));
  };
  /* To a row, or to the first open one of a response; `still`: without scrolling. */
  const go = (place, still) => {
    const rows = place.matches("[data-row]") ? [place] : all("[data-row]", place);
    const row = rows.find((each) => !each.querySelector("[data-complete]")) ?? rows[0];
    const target = row.closest("[data-target]");
    const isNew = !target.matches(".current");
    desk.mark(row); /* first, or the page is laid out twice */
    if (isNew && !still) bringIntoView(target);
    row.focus({ preventScroll: true });
    /* Where responses are stacked, a new one is read first: its row is not scrolled to. */
    const isBeside = getComputedStyle(row.closest(".panel")).position === "fixed";
    if (isBeside || !isNew || row.querySelector(".error")) row.scrollIntoView({ block: "nearest" });
  };
  /* A response begins at the checks of the whole, which may be complete without an answer. */
  const begin = (row) => {
    const whole = row?.previousElementSibling;
    return whole?.matches("[data-unscored]") && !whole.parentElement.querySelector(":checked") ? whole : row;
  };
  /* To the next open row, from here on and then from the top; else to Submit. */
  const goOn = (row) => {
    const rows = desk.rows();
    const at = rows.indexOf(row) + 1;
    const next = [...rows.slice(at), ...rows.slice(0, at)].find(isOpen);
    if (!next) return void byId("submit")?.focus();
    const open = begin(next) === row ? next : begin(next);
    go(open);
    if (open.querySelector("[data-complete]")) open.querySelector(`${ASKED} input`)?.focus();
  };
  /* To the first thing to do on a new page or item. */
  const start = () => {
    const [summary, rows] = [document.querySelector("[data-summary]"), desk.rows()];
    byId("rubric")?.scrollTo(0, 0);
    if (!rows.length) return void document.querySelector("[data-entry]")?.focus();
    const done = document.querySelector("[data-done]"); /* after a correction is stored, Enter leads back */
    if (done) return (desk.mark(rows[0]), window.scrollTo(0, 0), void done.focus());
    const place = byId(summary?.querySelector("[data-goto]")?.hash.slice(1));
    const asked = rows.find((row) => `#${row.closest("[data-target]").id}` === location.hash); /* by the lead */
    if (asked) history.replaceState(null, "", location.pathname + location.search);
    const row = place?.closest("[data-row]") ?? asked ?? begin(rows.find(isOpen)) ?? rows[0];
    if (summary) {
      desk.mark(row);
      (place?.checkVisibility() ? place : row).scrollIntoView({ block: "nearest" });
      summary.focus({ preventScroll: true });
      summary.scrollIntoView();
    } else {
      go(row);
      window.scrollTo(0, 0);
      const isAbove = document.querySelector("#rated, .coach, #desk > :is(.notice, .messages)");
      const newest = document.querySelector(".conversation [data-newest]");
      if (!isAbove) bringIntoView(row.closest("[data-target]"), 0.7, newest);
    }
  };

  on("focusin", ({ target }) => {
    pressed = null;
    byId("submit")?.classList.toggle("later", target.matches(NUMBER)); /* Enter confirms the number first */
    /* Nothing moves under a mouse that is down in a row. */
    if (!document.querySelector(".row :active")) desk.mark(target.closest("[data-row]"));
  });
  on("change", ({ target }) => {
    target.closest("[aria-invalid]")?.removeAttribute("aria-invalid");
    if (!target.closest(".scale")) advance = "";
    if (target.closest("[data-row]")) desk.mark(desk.row());
  });
  /* Links in the form; a click on a response beside the current one. */
  on("click", (event) => {
    const { target } = event;
    if (!event.detail) pressed = target.closest("[data-row] [data-explain]");
    const text = byId(`about-reading-${target.closest("[data-reading]")?.dataset.reading}`);
    const beside = target.closest("[data-target]:not(.current) .response");
    if (beside && !target.closest("a, button, summary, input, label") && getSelection().isCollapsed)
      go(beside.closest("[data-target]"), true);
    const link = target.closest("[data-show], [data-goto]");
    const place = text?.checkVisibility({ visibilityProperty: true })
      ? text.firstElementChild
      : byId(link?.hash.slice(1));
    if (!place || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (text) text.open = true;
    if (place.matches("[data-target], #sets")) return go(place);
    const shown = place.closest("[data-target]:not(.current)");
    if (shown) desk.mark(shown.querySelector("[data-row]"));
    place.focus();
    (text ?? place).scrollIntoView({ block: "nearest" });
  });
  /* On phones these fold once: the prompt where it would cover the response, the others when they come. */
  const fold = (selector) => {
    if (!matchMedia("(width < 40rem)").matches) return;
    for (const each of all(selector)) [each.open, each.dataset.folded] = [false, ""];
  };
  on("scroll", () => {
    const over = document.querySelector(".prompt")?.getBoundingClientRect().bottom;
    if (over > document.querySelector("[data-target].current")?.getBoundingClientRect().top)
      fold(".prompt[open]:not([data-folded])");
  });

  /* --- scores, by mouse as by key --- */
  /* Give a score, and go on once the row is complete. A barred one says why. */
  const score = (level, leads) => {
    const row = level.closest("[data-row]");
    level.focus({ preventScroll: true });
    if (level.ariaDisabled) return explain(level, row);
    const isWhole = level.checked && row.querySelector("[data-complete]"); /* else no verdict came: sent again */
    advance = leads && !isWhole ? row.id : "";
    if (!level.checked) level.click();
    else if (!isWhole) level.dispatchEvent(new Event("change", { bubbles: true }));
    else if (leads) goOn(row);
  };
  /* Why a score is barred, in full, until the next verdict. */
  const explain = (level, row) => {
    const why = byId(level.dataset.why).cloneNode(true);
    const verdict = row.querySelector("[data-verdict]");
    verdict.querySelector(".asked-why")?.remove();
    why.removeAttribute("id");
    why.className = "asked-why";
    verdict.prepend(why);
    verdict.scrollTop = 0;
    queue.length = 0; /* keys that were for the next row */
    announce(why.textContent);
  };
  /* Only a click by mouse or finger has a number (`detail`). After it the row has the focus, so that the arrows lead to
     another row. The second click of two would give the next row the score under the pointer. */
  on("click", (event) => {
    const level = event.target.closest(".level input");
    if (event.detail && event.target.matches(".segment input"))
      event.target.closest("[data-row]")?.focus({ preventScroll: true });
    if (!level || !(event.detail || level.ariaDisabled)) return;
    if (event.detail > 1 || level.ariaDisabled) event.preventDefault();
    if (event.detail > 1) return;
    const leads = level.form.matches("[data-moves-on]");
    if (level.ariaDisabled || level === given) inTurn(() => score(byId(level.id), leads), level === given);
    else if (leads) advance = level.closest("[data-row]").id;
  });
  /* An answer that does not go with what forces the score is not counted. The verdict names it, and says why. */
  const grey = () => {
    for (const verdict of all("[data-excluded]"))
      for (const part of all(".segment, .tick", verdict.closest("[data-row]")))
        part.classList.toggle("excluded", verdict.dataset.excluded.split(" ").includes(part.firstElementChild.id));
  };
  /* After a score on, unless one is elsewhere by then. */
  const leadOn = (row) => {
    const isHere = row.contains(document.activeElement) || document.activeElement === document.body;
    if (advance === row.id && isHere) goOn(row);
  };
  /* A number is judged when its field is left. */
  on("focusout", ({ target }) => {
    if (target.matches(NUMBER) && target.value !== target.defaultValue)
      htmx.trigger(target.closest(".scale"), "evenhand:number");
  });
  on("input", ({ target }) => {
    const count = target.matches("textarea") && target.parentElement.querySelector("[data-count]");
    if (count) count.hidden = target.value.length < 0.9 * count.dataset.most;
    if (count && !count.hidden) write(count, count.dataset.count.replace("%s", target.value.length));
    for (const each of target.closest(".comment") ? all("[data-wants-comment]", target.closest("[data-target]")) : [])
      each.hidden = Boolean(target.value.trim());
    /* A number takes the place of “not applicable”. */
    const box = target.matches(NUMBER) && target.closest(".outcome").querySelector(".without :checked");
    if (box) [box.checked, target.defaultValue] = [false, box.value];
  });
  /* --- what an answer brings, and what was entered since --- */
  const property = (field) => (field.matches("[type=radio], [type=checkbox]") ? "checked" : "value");
  const entered = () =>
    all("#desk :is(textarea, input:not([type=hidden]))[id]").map((each) => [each.id, each[property(each)]]);
  /* An answer knows what its request carried, and where one was. What was entered since outlives it, and so does the
     focus if one went elsewhere. A number outlives it while it is half typed. */
  on("htmx:configRequest", ({ detail }) => {
    [detail.entered, detail.place] = [new Map(entered()), document.activeElement];
  });
  /* A page that waits for an item stays as it is until it waits for nothing more. Only its line with the time
     changes. */
  on("htmx:beforeSwap", ({ detail }) => {
    const { waits } = byId("back")?.dataset ?? {};
    const isStill = (words) => waits && detail.serverResponse.includes(`data-waits="${words}`);
    if (isStill(waits)) detail.shouldSwap = false;
    else if (isStill(waits?.split(" ")[0])) [detail.target, detail.selectOverride] = [byId("back"), "#back"];
  });
  on("htmx:beforeSwap", ({ detail: { requestConfig } }) => {
    const { id, selectionStart, selectionEnd } = document.activeElement;
    const isHalf = (each) => each === id && byId(id).matches(NUMBER);
    const isNew = ([each, value]) => isHalf(each) || requestConfig.entered.get(each) !== value;
    const isSkip = requestConfig?.elt.matches("[data-skip]");
    const stays = requestConfig && (isSkip || !isSubmit(requestConfig.elt));
    const since = stays ? entered().filter(isNew) : [];
    const isElsewhere = stays && requestConfig.place !== document.activeElement;
    const restore = () => {
      if (isSkip && !byId("concern")?.open) return;
      for (const [each, value] of since)
        if (byId(each) && !byId(each).readOnly) byId(each)[property(byId(each))] = value;
      const field = byId(isElsewhere || since.some(([each]) => each === id) ? id : "");
      if (!field) return;
      for (const each of all("#rating [autofocus]")) each.removeAttribute("autofocus");
      field.focus({ preventScroll: true });
      if (field.matches("textarea")) field.setSelectionRange(selectionStart, selectionEnd);
    };
    if (since.length || isElsewhere) on("htmx:afterSwap", restore, { once: true });
  });
  /* The verdict names the scores and answers that need no further one: no request, and this browser keeps them. */
  const isQuiet = ({ target, detail: { triggeringEvent } }) => {
    const row = target.matches(".answers, .scale") ? target.closest("[data-row]") : null;
    const verdict = row?.querySelector("[data-verdict]");
    const isNamed = verdict?.dataset.quiet.split(" ").some((id) => byId(id)?.contains(triggeringEvent?.target));
    if (!isNamed || desk.waiting || "unjudged" in row.dataset) return false;
    const isScore = target.matches(".scale");
    if (!isScore && !row.querySelector(OPEN)) return false;
    if (isScore) verdict.dataset.complete = "";
    if (isScore) delete verdict.dataset.obstacles;
    if (isScore) for (const said of all(".remark, .error, .asked-why", verdict)) said.remove();
    desk.keepQuietly?.();
    desk.mark(row);
    if (isScore) leadOn(row);
    advance = "";
    return true;
  };
  /* After a score on, once the row is complete: a remark on it is read first, and the same digit again, or Enter, goes
     on. After a submit to the first row, or to what is wrong. */
  on("htmx:afterRequest", ({ detail: { requestConfig, successful } }) => {
    if (!successful) return;
    const { elt } = requestConfig;
    if (elt.id === "rubric") return showRubric();
    desk.warn("");
    grey();
    if (elt.id === "desk") return void start();
    const submitted = elt.matches("[data-submit]");
    const row = submitted ? null : desk.row();
    desk.mark(row);
    const isComplete = row?.querySelector("[data-complete]");
    if (isComplete && !row.querySelector(".verdict .remark")) leadOn(row);
    else if (isComplete && advance === row.id) queue.length = 0; /* keys that were for the next row */
    advance = "";
    const asked = elt.closest("[data-concern]") && document.querySelector("[data-concern][open] [type=radio]");
    if (asked) return void (asked.closest("details").contains(document.activeElement) || asked.focus());
    if (!submitted) return void (elt.matches("[data-flag]") && row?.focus({ preventScroll: true }));
    start();
    const { stored } = byId("desk").dataset;
    const isOwn = document.querySelector("#desk > .notice, #desk > .idle");
    if (document.querySelector("[data-summary]")) return;
    if (isOwn) announce(stored); /* the page says it at its top */
    else hint(false, elt.dataset.stored ?? stored);
  });

  /* What one reads stays in its place in another view. */
  on("htmx:beforeSwap", ({ detail: { requestConfig } }) => {
    if (!requestConfig?.elt.closest("#look")) return;
    const head = Math.max(0, document.querySelector(".bar").getBoundingClientRect().bottom);
    const isRead = (each) => each.checkVisibility() && each.getBoundingClientRect().bottom > head + 32;
    const text = all("[data-said]").find(isRead);
    if (!text) return;
    const { top, height } = text.getBoundingClientRect();
    const restore = () => {
      const now = document.querySelector(`[data-said="${text.dataset.said}"]`).getBoundingClientRect();
      window.scrollBy(0, now.top - (top < 0 ? (top / height) * now.height : top));
    };
    on("htmx:afterSwap", restore, { once: true });
  });
  /* A new look-up opens the search. */
  on("htmx:oobAfterSwap", () => {
    const search = document.querySelector("[data-follow]");
    search?.removeAttribute("data-follow");
    search?.click();
  });

  /* --- the clock: seconds of work. It renews the lease, in a pause for half an hour. --- */
  const [IDLE, TOLD, KEPT] = [60_000, 120_000, 1_800_000]; /* milliseconds */
  let [used, told, paused] = [Date.now(), Date.now(), 0];
  const use = () => (used = Date.now());
  const tell = () => {
    told = Date.now();
    htmx.trigger(document.body, "evenhand:active");
  };
  on("pointermove pointerdown keydown wheel touchmove", use, { passive: true });
  setInterval(() => {
    const now = Date.now();
    for (const clock of all("[data-left]")) {
      clock.until ??= now + 1000 * clock.dataset.left;
      const left = Math.max(0, Math.ceil((clock.until - now) / 1000));
      clock.textContent = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
      const over = byId(clock.dataset.over);
      if (left || !over.hidden) continue;
      over.hidden = false;
      announce(over.textContent);
    }
    const field = document.querySelector("[data-active-seconds]");
    if (!field) return;
    paused = byId("pause")?.open ? paused || now : 0;
    const works = !paused && document.visibilityState === "visible" && now - used <= IDLE;
    field.value = Number(field.value) + works;
    if ((works || (paused && now - paused < KEPT)) && now - told >= TOLD) tell();
  }, 1000);
  /* The server is told at once: the item may have gone back meanwhile, and may still be free. */
  const resume = ({ target }) => {
    if (target.id !== "pause") return;
    use();
    tell();
    announce(target.dataset.over);
  };
  on("close", resume, true);

  /* --- the mouse --- */
  const control = ({ target: it, button }) => button || (it.closest("label")?.control ?? it.closest("input, button"));
  on("mousedown", (event) => {
    [down, given] = [control(event), event.target.closest(".level")?.querySelector("[type=radio]:checked")];
    /* After a dialog the browser goes back to where one was, not to the button. */
    if (event.target.closest("[data-dialog]")) event.preventDefault();
  });
  /* A verdict that comes while the mouse is down puts another element there, which gets the click. */
  on("mouseup", (event) => {
    const click = new MouseEvent("click", { bubbles: true, cancelable: true, detail: 1 });
    if (down?.isConnected === false && control(event) === byId(down.id)) byId(down.id)?.dispatchEvent(click);
    if (down) desk.mark(document.activeElement.closest("[data-row]"));
    down = null;
  });

  /* --- the rubric beside the item --- */
  const SHOWN = "rubric-side";
  const REST = 150; /* ms at rest before the rubric follows */
  let [pointed, pressed, rest] = [null, null, 0];
  const showRubric = () => {
    const [rubric, focused] = [byId("rubric"), document.activeElement.closest("[data-explain]")];
    const explained = pointed ?? pressed ?? focused;
    const row = explained?.closest("[data-row]") ?? document.querySelector("[data-row].current");
    if (!row || !rubric) return;
    clearTimeout(rest);
    const about = byId(explained?.dataset.explain);
    const isDue = Boolean(row.querySelector("[data-due]"));
    rubric.classList.toggle("due", isDue); /* what names a score */
    for (const part of all("[data-part]", rubric)) part.hidden = part.dataset.part !== row.dataset.part;
    const { dataset: said, defaultValue: value } = row.querySelector(GIVEN) ?? { dataset: {} };
    for (const level of all("[data-part]:not([hidden]) [data-level]", rubric)) {
      const input = row.querySelector(`.scale [value="${level.dataset.level}"]`);
      const cause = level.querySelector("[data-cause]");
      const why = byId(input?.dataset.why)?.querySelector("span").textContent ?? "";
      const notYet = row.querySelector(":checked") ? "" : (input?.dataset.notYet ?? "");
      const isChosen = level.contains(byId(said.explain));
      const near = isChosen && value !== level.dataset.level && cause.dataset.nearest.replace("%s", value);
      const yours = row.dataset.given === level.dataset.level; /* in practice, beside the example's */
      const whose = isChosen ? row.dataset.its : yours && row.dataset.own;
      write(cause, notYet ? cause.dataset.cause.replace("%s", notYet) : why || near || whose || "");
      const now = { barred: why && !notYet, chosen: isChosen, pointed: level.contains(about), yours };
      now.read = now.chosen || input === focused;
      const isNew = ["chosen", "pointed"].some((name) => now[name] && !level.matches(`.${name}`));
      if (now.read !== level.matches(".read")) for (const each of all(".example", level)) each.open = now.read;
      for (const name in now) level.classList.toggle(name, Boolean(now[name]));
      if (isNew && (now.pointed || !about)) {
        const block = level.offsetHeight > rubric.clientHeight ? "start" : "nearest";
        rest = setTimeout(() => level.scrollIntoView({ block }), pointed ? 0 : REST);
      }
    }
    const told = explained?.getAttribute("aria-describedby")?.split(" ") ?? [];
    const isRead = isDue || rubric.checkVisibility() || !about?.querySelector(".not-due"); /* by a screen reader */
    if (about && isRead) explained.setAttribute("aria-describedby", [...new Set([...told, about.id])].join(" "));
    for (const check of all(".check", rubric)) check.hidden = check !== about;
    rubric.classList.toggle("pointing", Boolean(rubric.querySelector("section:not([hidden]) .pointed")));
    rubric.classList.toggle("asking", !document.querySelector(".panel:not(.rows-1)")); /* else the row does */
    for (const button of all("[data-rubric-button][aria-expanded]")) button.ariaExpanded = rubric.checkVisibility();
  };
  let wanted = null;
  /* The rubric is open from 75 × 35rem. Two responses stand side by side in a wide window, or where it is closed. */
  const layOut = () => {
    const { dataset } = document.body;
    const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const fits = innerWidth >= 75 * rem && innerHeight >= 560;
    const isOpen = (wanted ?? (fits ? "open" : "")) === "open";
    dataset.rubric = isOpen ? "open" : fits ? "closed" : "narrow";
    document.body.toggleAttribute("data-abreast", innerWidth >= (isOpen ? 112 : 80) * rem);
    showRubric();
  };
  const toggleRubric = () => {
    const rubric = byId("rubric");
    if (!rubric.firstElementChild) htmx.trigger(rubric, "evenhand:rubric");
    wanted = document.body.dataset.rubric === "open" ? "closed" : "open";
    if (rubric.contains(document.activeElement)) desk.row()?.focus({ preventScroll: true });
    localStorage.setItem(SHOWN, wanted);
    layOut();
  };
  on("pointerover", ({ target }) => {
    if (target.closest("#rubric")) return;
    const next = target.closest(".tick")?.querySelector("[data-explain]") ?? target.closest("[data-explain]");
    if (next === pointed) return;
    pointed = next;
    clearTimeout(rest);
    rest = setTimeout(showRubric, REST);
  });
  if (matchMedia("(min-width: 60rem)").matches) wanted = localStorage.getItem(SHOWN);
  layOut();
  window.addEventListener("resize", layOut);
  on("DOMContentLoaded", start);

  /* --- keys: one acts on what names it in `aria-keyshortcuts`, in the current row or outside of rows; not while one
     types, not with a modifier, not held down. Where single keys are off, only Ctrl+Enter and Esc act. --- */
  const TYPING = "input:not([type=radio]):not([type=checkbox]):not([type=button]), textarea, select";
  const [ROW, TARGET] = ["[data-row]", "[data-target]"];
  const STEPS = { ArrowDown: [ROW, 1], ArrowUp: [ROW, -1], ArrowRight: [TARGET, 1], ArrowLeft: [TARGET, -1] };
  const isLetter = (key) => [...key].length === 1 && key.toLowerCase() !== key.toUpperCase();
  const OWN_ENTER = "a, button, summary, textarea, select, input:not([type=radio]):not([type=checkbox])";

  /* What a layout or an IME without Latin letters types. What serves those (layouts.js) is fetched where it is needed,
     so that the desk of all others is there sooner; if that fails, the next key tries again. */
  desk.isOther = (key) => ["Process", "№"].includes(key) || /^[^\p{Script=Latin}\P{L}]$/u.test(key);
  desk.meant = ({ key }) => key;
  let layouts;
  const bringLayouts = () =>
    (layouts ??= new Promise((loaded) => {
      const script = document.createElement("script");
      script.src = document.querySelector("[data-layouts]").dataset.layouts;
      script.onload = loaded;
      script.onerror = () => (layouts = null);
      document.head.append(script);
    }));
  const readLayout = async () => {
    const layout = await navigator.keyboard?.getLayoutMap?.().catch(() => null);
    if (layout && [...layout.values()].some(desk.isOther)) bringLayouts();
  };
  readLayout();
  window.addEventListener("focus", readLayout);

  /* What a key names in `row`; null: outside of rows; not given: anywhere. It is asked, or beside its texts. */
  const named = (desk.named = (key, row) =>
    all("[aria-keyshortcuts]").findLast((each) => {
      const names = each.getAttribute("aria-keyshortcuts").toLowerCase().split(" ");
      const isThere = row === undefined || each.closest("[data-row]") === row;
      return isThere && names.includes(key.toLowerCase()) && (!(row || each.dataset.look) || each.checkVisibility());
    }));

  /* A number is left: what is new goes for its verdict, which leads on. */
  const confirm = (field) => {
    const row = field.closest("[data-row]");
    const isNew = field.value !== field.defaultValue;
    if (isNew) advance = row.id;
    row.focus({ preventScroll: true });
    if (!isNew) inTurn(() => goOn(row));
  };
  /* Enter submits a whole form, else it leads to what is missing. A quick hand may have just typed a number. */
  const finish = () => {
    if (document.activeElement.matches(NUMBER)) return confirm(document.activeElement);
    if (!desk.rows().some(isOpen)) return void byId("submit")?.click();
    const row = document.activeElement.closest("[data-summary]") ? null : desk.row();
    if (row && !row.querySelector(".level, .number") && !hasTask(row)) return goOn(row);
    if (row && isOpen(row)) go(row);
    else goOn(row);
    hint("missing");
    const comment = desk.row()?.querySelector(WANTED) && desk.row().closest(TARGET).querySelector(".comment");
    if (comment) comment.open = true;
    comment?.querySelector("textarea").focus();
  };

  /* Replace the number in the field, as a hand would: so it can be undone. */
  const type = (field, sign) => {
    const isEntered = field === document.activeElement;
    field.focus();
    if (!isEntered) field.select();
    document.execCommand("insertText", false, sign);
  };

  /* To the next answer, first to the first one. Where one is saved at once, space and the arrows choose. */
  const cycle = (question) => {
    const radios = all("input[type=radio]", question); /* not its lines */
    const at = radios.findIndex((radio) => radio.checked);
    if ("savedAtOnce" in question.dataset) (radios[at] ?? radios[0]).focus();
    else radios[(at + 1) % radios.length].click();
  };

  /* The first press asks for the reason to skip or flag, the next one sends it. Enter in a reason clicks the button
     whose key asked for it. */
  let asking = "";
  const concern = (button) => {
    const place = byId("concern");
    if (button && place.open) return void button.click();
    [place.open, asking] = [true, button?.ariaKeyShortcuts ?? ""];
    place.querySelector("input:checked, input[type=radio]").focus();
  };

  /* Look up what is selected in a text, else what one writes. From the conversation it is the current response's. It
     waits until the look-up before has left an empty claim. Where something else is being written in that claim, the
     claim gets the focus, and nothing is looked up. */
  const lookUp = () => {
    const selected = getSelection();
    const from = selected.anchorNode?.parentElement?.closest("[data-said]");
    const target = from?.closest("[data-target]") ?? document.querySelector("[data-target].current");
    const text = from ? selected.toString().trim() : "";
    inTurn(() => {
      const claim = target.querySelector("[data-next-claim]");
      if (!claim) return;
      claim.closest("details").open = true;
      claim.value ||= text;
      if (text && claim.value === text) claim.parentElement.querySelector("[data-look-up]").click();
      else claim.focus();
    });
  };

  const press = (element) => {
    if (element.matches("[data-concern] button")) concern(element);
    else if (element.matches("[data-facts] summary")) lookUp();
    else if (element.matches(".question")) cycle(element);
    else if (element.matches(".level input")) score(element, true);
    else if (element.matches("[data-back]")) inTurn(() => element.click());
    else element.click();
  };

  /* A digit in a row without a score is for the next row with one, of the same response. */
  const rowFor = (name) => {
    const row = desk.row();
    if (!row?.matches("[data-unscored]") || !/^[-0-9]$/.test(name)) return row;
    return all("[data-row]:not([data-unscored], :has([data-unasked]))", row.closest(TARGET))[0] ?? row;
  };

  /* A key for the form; whether it is one. */
  const act = ({ code, shiftKey, target }, key) => {
    if (key === "Enter" && !target.closest(OWN_ENTER)) return (inTurn(finish), true);
    const [kind, by] = STEPS[key] ?? [];
    if (kind && target.matches("[data-row]")) {
      const places = all(kind);
      const place = places[places.indexOf(target.closest(kind)) + by];
      if (place) go(place);
      return true;
    }
    if ([...key].length !== 1 || key === " ") return false;
    /* A letter with Shift is a response, and nothing else. AZERTY has its digits on Shift: they count without it,
       unless the sign calls something. */
    let name = shiftKey && isLetter(key) ? `Shift+${key}` : key;
    const digit = shiftKey ? "" : code.match(/^Digit([0-9])$/)?.[1];
    const isMinus = key === "-" && desk.row()?.querySelector(NUMBER);
    if (digit && !isMinus && !named(name)) name = digit;
    const button = named(name, null);
    if (button) return (press(button), true);
    if (target.closest("[data-summary], [data-concern]")) return false; /* there the row may be out of sight */
    /* A score waits for the verdict before it, which may bar it or lead on. */
    const isFree = !advance && !/^[-0-9]$/.test(name);
    const pressThere = () => {
      const row = rowFor(name);
      const element = row && named(name, row);
      const field = row?.querySelector(NUMBER);
      if (row && row !== desk.row()) go(row);
      if (element) press(element);
      else if (field && /^[-0-9]$/.test(name)) type(field, name);
    };
    return (inTurn(pressThere, isFree), true);
  };

  /* A key on the desk; whether it is one. */
  const hear = (event, hasKeys) => {
    const { repeat, target } = event;
    const key = desk.meant(event);
    const once = (act) => {
      if (!repeat) inTurn(act);
      return true;
    };
    const isCtrl = event.ctrlKey || event.metaKey;
    /* Some signs need AltGr, such as # on many keyboards. */
    const types = event.getModifierState("AltGraph");
    const isPlain = (types || !(isCtrl || event.altKey)) && !repeat;
    /* In an open dialog only its own key acts, and closes it. */
    const shown = document.querySelector("dialog[open]");
    if (shown) return void (isPlain && named(key, null)?.dataset.dialog === shown.id && shown.close());
    const isEnter = key === "Enter" && !event.altKey;
    const place = target.closest("[data-concern]");
    if (isEnter && (isCtrl || (place && target.type === "radio")))
      return once(() => (place ? named(asking, null) : byId("submit"))?.click());
    /* In a claim Enter looks it up, and Shift and Enter begin a line. */
    const claim = isEnter && !event.shiftKey && target.closest(".fact:has([data-look-up]) [data-claim]");
    if (claim) return once(() => byId(claim.id)?.closest(".fact").querySelector("[data-look-up]")?.click());
    if (key === "Enter" && target.matches(NUMBER)) return (repeat || confirm(target), true);
    if (repeat) return isEnter && target.closest("[data-submit]");
    /* Letters stay the row's keys: the first one leaves its number. */
    const leaves = hasKeys && isPlain && target.matches(NUMBER) && isLetter(key);
    if (leaves) target.closest("[data-row]").focus({ preventScroll: true });
    const isTyped = !leaves && target.closest(TYPING);
    if (key === "Escape") {
      if (place && !isTyped) place.open = false;
      if (place || isTyped) return void desk.row()?.focus();
      const isSheet = matchMedia("(width < 60rem)").matches && document.body.dataset.rubric === "open";
      if (isSheet) return void toggleRubric();
    }
    if (isTyped || !isPlain) return false;
    /* Without single keys, Enter in an answer would submit the form. */
    return hasKeys ? act(event, key) : isEnter && !target.closest(OWN_ENTER);
  };
  on("keydown", (event) => {
    const rating = document.querySelector("[data-rating]");
    /* 229: an IME has the key; in Safari also after the composition. Outside of fields it may be one of ours. */
    const isComposed = event.isComposing || (event.keyCode === 229 && event.target.closest(TYPING));
    if (!rating || isComposed || event.defaultPrevented) return;
    if (!desk.hasLayouts && desk.isOther(event.key))
      return void bringLayouts().then(() => event.target.dispatchEvent(new KeyboardEvent("keydown", event)));
    if (hear(event, "keys" in rating.dataset)) event.preventDefault();
  });

  /* --- buttons that do what a key does --- */
  on("click", ({ target }) => {
    const button = target.closest("button");
    if (!button) return;
    const { dataset } = button;
    if (dataset.dialog) byId(dataset.dialog).showModal();
    else if ("concernOpen" in dataset) concern();
    else if ("rubricButton" in dataset) toggleRubric();
    else if ("best" in dataset) {
      const row = button.closest("[data-row]");
      row.focus({ preventScroll: true });
      /* The verdict names the best answers, since a tick that is on its way may exclude some. One `change` event makes
         one request of them. */
      inTurn(() => {
        const best = row.querySelector("[data-verdict]").dataset.bestAnswers.split(" ");
        for (const radio of all(".segment input", row)) radio.checked ||= best.includes(radio.id);
        row.querySelector(".answers").dispatchEvent(new Event("change", { bubbles: true }));
      });
    }
  });
}
