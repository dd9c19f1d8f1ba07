/* The desk by keyboard: not while typing, not with a modifier (but Ctrl+Enter), not on a key held down. The form names
   the key of each command; it names none where single keys are off, and then Ctrl+Enter and Esc remain. */
"use strict";
{
  const desk = (window.evenhand ??= {});
  const TYPING = "input:not([type=radio]):not([type=checkbox]):not([type=button]), textarea, select, [contenteditable]";
  const OWN_ENTER = "a, button, summary, textarea, select, input:not([type=radio]):not([type=checkbox])";

  desk.isTyping = () => Boolean(document.activeElement?.matches(TYPING));

  const keys = () => JSON.parse(document.querySelector("[data-rating]")?.dataset.keys ?? "null");

  const submit = () => desk.inTurn(() => document.getElementById("submit")?.click());

  /* Enter submits what is whole, and leads to what is missing. */
  const finish = () =>
    desk.inTurn(() => {
      if (!desk.rows().some(desk.isOpen)) return void document.getElementById("submit")?.click();
      const row = document.activeElement.closest("[data-summary]") ? null : desk.row();
      if (row && desk.isOpen(row)) desk.go(row);
      else desk.goOn(row);
      desk.hint("missing");
    });

  /* To the answer after the one given; first to the first that names no fault. */
  const cycle = (question) => {
    const radios = [...question.querySelectorAll("input[type=radio]")]; /* not the lines that it may mark */
    const at = radios.findIndex((radio) => radio.checked);
    const first = Math.max(
      0,
      radios.findIndex((radio) => radio.hasAttribute("data-good")),
    );
    radios[at < 0 ? first : (at + 1) % radios.length].click();
  };

  const letter = (key) => {
    const row = desk.row();
    const named = (element) => element.dataset.key.toLowerCase() === key;
    const place = row && [...row.querySelectorAll("[data-key]")].find(named);
    if (!place || place.disabled) return false;
    if (place.matches("input")) place.click();
    /* An answer that is saved at once is not passed through: space and the arrows choose. */
    else if (place.matches("[data-kept-at-once]"))
      (place.querySelector(":checked") ?? place.querySelector("input")).focus();
    else cycle(place);
    return true;
  };

  /* A digit: the score of the row. It moves on when the server has found the row complete. */
  const score = (digit) => {
    desk.inTurn(() => {
      const row = desk.row();
      const level = row?.querySelector(`.scale input[value="${digit}"]`);
      if (!level) return void letter(digit); /* 0 may be "None of these" */
      level.focus({ preventScroll: true });
      if (level.checked) {
        if (row.querySelector("[data-complete]")) desk.goOn(row);
        else desk.again(level); /* the verdict on it never came */
        return;
      }
      desk.advance = !level.hasAttribute("aria-disabled");
      level.click();
    });
  };

  /* Ask for the verdict once more. */
  desk.again = (element) => {
    desk.advance = true;
    element.dispatchEvent(new Event("change", { bubbles: true }));
  };

  /* One change event for all: one request, not four. */
  const best = () => {
    const row = desk.row();
    const radios = row ? [...row.querySelectorAll("[data-best-answer]")] : [];
    if (!radios.length) return false;
    for (const radio of radios) radio.checked = true;
    row.querySelector(".answers").dispatchEvent(new Event("change", { bubbles: true }));
    return true;
  };

  const step = (by) => {
    const rows = desk.rows();
    const next = rows[rows.indexOf(desk.row()) + by];
    if (next) desk.go(next);
  };

  const leaf = (by) => {
    const targets = [...document.querySelectorAll("[data-target]")];
    const at = targets.findIndex((target) => target.classList.contains("current"));
    const target = targets[at + by];
    if (target) desk.enter(target);
  };

  /* The key of skipping or flagging: the first press asks for the reason, the next one sends it. */
  const concern = (button) => {
    const place = document.getElementById("concern");
    if (!place) return;
    if (place.open && place.querySelector("input:checked")) return void place.querySelector(button).click();
    place.open = true;
    place.querySelector("input:checked, input[type=radio]").focus();
  };

  /* A claim: what is selected in a text, else what one writes. One of the conversation is the current response's. */
  const lookUp = () => {
    const selected = getSelection();
    const from = (selected.anchorNode?.parentElement ?? null)?.closest("[data-said]");
    const target = from?.closest("[data-target]") ?? document.querySelector("[data-target].current");
    const text = from ? selected.toString().trim() : "";
    /* Once the look-up before is under way: then there is an empty claim again. */
    if (target)
      desk.inTurn(() => {
        const claim = document.querySelector(`#${target.id} [data-next-claim]`);
        if (!claim) return;
        claim.closest("details").open = true;
        claim.value ||= text;
        if (text && claim.value === text) claim.parentElement.querySelector("[data-look-up]").click();
        else claim.focus(); /* something else is being written there */
      });
  };

  const toggleHelp = () => {
    const help = document.getElementById("help");
    if (!help) return;
    if (help.open) help.close();
    else help.showModal();
  };

  const COMMANDS = {
    skip: () => concern("[data-skip]"),
    flag: () => concern("[data-flag]"),
    best: () => desk.inTurn(best, !desk.advance),
    pause: () => desk.pause(),
    view: () => document.querySelector("[data-look=view]")?.click(),
    compare: () => document.querySelector("[data-look=compare]")?.click(),
    look_up: lookUp,
    back: () => desk.inTurn(() => document.querySelector("[data-back]")?.click()),
    unsure: () => document.getElementById("not-sure")?.click(),
    help: toggleHelp,
    rubric: () => desk.toggleRubric(),
  };

  const act = (event, own) => {
    const { key, code, shiftKey, target } = event;
    const typed = key.toLowerCase();
    /* A letter with Shift is a response, and nothing else. */
    if (shiftKey && key.length === 1 && typed !== key.toUpperCase()) {
      const link = document.querySelector(`[data-letter="${CSS.escape(key.toUpperCase())}"]`);
      if (link) desk.enter(document.getElementById(link.dataset.show));
      return Boolean(link);
    }
    const command = own[typed];
    /* In the list of what is missing, keys act on no row, which may be out of sight. */
    if (
      target.closest("[data-summary]") &&
      key !== "Enter" &&
      !["help", "pause", "rubric", "view", "compare", "back"].includes(command)
    )
      return false;
    if (target.closest("[data-concern]") && !["skip", "flag", "pause", "help"].includes(command)) return false;
    if (command) return (COMMANDS[command](), true);
    if (/^[0-9]$/.test(key)) return (score(key), true);
    if (key === "Enter") return target.closest(OWN_ENTER) ? false : (finish(), true);
    if (key.startsWith("Arrow")) {
      if (!target.matches("[data-row]")) return false;
      const [move, by] = { Down: [step, 1], Up: [step, -1], Right: [leaf, 1], Left: [leaf, -1] }[key.slice(5)];
      return (move(by), true);
    }
    if ([...key].length !== 1 || key === " ") return false;
    /* AZERTY has its digits on Shift: without it the key counts too, unless its sign calls something. */
    const digit = shiftKey ? "" : code.match(/^Digit([0-9])$/)?.[1];
    /* A score on its way moves on to the next row: what is typed after it is meant for that one. */
    desk.inTurn(() => letter(typed) || (digit && score(digit)), !desk.advance);
    return true;
  };

  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (!document.querySelector("[data-rating]") || event.isComposing || event.defaultPrevented) return;
    const own = keys();
    const types = event.getModifierState("AltGraph"); /* a sign that needs it, such as # on many keyboards */
    const modified = !types && (event.ctrlKey || event.metaKey || event.altKey);
    const shown = document.querySelector("dialog[open]"); /* its own key closes it, and nothing else does anything */
    if (shown) {
      if (!modified && !event.repeat && own?.[key.toLowerCase()] === shown.id) COMMANDS[shown.id]();
      return;
    }
    if ((event.ctrlKey || event.metaKey) && key === "Enter" && !event.altKey && !event.repeat) {
      event.preventDefault();
      submit();
      return;
    }
    /* A claim is looked up by Enter, and goes on in a line of its own by Shift and Enter. */
    const claim =
      key === "Enter" && !modified && !event.shiftKey && target.matches("[data-claim]") && target.closest(".fact");
    if (claim && claim.querySelector("[data-look-up]")) {
      event.preventDefault();
      if (!event.repeat) desk.inTurn(() => document.getElementById(claim.id)?.querySelector("[data-look-up]")?.click());
      return;
    }
    if (event.repeat) {
      if (key === "Enter" && target.closest("[data-submit]")) event.preventDefault();
      return;
    }
    const place = target.closest("[data-concern]");
    if (key === "Escape" && (place || target.closest(TYPING))) {
      if (place && !target.closest(TYPING)) place.open = false;
      desk.row()?.focus();
      return;
    }
    if (target.closest(TYPING) || modified) return;
    if (key === "Escape" && matchMedia("(width < 60rem)").matches && document.body.dataset.rubric === "open")
      return desk.toggleRubric();
    /* Without single keys, Enter in an answer would be the browser's way to submit the form. */
    if (own ? act(event, own) : key === "Enter" && !target.closest(OWN_ENTER)) event.preventDefault();
  });

  document.addEventListener("click", (event) => {
    const dialog = event.target.closest?.("[data-dialog]")?.dataset.dialog;
    if (dialog) COMMANDS[dialog]();
    else if (event.target.closest?.("[data-concern-open]")) concern("[data-skip]");
    else if (event.target.closest?.("[data-rubric-button]")) desk.toggleRubric();
    else if (event.target.closest?.("[data-close]")) event.target.closest("dialog").close();
    else if (event.target.closest?.("[data-best]")) {
      event.target.closest("[data-row]").focus({ preventScroll: true });
      best();
    }
  });
}
