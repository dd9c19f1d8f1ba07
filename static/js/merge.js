/* The swap style "merge": an answer changes only what differs on the page. A field keeps what someone entered after the
   request was sent, and is then sent again; the focus, what is folded and what is scrolled stay as they are. */
"use strict";
{
  const FIELDS = "input:not([type=hidden]), select, textarea";
  const TEXTS = "textarea, input:not([type=checkbox], [type=radio])";
  const CONTROLS = "a, button, input, label, select, summary";
  const all = (root, selector) => [...root.querySelectorAll(selector)];
  const isElement = (node) => node.nodeType === Node.ELEMENT_NODE;

  const isBox = (field) => /^(checkbox|radio)$/.test(field.type);
  const valueOf = (field) => (isBox(field) ? field.checked : field.value);
  const initial = (field) => {
    if (isBox(field)) return field.defaultChecked;
    if (!field.matches("select")) return field.defaultValue;
    return ([...field.options].find((each) => each.defaultSelected) ?? field.options[0])?.value;
  };
  const enter = (field, value) => {
    if (valueOf(field) !== value) field[isBox(field) ? "checked" : "value"] = value;
  };
  let sent = new Map(); /* what the request carried that is answered now, by field */
  document.addEventListener("htmx:configRequest", ({ detail }) => {
    const fields = detail.elt.closest("form")?.elements ?? [];
    detail.sent = new Map(Array.from(fields, (field) => [field, valueOf(field)]));
  });
  document.addEventListener("htmx:beforeSwap", ({ detail }) => (sent = detail.requestConfig.sent ?? new Map()));
  const isUnsent = (field) => valueOf(field) !== (sent.has(field) ? sent.get(field) : initial(field));
  const before = new Map(); /* each field: its value, what the server had there, and if it is to be sent */
  const after = new Map(); /* each field: its new value */

  /* Fields are the same by their names, whatever the numbers there; others by their ids, or the first field in them. */
  const mark = (element) => {
    const field = element.matches("[name]") ? element : element.querySelector("[name]");
    return field && [field.getAttribute("name").replace(/\d+/g, "#"), field.type, isBox(field) && field.value].join();
  };
  const isSame = (old, fresh) => {
    if (old.nodeName !== fresh.nodeName || !isElement(old)) return old.nodeName === fresh.nodeName;
    return old.id && fresh.id && !old.matches("[name]") ? old.id === fresh.id : mark(old) === mark(fresh);
  };
  const rendered = new WeakMap(); /* if the server had a fold open */
  const note = (root) => {
    for (const fold of all(root, "details")) if (!rendered.has(fold)) rendered.set(fold, fold.open);
  };
  note(document);

  const copyAttributes = (old, fresh) => {
    const { open } = old;
    for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
    for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    if (!old.matches("details")) return;
    if (rendered.get(old) === fresh.open) old.open = open;
    rendered.set(old, fresh.open);
  };
  const merge = (old, fresh) => {
    if (old.isEqualNode(fresh)) return;
    if (!isElement(old)) return void (old.data = fresh.data);
    const field = before.get(old);
    if (field) after.set(old, field.isUnsent || initial(fresh) === field.was ? field.value : initial(fresh));
    copyAttributes(old, fresh);
    if (old.matches("textarea")) old.defaultValue = fresh.defaultValue;
    else mergeChildren(old, fresh);
  };
  const mergeChildren = (old, fresh) => {
    let at = old.firstChild;
    const others = [...fresh.childNodes];
    const isWanted = (node) =>
      isElement(node) && others.some((each) => (node.id ? node.id === each.id : isSame(node, each)));
    while (others.length) {
      const next = others.shift();
      const passed = [];
      let match = at;
      while (match && !isSame(match, next)) {
        passed.push(match);
        match = isElement(next) ? match.nextSibling : null;
      }
      if (match && !passed.some(isWanted)) {
        for (const each of passed) each.remove();
        at = match.nextSibling;
        merge(match, next);
      } else old.insertBefore(next, at);
    }
    for (let rest = at; rest; rest = at) [at] = [rest.nextSibling, rest.remove()];
  };

  const remember = (target) => {
    before.clear();
    after.clear();
    for (const field of all(target, FIELDS)) {
      const home = field.parentElement.closest("[id]");
      before.set(field, { value: valueOf(field), was: initial(field), isUnsent: isUnsent(field), home });
      after.set(field, valueOf(field));
    }
  };
  /* What is entered in a field that gives way to another one of its name goes there, and so does the focus. */
  const restore = (target, { focused, start, end }) => {
    const isHeir = (old) => (field) => field.name === old.name && (!isBox(old) || field.value === old.value);
    for (const [field, { value, home, isUnsent }] of before) {
      if (field.isConnected || !isUnsent || !home?.isConnected) continue;
      const heir = all(home, FIELDS).find(isHeir(field));
      if (heir) after.set(heir, value);
    }
    /* Of radios, the one that is chosen comes last. */
    for (const isChosen of [false, true])
      for (const [field, value] of after) if (isChosen === (value === true)) enter(field, value);
    const home = focused.isConnected ? null : before.get(focused)?.home;
    const heir = home?.isConnected && all(home, FIELDS).find(isHeir(focused));
    if (!heir) return;
    heir.focus({ preventScroll: true });
    if (heir.matches(TEXTS)) heir.setSelectionRange(start, end);
  };
  /* Sent again, once this answer is there: what it does not know. A text is sent when it is left. */
  const sendAgain = (target) => {
    const isLeft = (field) => field !== document.activeElement || !field.matches(TEXTS);
    const isNew = (field) => valueOf(field) !== initial(field) && isUnsent(field);
    const forms = new Map();
    for (const field of all(target, FIELDS))
      if (field.form && isNew(field) && isLeft(field)) forms.set(field.form, field);
    setTimeout(() => {
      for (const field of forms.values()) field.dispatchEvent(new Event("change", { bubbles: true }));
    });
  };
  /* A button that moves away under the pointer is pressed all the same. */
  let [pressed, hasMoved] = [null, false];
  document.addEventListener("pointerdown", ({ target }) => ([pressed, hasMoved] = [target.closest(CONTROLS), false]));
  document.addEventListener("pointerup", ({ target }) => {
    if (hasMoved && pressed.isConnected && !pressed.contains(target)) pressed.click();
    pressed = null;
  });

  document.body.dataset.hxExt = "merge";
  htmx.defineExtension("merge", {
    isInlineSwap: (style) => style === "merge",
    handleSwap: (style, target, fragment) => {
      if (style !== "merge") return false;
      const { activeElement: focused } = document;
      const place = { focused, start: focused.selectionStart, end: focused.selectionEnd };
      remember(target);
      const fresh = fragment.firstElementChild;
      if (fresh?.id === target.id) merge(target, fresh);
      else mergeChildren(target, fragment);
      note(target);
      restore(target, place);
      hasMoved = Boolean(pressed);
      sendAgain(target);
      return [target];
    },
  });
}
