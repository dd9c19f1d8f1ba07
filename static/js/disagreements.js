/* The keys of the disagreements: each control says its own (aria-keyshortcuts). They do nothing inside a text field.
   A key is what it types, whatever the layout of the keyboard. */
"use strict";
{
  const TEXTS = "textarea, select, [contenteditable], input:not([type=radio], [type=checkbox])";
  const current = () => document.getElementById("case");
  const field = () => document.getElementById("decide-score");

  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || target.closest(TEXTS)) return;
    if (key === "Enter" && target.closest("a, button, summary")) return;
    const name = key.length === 1 ? key.toUpperCase() : key;
    const controls = [...current().querySelectorAll("[aria-keyshortcuts]")];
    const control = controls.find((each) => each.getAttribute("aria-keyshortcuts") === name);
    if (!control) return;
    event.preventDefault();
    if (event.repeat) return;
    /* A cause that is chosen is taken back by its key. */
    if (control.name === "cause" && control.checked) control.checked = false;
    else control.click();
    /* Else Enter would act on what had the focus before, such as the fold of the prompt. */
    if (control.matches("input")) control.focus({ preventScroll: true });
  });

  /* A box with a scroll bar of its own shows a line of it; the page stays where it is. */
  const reveal = (box, line) => {
    if (!box || !line || box.scrollHeight <= box.clientHeight) return;
    const [around, place] = [box.getBoundingClientRect(), line.getBoundingClientRect()];
    if (place.top < around.top || place.bottom > around.bottom) box.scrollTop += place.top - around.top - 40;
  };
  /* The level of what is chosen stands out on the scale and in the rubric, an adopted answer's too. */
  const mark = () => {
    const chosen = document.querySelector("#decide [name=choice]:checked");
    const score = chosen?.dataset.score ?? (chosen?.value === "anew" ? field()?.value : undefined);
    for (const level of document.querySelectorAll("#rubric [data-level]"))
      level.classList.toggle("chosen", level.dataset.level === score);
    reveal(document.getElementById("rubric"), document.querySelector("#rubric .chosen"));
    for (const level of document.querySelectorAll("#decide .scale [data-score]"))
      level.parentElement.classList.toggle("adopted", level.dataset.score === score);
  };
  /* The queue stays as it is while its rows last: a decided case only takes its own. */
  const point = () => {
    const { address, token } = current().dataset;
    const row = document.getElementById(`row-${token}`);
    if (!row) return htmx.ajax("GET", address, { target: "#queue-rows", swap: "outerHTML" });
    for (const link of document.querySelectorAll("#queue ol a"))
      if (row.contains(link)) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
  };
  const show = () => {
    reveal(document.getElementById("queue"), document.querySelector("#queue ol [aria-current]"));
    mark();
  };
  document.addEventListener("change", ({ target }) => {
    if (target.name !== "choice") return;
    if (field() && target.value !== "anew") field().value = "";
    mark();
  });
  document.addEventListener("input", ({ target }) => {
    if (target !== field()) return;
    document.getElementById("choice-anew").checked = true;
    mark();
  });
  /* Whoever loads the page again comes back to the case that is in sight. */
  document.addEventListener("htmx:afterSettle", ({ target }) => {
    if (target.id !== "case") return;
    history.replaceState(null, "", current().dataset.address);
    document.title = document.title.replace(/^[^:]*/, current().dataset.title);
    document.getElementById(`row-${current().dataset.left}`)?.remove();
    point();
    show();
  });
  /* A press that came to nothing says so; all that was entered stays. */
  const tell = (hidden) => (document.getElementById("no-answer").hidden = hidden);
  document.addEventListener("htmx:beforeRequest", () => tell(true));
  for (const fault of ["htmx:sendError", "htmx:responseError", "htmx:timeout"])
    document.addEventListener(fault, () => tell(false));
  show();
}
