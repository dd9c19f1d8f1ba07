/* The desk by keyboard: a key acts on what names it in `aria-keyshortcuts`, in the current row or outside of all rows.
   Not while typing, not with a modifier (but Ctrl+Enter), not on a key held down. Where single keys are off, only
   Ctrl+Enter and Esc remain. */
"use strict";
{
  const desk = window.evenhand;
  const { all, byId, on } = desk;
  const TYPING = "input:not([type=radio]):not([type=checkbox]):not([type=button]), textarea, select, [contenteditable]";
  const [ROW, TARGET] = ["[data-row]", "[data-target]"];
  const STEPS = { ArrowDown: [ROW, 1], ArrowUp: [ROW, -1], ArrowRight: [TARGET, 1], ArrowLeft: [TARGET, -1] };
  const NUMBER = ".number input";
  const isLetter = (key) => [...key].length === 1 && key.toLowerCase() !== key.toUpperCase();
  const OWN_ENTER = "a, button, summary, textarea, select, input:not([type=radio]):not([type=checkbox])";

  /* What a key names: in any row if `row` is not given, else in that row or, where it is null, in none. */
  const named = (key, row) =>
    all("[aria-keyshortcuts]").findLast((each) => {
      const names = each.getAttribute("aria-keyshortcuts").toLowerCase().split(" ");
      const isThere = row === undefined || each.closest("[data-row]") === row;
      return isThere && names.includes(key.toLowerCase()) && (!row || each.checkVisibility()); /* else not asked */
    });

  /* A number is judged when its field is left. The row has the focus then: what is typed on waits for the verdict. */
  const confirm = (field) => {
    const row = field.closest("[data-row]");
    const isNew = field.value !== field.defaultValue;
    if (isNew) desk.advance = row.id;
    row.focus({ preventScroll: true });
    if (!isNew) desk.inTurn(() => desk.goOn(row));
  };
  /* Enter submits what is whole, and leads to what is missing. */
  const finish = () => {
    if (document.activeElement.matches(NUMBER)) return confirm(document.activeElement); /* typed by a quick hand */
    if (!desk.rows().some(desk.isOpen)) return void byId("submit")?.click();
    const row = document.activeElement.closest("[data-summary]") ? null : desk.row();
    if (row && !row.querySelector(".level, .number") && !desk.hasTask(row)) return desk.goOn(row);
    if (row && desk.isOpen(row)) desk.go(row);
    else desk.goOn(row);
    desk.hint("missing");
  };

  /* Into the number's field, in place of what stands there; what is typed on goes there by itself. */
  const type = (field, sign) => {
    const isEntered = field === document.activeElement;
    field.focus();
    if (!isEntered) field.select();
    document.execCommand("insertText", false, sign); /* as a hand would: it can be undone */
  };

  /* To the answer after the one given; first to the first that names no fault. An answer that is saved at once is not
     passed through: space and the arrows choose. */
  const cycle = (question) => {
    const radios = all("input[type=radio]", question); /* not the lines that it may mark */
    const at = radios.findIndex((radio) => radio.checked);
    const first = radios.find((radio) => "good" in radio.dataset) ?? radios[0];
    if ("savedAtOnce" in question.dataset) (radios[at] ?? radios[0]).focus();
    else (at < 0 ? first : radios[(at + 1) % radios.length]).click();
  };

  /* Skipping or flagging: the first press asks for the reason, the next one sends it. */
  const concern = (button) => {
    const place = byId("concern");
    if (button && place.open && place.querySelector("input:checked")) return void button.click();
    place.open = true;
    place.querySelector("input:checked, input[type=radio]").focus();
  };

  /* A claim: what is selected in a text, else what one writes. One of the conversation is the current response's. */
  const lookUp = () => {
    const selected = getSelection();
    const from = selected.anchorNode?.parentElement?.closest("[data-said]");
    const target = from?.closest("[data-target]") ?? document.querySelector("[data-target].current");
    const text = from ? selected.toString().trim() : "";
    /* Once the look-up before is under way: then there is an empty claim again. */
    desk.inTurn(() => {
      const claim = target.querySelector("[data-next-claim]");
      if (!claim) return;
      claim.closest("details").open = true;
      claim.value ||= text;
      if (text && claim.value === text) claim.parentElement.querySelector("[data-look-up]").click();
      else claim.focus(); /* something else is being written there */
    });
  };

  const press = (element) => {
    if (element.matches("[data-concern] button")) concern(element);
    else if (element.matches("[data-facts] summary")) lookUp();
    else if (element.matches(".question")) cycle(element);
    else if (element.matches(".level input")) desk.score(element, true);
    else if (element.matches("[data-back]")) desk.inTurn(() => element.click());
    else element.click();
  };

  /* A key for the form; whether it is one. */
  const act = ({ key, code, shiftKey, target }) => {
    if (key === "Enter" && !target.closest(OWN_ENTER)) return (desk.inTurn(finish), true);
    const [kind, by] = STEPS[key] ?? [];
    if (kind && target.matches("[data-row]")) {
      const places = all(kind);
      const place = places[places.indexOf(target.closest(kind)) + by];
      if (place) desk.go(place);
      return true;
    }
    if ([...key].length !== 1 || key === " ") return false;
    /* A letter with Shift is a response, and nothing else. */
    let name = shiftKey && isLetter(key) ? `Shift+${key}` : key;
    /* AZERTY has its digits on Shift: without it the key counts too, unless its sign calls something. */
    const digit = shiftKey ? "" : code.match(/^Digit([0-9])$/)?.[1];
    const isMinus = key === "-" && desk.row()?.querySelector(NUMBER);
    if (digit && !isMinus && !named(name)) name = digit;
    const button = named(name, null);
    if (button) return (press(button), true);
    /* From the list of what is missing and from a reason, keys act on no row, which may be out of sight. */
    if (target.closest("[data-summary], [data-concern]")) return false;
    /* A score waits for the verdict before it, which may bar it or lead on to the next row. */
    const isFree = !desk.advance && !/^[-0-9]$/.test(name);
    const pressThere = () => {
      const element = desk.row() && named(name, desk.row());
      const field = desk.row()?.querySelector(NUMBER);
      if (element) press(element);
      else if (field && /^[-0-9]$/.test(name)) type(field, name);
    };
    return (desk.inTurn(pressThere, isFree), true);
  };

  /* A key on the desk; whether it is one. */
  const hear = (event, hasKeys) => {
    const { key, repeat, target } = event;
    const inTurn = (act) => {
      if (!repeat) desk.inTurn(act);
      return true;
    };
    const isCtrl = event.ctrlKey || event.metaKey;
    const types = event.getModifierState("AltGraph"); /* a sign that needs it, such as # on many keyboards */
    const isPlain = (types || !(isCtrl || event.altKey)) && !repeat;
    const shown = document.querySelector("dialog[open]"); /* its own key closes it, and nothing else does anything */
    if (shown) return void (isPlain && named(key, null)?.dataset.dialog === shown.id && shown.close());
    const isEnter = key === "Enter" && !event.altKey;
    if (isEnter && isCtrl) return inTurn(() => byId("submit")?.click());
    /* A claim is looked up by Enter, and goes on in a line of its own by Shift and Enter. */
    const claim = isEnter && !event.shiftKey && target.closest(".fact:has([data-look-up]) [data-claim]");
    if (claim) return inTurn(() => byId(claim.id)?.closest(".fact").querySelector("[data-look-up]")?.click());
    if (key === "Enter" && target.matches(NUMBER)) return (repeat || confirm(target), true);
    if (repeat) return isEnter && target.closest("[data-submit]");
    /* Letters stay the row's keys: the first one leaves its number. */
    const leaves = hasKeys && isPlain && target.matches(NUMBER) && isLetter(key);
    if (leaves) target.closest("[data-row]").focus({ preventScroll: true });
    const isTyped = !leaves && target.closest(TYPING);
    if (key === "Escape") {
      const place = target.closest("[data-concern]");
      if (place && !isTyped) place.open = false;
      if (place || isTyped) return void desk.row()?.focus();
      const isSheet = matchMedia("(width < 60rem)").matches && document.body.dataset.rubric === "open";
      if (isSheet) return void desk.toggleRubric();
    }
    if (isTyped || !isPlain) return false;
    /* Without single keys, Enter in an answer would be the browser's way to submit the form. */
    return hasKeys ? act(event) : isEnter && !target.closest(OWN_ENTER);
  };
  on("keydown", (event) => {
    const rating = document.querySelector("[data-rating]");
    if (!rating || event.isComposing || event.defaultPrevented) return;
    if (hear(event, "keys" in rating.dataset)) event.preventDefault();
  });

  /* The buttons that do what a key does. */
  on("click", ({ target }) => {
    const button = target.closest("button");
    if (!button) return;
    const { dataset } = button;
    if (dataset.dialog) byId(dataset.dialog).showModal();
    else if ("concernOpen" in dataset) concern();
    else if ("rubricButton" in dataset) desk.toggleRubric();
    else if ("best" in dataset) {
      const row = button.closest("[data-row]");
      row.focus({ preventScroll: true });
      /* The verdict names them: a tick that is on its way may exclude some. */
      desk.inTurn(() => {
        const best = row.querySelector("[data-verdict]").dataset.bestAnswers.split(" ");
        for (const radio of all(".choice input", row)) radio.checked ||= best.includes(radio.id);
        row.querySelector(".answers").dispatchEvent(new Event("change", { bubbles: true })); /* once: one request */
      });
    }
  });
}
