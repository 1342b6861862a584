// "How it got there": the question with its mentions marked, and every choice with its rivals.

import { make } from "./dom.js";

const SAID = { open: "go on", end: "stop here" };

/** The question's text with the linked stretches marked; where they overlap the longest wins. */
export function markedQuestion(question, links) {
  const spans = [...links.mentions, ...links.literals].sort((a, b) => b.end - b.start - (a.end - a.start));
  const kept = [];
  for (const span of spans) {
    if (kept.every((other) => span.end <= other.start || span.start >= other.end)) kept.push(span);
  }
  kept.sort((a, b) => a.start - b.start);
  const characters = Array.from(question); // the service counts code points, not UTF-16 units
  const parts = [];
  let at = 0;
  for (const span of kept) {
    const names = (span.candidates ?? []).map((candidate) => candidate.label).join(", ");
    parts.push(characters.slice(at, span.start).join(""));
    parts.push(make("mark", { title: names || "a value" }, characters.slice(span.start, span.end).join("")));
    at = span.end;
  }
  parts.push(characters.slice(at).join(""));
  return parts;
}

export function stepItem(step, onPick) {
  const title = step.context || "Start";
  const list = make("div", { class: "candidates", role: "group", "aria-label": `Candidates after: ${title}` });
  for (const candidate of step.candidates) list.append(candidateButton(candidate, onPick));
  const hidden = step.considered - step.candidates.length;
  if (hidden > 0) list.append(make("span", { class: "quiet" }, `… ${hidden} more`));
  return make("li", {}, make("span", { class: "quiet" }, title), list, step.heat ? heatMap(step.heat) : null);
}

function candidateButton(candidate, onPick) {
  const name = make("span", { class: "name" }, SAID[candidate.kind] ?? candidate.text);
  if (candidate.types) name.append(" ", make("span", { class: "types" }, candidate.types));
  const share = candidate.probability < 0.01 ? "<1" : String(Math.round(candidate.probability * 100));
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
    make("meter", { min: 0, max: 1, value: candidate.probability, "aria-hidden": "true" }),
  );
}

/** Attention between question words and candidates, darker for more. */
function heatMap(heat) {
  const head = make("tr", {}, make("th"), ...heat.words.map((word) => make("th", { scope: "col" }, word)));
  const rows = heat.rows.map((row) => {
    const most = Math.max(...row.weights, 1e-9);
    const cells = row.weights.map((weight) => {
      const cell = make("i", { title: weight.toFixed(3) });
      cell.style.opacity = (weight / most).toFixed(2);
      return make("td", {}, cell);
    });
    return make("tr", {}, make("th", { scope: "row" }, row.text), ...cells);
  });
  return make("details", { class: "heat" }, make("summary", {}, "Attention"), make("div", { class: "scroll" }, make("table", {}, head, ...rows)));
}
