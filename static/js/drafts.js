/* Keeps what is entered: every request that carries the form saves it, and one follows a moment after the last key.
   While that fails, this browser keeps the form and sends it again (docs/architecture.md, "State in the browser"). */
"use strict";
{
  const desk = window.evenhand;
  const { all, byId, on } = desk;
  const [PAUSE, LONGER, RETRY] = [800, 5000, 2000]; /* ms */
  let [sent, saved, kept] = [0, 0, 0]; /* numbers of the last version sent, saved, kept here */
  let typing, retry, forwarding; /* timers, while they run */
  let failedSubmit = ""; /* where it was to go */
  let [warned, signingOut] = [false, false];
  let here = { item: "", sent: 0 }; /* the item on the page, and what had been sent when it came */

  const form = () => byId("rating");
  const item = () => form()?.dataset.keptAs;
  const writer = () => form().elements.draft_writer;
  const prefix = `evenhand:${byId("trouble").dataset.who}:`;
  const key = () => `${prefix}${item()}:${writer().value}`;
  const stored = () => Object.keys(localStorage).filter((each) => each.startsWith(prefix));
  const isUnsafe = (safe = Math.max(saved, kept)) => Boolean(typing) || safe < sent; /* neither saved nor kept here */
  const count = () => (form().elements.draft_number.value = String(++sent));
  const say = (what) => byId("draft-state")?.replaceChildren(byId("draft-state").dataset[what]);
  const forget = () => (typing = clearTimeout(typing));

  /* Keep the form in this browser, as a version of its own; false if there is no room. */
  const keep = (to = form().dataset.draft) => {
    if (signingOut) return true;
    count();
    try {
      localStorage.setItem(key(), JSON.stringify({ to, fields: [...new FormData(form())] }));
    } catch {
      desk.warn("full");
      return false;
    }
    kept = sent;
    return true;
  };
  const send = () => {
    forget();
    if (form() && !desk.busy) htmx.trigger(writer(), "evenhand:save");
  };
  const again = () => {
    clearTimeout(retry);
    retry = setTimeout(() => (desk.busy ? again() : failedSubmit ? byId("submit").click() : send()), RETRY);
  };
  /* Save a moment after the last key; while a skip is on its way after that, if the item is still here. */
  const soon = (time = PAUSE, of = item()) => {
    forget();
    typing = setTimeout(() => {
      forget();
      if (desk.busy) soon(time, of);
      else if (item() === of) send();
    }, time);
  };
  /* Keep here at once what needs no verdict, and save it with the next request or a while later. */
  desk.keepQuietly = () => {
    if (!keep()) return send();
    say("changed");
    soon(LONGER);
  };
  on("input change", ({ target, type }) => {
    htmx.trigger(byId("desk"), "htmx:abort"); /* of what would bring the page up to date */
    [failedSubmit, warned] = ["", false];
    if (target.matches(".number input")) return void (type === "input" && desk.keepQuietly());
    if (type === "change" || target.form !== form() || target.closest(".answers, .scale")) return;
    say("changed");
    soon();
  });

  /* Every request that carries the form has a number, so that none undoes what came after it. It remembers its key,
     since the page may show another item when it is answered. A skip does not carry the form: what was entered is kept,
     and sent beside the next item. */
  on("htmx:configRequest", ({ detail }) => {
    if (detail.parameters.draft_number !== undefined) {
      forget();
      detail.parameters.draft_number = count();
      detail.keptAs = key();
    } else if (detail.elt.matches("[data-submit]") && isUnsafe()) keep();
  });
  on("htmx:afterRequest", ({ detail: { requestConfig, successful, xhr } }) => {
    const { elt, keptAs, parameters } = requestConfig;
    const number = Number(parameters.draft_number);
    const to = xhr.getResponseHeader("HX-Redirect"); /* no success for htmx */
    if (!keptAs || !(successful || (to && !to.includes("next=")))) return;
    saved = Math.max(saved, number);
    if (number < kept && !typing) {
      say("away"); /* something newer has failed */
      return again();
    }
    clearTimeout(retry);
    const submitted = elt.matches("[data-submit]");
    if (submitted) failedSubmit = "";
    else if (failedSubmit) again();
    if (kept <= number) localStorage.removeItem(keptAs);
    if (submitted || !form()) return;
    if (elt.matches("[data-judge]")) delete byId(elt.id)?.closest("[data-row]").dataset.unjudged;
    setTimeout(judge); /* once this verdict no longer counts as one on its way */
    if (typing) say("changed");
  });
  on(desk.ERRORS, ({ detail: { requestConfig, xhr } }) => {
    const { elt } = requestConfig;
    if (!form()?.contains(elt) || xhr.status === 404) return;
    const submitting = elt.matches("[data-submit]");
    if (submitting) failedSubmit = form().getAttribute("action");
    if (warned) desk.warn("stillKept"); /* in place of what desk.js says of a try that failed */
    say(keep(failedSubmit || undefined) ? "away" : "changed");
    const concerned = (row) => row.contains(elt) || row.id === elt.dataset.judges || "unjudged" in row.dataset;
    if (!submitting) desk.rows().filter(concerned).forEach(unjudge);
    if (xhr.status !== 403 && !desk.isRefused(xhr.status)) again();
  });
  /* If the log-in is over, it comes in the way, and what was entered goes along. The reason of a skip or flag is sent
     as without scripts. */
  on("htmx:beforeOnLoad", (event) => {
    const { elt, xhr } = event.detail;
    if (!xhr.getResponseHeader("HX-Redirect")?.includes("next=")) return;
    if (form()) keep();
    if (!elt.closest("[data-concern]")) return;
    event.preventDefault();
    elt.form.requestSubmit(elt);
  });
  /* What was entered is discarded, or a note was read. */
  on("click", ({ target }) => {
    const take = target.closest("[data-take]");
    if (take) {
      localStorage.removeItem(take.dataset.take ? prefix + take.dataset.take : key());
      forget();
      saved = sent;
    }
    target.closest("[data-kept] button[type=button]")?.closest("[data-kept]").remove();
  });

  /* Without a verdict, what was said of a row before holds no more, nor does what it barred. */
  const unjudge = (row) => {
    row.dataset.unjudged = "";
    const [verdict, headline] = all("[data-verdict], [data-headline]", row);
    if (headline) [headline.textContent, verdict.className] = [form().dataset.unjudged, "verdict open"];
    verdict.replaceChildren(headline ?? "");
    delete verdict.dataset.obstacles;
    for (const level of all(".level.barred", row)) {
      level.classList.remove("barred");
      level.querySelector(".why").remove();
      for (const name of ["aria-disabled", "aria-describedby", "data-why"])
        level.querySelector("input").removeAttribute(name);
    }
    for (const each of all(".scale data", row)) for (const name in each.dataset) delete each.dataset[name];
    delete row.querySelector(".number input")?.dataset.explain;
    row.querySelector(".nearest")?.replaceChildren();
    desk.mark(desk.row());
  };
  /* Such rows are judged one after the other, once the server answers. */
  const judge = () => {
    const row = desk.rows().find((each) => "unjudged" in each.dataset);
    if (row && !desk.waiting) htmx.trigger(row.querySelector("[data-judge]"), "evenhand:judge");
  };
  /* A verdict gave way to a newer one: its row has none. */
  on("htmx:sendAbort", ({ detail }) => {
    const row = detail.requestConfig?.elt.closest("[data-row]");
    if (row) row.dataset.unjudged = "";
  });

  /* A page that goes keeps what may not be on the next one. That one is asked for before this one goes: so note what
     was safe by then. */
  let asked;
  window.addEventListener("beforeunload", () => (asked = Math.max(saved, kept)));
  window.addEventListener("pagehide", () => {
    if (signingOut || !form() || !isUnsafe(asked)) return;
    keep();
    navigator.sendBeacon(form().dataset.draft, new FormData(form()));
  });

  /* A panel above the page, once. */
  const tell = (panel) => {
    if (panel && !byId(panel.getAttribute("aria-labelledby"))) document.querySelector("main").before(panel);
  };
  /* What no server takes is shown as it is, to be copied. */
  const showRefused = (name, fields) => {
    const panel = byId("refused").content.firstElementChild.cloneNode(true);
    panel.querySelector("h2").id = `refused-${name}`;
    panel.setAttribute("aria-labelledby", `refused-${name}`);
    panel.querySelector("[data-take]").dataset.take = name;
    const said = fields.filter(([each, value]) => value && /\.|^(comment|reply)$/.test(each));
    panel.querySelector("textarea").value = said.map(([each, value]) => `${each}: ${value}`).join("\n");
    tell(panel);
  };
  /* Send what another page kept, as that page would have: true if it is of this item, and saved now. */
  const resend = async (name) => {
    const before = localStorage.getItem(name);
    const { to, fields } = JSON.parse(before);
    const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
    const body = new URLSearchParams({ ...Object.fromEntries(fields), kept: "1", csrfmiddlewaretoken: token });
    const answer = await fetch(to, { method: "POST", body, headers: { "HX-Request": "true" } }).catch(() => {});
    if (signingOut) return false;
    if (!answer || answer.status >= 500) throw new Error("away");
    const parts = document.createRange().createContextualFragment(answer.redirected ? "" : await answer.text());
    if (answer.ok) tell(parts.querySelector("[data-kept]"));
    if (desk.isRefused(answer.status)) showRefused(name.slice(prefix.length), fields);
    const isSaved = answer.ok && !answer.headers.get("HX-Redirect")?.includes("next=");
    /* If it is unchanged; else the page that keeps it went on. */
    if (isSaved && localStorage.getItem(name) === before) localStorage.removeItem(name);
    return isSaved && name.startsWith(`${prefix}${item()}:`);
  };
  /* What other pages kept is sent, once for each item that comes, and until the server answers. */
  const forward = async () => {
    clearTimeout(forwarding);
    let isOld = false;
    try {
      for (const name of stored()) if (!form() || name !== key()) isOld = (await resend(name)) || isOld;
    } catch {
      return void (forwarding = setTimeout(forward, RETRY));
    }
    while (desk.busy) await new Promise(requestAnimationFrame);
    /* If something was entered, its next save leads to the other version. */
    if (isOld && sent === here.sent && !typing)
      htmx.ajax("GET", location.pathname, { source: "#desk", swap: "outerHTML" }).catch(() => {});
  };
  const arrive = () => {
    if (item() === here.item) return;
    [here, saved, failedSubmit] = [{ item: item(), sent }, sent, ""];
    clearTimeout(retry);
    forget(); /* of the item before, which was skipped */
    forward();
  };
  on("htmx:afterSettle", () => setTimeout(arrive));
  for (const name of Object.keys(localStorage))
    if (name.startsWith("evenhand:") && !name.startsWith(prefix)) localStorage.removeItem(name); /* another's */
  arrive();

  /* Entered before this script was there. */
  for (const each of form() ? all("input, textarea", form()) : []) {
    if (each.value === each.defaultValue && each.checked === each.defaultChecked) continue;
    each.closest("[data-row]")?.setAttribute("data-unjudged", "");
    soon();
  }

  /* A log-out wipes what this browser keeps. It waits until that is sent, and asks once if it cannot be. */
  on("submit", async (event) => {
    if (!event.target.matches("[data-sign-out]")) return;
    const isLeft = () => isUnsafe(saved) || stored().length > 0;
    signingOut = warned || !isLeft();
    if (signingOut) return;
    event.preventDefault();
    warned = true;
    if (typing) send();
    forward();
    for (const end = Date.now() + RETRY; isLeft() && Date.now() < end;) await new Promise((go) => setTimeout(go, 50));
    if (!isLeft()) return event.target.requestSubmit();
    desk.warn("stillKept");
    again();
  });
}
