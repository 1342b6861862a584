// Completion of the name being typed, from the labels of this knowledge base.

import { getJson } from "./api.js";
import { make } from "./dom.js";

const PAUSE = 150;

export function completing(input, list) {
  let timer = 0;
  let asked = 0;
  let hits = [];
  let word = ""; // the stretch before the cursor that the hits complete
  let selected = -1;

  /** What is being typed: the last few words before the cursor. */
  const typed = () => /(?:\S+\s+){0,2}\S+$/.exec(input.value.slice(0, input.selectionStart))?.[0] ?? "";

  function show(found, matched) {
    hits = found;
    word = matched;
    selected = -1;
    list.replaceChildren(...hits.map((hit, number) => option(hit, number)));
    list.hidden = hits.length === 0;
    input.setAttribute("aria-expanded", String(hits.length > 0));
    input.removeAttribute("aria-activedescendant");
  }

  function option(hit, number) {
    return make(
      "li",
      { role: "option", id: `completion-${number}`, "aria-selected": "false", mousedown: (event) => (event.preventDefault(), take(number)) },
      hit.description,
    );
  }

  function take(number) {
    const at = input.selectionStart;
    const before = input.value.slice(0, at - word.length);
    input.value = before + hits[number].label + input.value.slice(at);
    const end = before.length + hits[number].label.length;
    input.setSelectionRange(end, end);
    show([], "");
  }

  function select(number) {
    selected = (number + hits.length) % hits.length;
    [...list.children].forEach((item, place) => item.setAttribute("aria-selected", String(place === selected)));
    input.setAttribute("aria-activedescendant", `completion-${selected}`);
  }

  /** The longest tail of what is typed that begins a name. */
  async function look() {
    const mine = ++asked;
    const words = typed().split(/\s+/);
    for (let first = 0; first < words.length; first++) {
      const tail = words.slice(first).join(" ");
      if (tail.length < 3) break;
      const found = await getJson(`/v1/entities?limit=6&q=${encodeURIComponent(tail.slice(0, 200))}`).catch(() => []);
      if (mine !== asked) return;
      if (found.length) return show(found, typed().slice(-tail.length));
    }
    show([], "");
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(look, PAUSE);
  });
  /** Nothing more is wanted, an answer under way included. */
  function close() {
    clearTimeout(timer);
    asked++;
    show([], "");
  }
  input.addEventListener("blur", close);
  input.form.addEventListener("submit", close);
  input.addEventListener("keydown", (event) => {
    if (!hits.length) return;
    if (event.key === "ArrowDown") select(selected + 1);
    else if (event.key === "ArrowUp") select(selected - 1);
    else if (event.key === "Escape") close();
    else if (event.key === "Enter" && selected >= 0) take(selected);
    else return;
    event.preventDefault();
  });
}
