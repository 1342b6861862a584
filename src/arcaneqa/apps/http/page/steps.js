// Every choice on the way with its rivals, and what the model looked at.

import { make } from "./dom.js";

const SAID = { open: "go on", end: "stop here" };
const ASKED = {
  function: "What to do",
  variable: "Starting from what",
  relation: "Along which relation",
  class: "Which kind of thing",
  literal: "Which value",
  constant: "Which value",
  open: "Go on or stop",
  end: "Go on or stop",
};
const ALWAYS_SHOWN = 3;

export function stepItem(step, onPick) {
  const chosen = step.candidates.find((candidate) => candidate.chosen) ?? step.candidates[0];
  const title = `${ASKED[chosen.kind] ?? "What next"}?`;
  const buttons = step.candidates.map((candidate) => candidateButton(candidate, onPick));
  const likely = step.candidates.filter((candidate, place) => place < ALWAYS_SHOWN || candidate.probability >= 0.01 || candidate.chosen).length;
  const list = make("div", { class: "candidates", role: "group", "aria-label": title }, ...buttons.slice(0, likely));
  const left = step.considered - likely;
  if (left > 0) list.append(unlikely(buttons.slice(likely), left));
  const context = step.context ? make("span", { class: "quiet" }, ` ${step.context.replaceAll(" ; ", " · ")}`) : null;
  return make("li", {}, make("p", {}, make("strong", {}, title), context), list, step.heat ? heatMap(step.heat) : null);
}

function unlikely(buttons, count) {
  const words = `${count.toLocaleString()} less likely`;
  if (!buttons.length) return make("span", { class: "quiet" }, `${words}`);
  const unseen = count - buttons.length;
  return make(
    "details",
    {},
    make("summary", { class: "quiet" }, words),
    ...buttons,
    unseen > 0 ? make("span", { class: "quiet" }, `and ${unseen.toLocaleString()} more`) : null,
  );
}

function candidateButton(candidate, onPick) {
  const name = make("span", { class: "name" }, SAID[candidate.kind] ?? candidate.text);
  if (candidate.types) name.append(" ", make("span", { class: "types" }, candidate.types));
  const share = candidate.probability < 0.01 ? "<1" : String(Math.round(candidate.probability * 100));
  const bar = make("i");
  bar.style.width = `${Math.max(0.5, 100 * candidate.probability)}%`;
  return make(
    "button",
    {
      type: "button",
      class: "candidate",
      "aria-pressed": String(candidate.chosen),
      title: onPick && !candidate.chosen ? "Continue from here" : undefined,
      disabled: !onPick,
      click: () => onPick?.(candidate),
    },
    name,
    make("span", { class: "share" }, `${share}%`),
    make("span", { class: "bar", "aria-hidden": "true" }, bar),
  );
}

/** Attention between question words and candidates, darker for more. */
function heatMap(heat) {
  const head = make("tr", {}, make("td"), ...heat.words.map((word) => make("th", { scope: "col" }, word)));
  const rows = heat.rows.map((row) => {
    const most = Math.max(...row.weights, 1e-9);
    const cells = row.weights.map((weight) => {
      const cell = make("i", { title: weight.toFixed(3) });
      cell.style.opacity = (weight / most).toFixed(2);
      return make("td", {}, cell);
    });
    return make("tr", {}, make("th", { scope: "row" }, row.text), ...cells);
  });
  const table = make("table", { "aria-label": "Attention of the candidates to the words of the question" }, head, ...rows);
  return make("details", { class: "heat" }, make("summary", {}, "What it looked at"), make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Heat map" }, table));
}
