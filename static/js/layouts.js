/* Keys and caps of the desk where letters are not Latin: a key names what lies at its place on a Latin keyboard. */
"use strict";
{
  const desk = window.evenhand;
  /* What the keys at these places type on a Latin keyboard, with Shift and without. */
  const [SHIFTED, UNSHIFTED] = ['<>?:"{}#', ",./;'[]3"];
  const PLACES = "Comma Period Slash Semicolon Quote BracketLeft BracketRight Digit3".split(" ");
  /* So says the browser where it knows the layout, else the letter that came last; an IME sends no letter. */
  let isOtherLayout = true;

  /* What a key names: what it types, if something is named so, else what lies at its place. */
  desk.meant = ({ key, code, shiftKey }) => {
    if (/^\p{Script=Latin}$/u.test(key)) isOtherLayout &&= shiftKey; /* with Shift, a Hebrew layout has Latin ones */
    else if (desk.isOther(key)) isOtherLayout = true;
    const letter = /^Key(.)$/.exec(code)?.[1];
    if (!isOtherLayout || desk.named(key) || !(letter || desk.isOther(key))) return key;
    if (letter) return shiftKey ? letter : letter.toLowerCase();
    const digit = shiftKey ? "" : /^Digit(.)$/.exec(code)?.[1];
    return digit || (shiftKey ? SHIFTED : UNSHIFTED)[PLACES.indexOf(code)] || key;
  };

  /* The caps of such a layout, by what they are on a Latin one. */
  const caps = new Map();
  const drawCap = (cap) => {
    cap.dataset.cap ??= cap.textContent;
    cap.textContent = cap.dataset.cap.replace(
      /^(⇧?)(.)(?= ␣|$)/u,
      (_, shift, sign) => shift + (caps.get(sign) ?? sign),
    );
  };
  const drawCaps = () => {
    if (caps.size) desk.all("kbd").forEach(drawCap);
  };
  const readLayout = async () => {
    const layout = await navigator.keyboard?.getLayoutMap?.().catch(() => null);
    if (!layout) return;
    const signs = [...layout.values()];
    isOtherLayout = signs.some(desk.isOther);
    for (const [code, sign] of layout) {
      const latin = /^Key(.)$/.exec(code)?.[1] ?? UNSHIFTED[PLACES.indexOf(code)];
      if (!latin || latin === "3") continue;
      caps.set(latin, isOtherLayout && !signs.includes(latin.toLowerCase()) ? sign.toUpperCase() : latin);
    }
    drawCaps();
  };
  readLayout();
  window.addEventListener("focus", readLayout);
  desk.on("htmx:afterSwap htmx:oobAfterSwap", drawCaps);
  desk.hasLayouts = true;
}
