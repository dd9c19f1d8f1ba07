/* The rubric's words beside the form: of what is under the cursor, else of what has the focus, else of the level
   picked, else the verdict in full where it bars something, else of the dimension. The place has a reserved height,
   so that nothing jumps. */
"use strict";
{
  const desk = (window.evenhand ??= {});
  let hovered = null;

  const explained = (element) => element?.closest?.("[data-explain]");

  desk.read = () => {
    const row = document.querySelector("[data-row].current");
    const place = row?.querySelector("[data-reader]");
    if (!place || place.contains(document.activeElement)) return;
    const focused = row.contains(document.activeElement) ? explained(document.activeElement) : null;
    const under = hovered && hovered.isConnected ? hovered : null;
    const element = under ?? focused ?? row.querySelector(".scale :checked");
    const verdict = element ? null : row.querySelector("[data-verdict]:not(.open)");
    if (verdict) {
      place.dataset.shown = "";
      place.replaceChildren(...verdict.cloneNode(true).childNodes);
      return;
    }
    const id = element?.dataset.explain ?? place.dataset.default;
    const why = element?.dataset.why ?? "";
    const reasons = why && document.getElementById(why);
    const shown = `${id} ${reasons?.textContent ?? ""}`; /* a reason names what is ticked, and changes with it */
    if (place.dataset.shown === shown) return;
    place.dataset.shown = shown;
    const words = document.getElementById(id);
    const parts = words ? [...words.cloneNode(true).childNodes] : [];
    if (reasons) {
      const barred = reasons.cloneNode(true);
      barred.removeAttribute("id");
      barred.className = "barred-why";
      parts.splice(1, 0, barred);
    }
    place.replaceChildren(...parts);
    place.scrollTop = 0;
  };

  document.addEventListener("pointerover", (event) => {
    const level = event.target.closest?.(".level")?.querySelector("input");
    const element = level ?? event.target.closest?.(".tick")?.querySelector("input") ?? explained(event.target);
    if (element === hovered || event.target.closest?.("[data-reader]")) return;
    hovered = element && element.closest("[data-row].current") ? element : null;
    desk.read();
  });
  document.addEventListener("focusin", (event) => {
    if (explained(event.target)) hovered = null;
    desk.read();
  });
  document.addEventListener("change", desk.read);
}
