// An answer, or why there is none, and how it came about, put in their places on the page.

import { run } from "./api.js";
import { drawn } from "./answer.js";
import { byId, make } from "./dom.js";
import { feedbackForm } from "./feedback.js";
import { programGraph } from "./graph.js";
import { stepItem } from "./steps.js";
import { showForms } from "./tabs.js";
import { takeButtons } from "./take.js";

const MOST_ROWS = 10000;
const ROWS_OF_ALL_COLUMNS = 1000;
const SUPPORTED = 50;

/** `pick` takes another reading, `turn` another candidate of a step after those before it. */
export function showResult(answer, links, { keepsFeedback, pick, turn, trouble }) {
  const isRefused = answer.reason !== null;
  byId("answer").hidden = byId("how").hidden = false;
  const all = () => run(answer.program, { rows: MOST_ROWS });
  const whole = () => run(answer.program, { rows: ROWS_OF_ALL_COLUMNS, columns: "all" });
  byId("items").replaceChildren(isRefused ? make("p", { class: "none" }, answer.reason) : drawn(answer, all, whole, trouble));
  byId("paraphrase").replaceChildren(...(isRefused ? [] : readAs(answer)));
  byId("support").replaceChildren(...(answer.program === null || isRefused ? [] : [because(answer, trouble)]));
  byId("sure").replaceChildren(...sureness(answer));
  byId("readings").replaceChildren(...otherReadings(answer, pick));
  byId("take").replaceChildren(...(answer.program === null || isRefused ? [] : takeButtons(answer, trouble)));
  byId("feedback").replaceChildren();
  keepsFeedback.then((keeps) => keeps && byId("feedback").replaceChildren(...feedbackForm(answer, trouble)));
  byId("how-title").textContent = isRefused ? "What is missing" : "How it got there";
  byId("missing").hidden = !isRefused;
  byId("missing").replaceChildren(...(isRefused ? missing(answer, links) : []));
  if (answer.trace !== null) byId("steps").replaceChildren(...walk(answer.trace.steps, turn));
  byId("program").hidden = answer.program === null || isRefused;
  byId("graph").replaceChildren(...(answer.tree ? [programGraph(answer.tree)] : []));
  showForms({ program: answer.program ?? "", sparql: answer.sparql ?? "", json: JSON.stringify(answer, null, 2) });
}

/** The facts that make it so, fetched when somebody looks. */
function because(answer, trouble) {
  const place = make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Facts" });
  const fold = make("details", { toggle: async () => {
    if (!fold.open || place.children.length) return;
    const found = await run(answer.program, { rows: SUPPORTED, support: true }).catch(trouble);
    const line = ([subject, predicate, object, source]) => make("tr", {}, make("th", { scope: "row" }, subject), make("td", {}, predicate), make("td", {}, object), make("td", { class: "quiet" }, source));
    place.replaceChildren(make("table", { class: "answers" }, make("tbody", {}, ...(found?.support_words ?? []).map(line))));
  } }, make("summary", {}, "The facts behind it"), place);
  return fold;
}

function readAs(answer) {
  const parts = answer.carried ? [make("span", { class: "quiet" }, `${answer.carried} · `)] : [];
  if (answer.paraphrase) parts.push(make("span", { class: "quiet" }, "Read as "), answer.paraphrase);
  if (answer.not_used.length && answer.reason === null) parts.push(make("span", { class: "quiet" }, ` · not used: ${answer.not_used.join(", ")}`));
  return parts;
}

function sureness(answer) {
  const time = `${Math.round(answer.seconds * 1000).toLocaleString("en")} ms`;
  if (answer.confidence === null) return answer.isPicked ? ["Your choice"] : [time];
  const fill = make("i");
  fill.style.width = `${100 * answer.confidence}%`;
  return [make("span", { class: "bar sure", "aria-hidden": "true" }, fill), ` ${Math.round(answer.confidence * 100)}% sure · ${time}`];
}

function otherReadings(answer, pick) {
  if (!answer.readings.length) return [];
  const list = answer.readings.map((reading) =>
    make("li", {}, make("button", { type: "button", class: "link", title: reading.program, click: () => pick(reading.program) }, reading.paraphrase)),
  );
  const title = { answer: "It might also mean", ask: "Did you mean …?", refuse: "The nearest readings" }[answer.outcome];
  return [make("details", { open: answer.reason !== null || answer.isPicked }, make("summary", {}, title), make("ul", {}, ...list))];
}

/** What was understood of a question that has no answer, and what was not. */
function missing(answer, links) {
  const named = links.mentions.filter((mention) => mention.candidates.length && !answer.not_used.includes(mention.text));
  const known = named.map((mention) => `“${mention.text}”: ${mention.candidates[0].description}`);
  const values = links.literals.map((literal) => `“${literal.text}”: a value`);
  const rows = [
    ["Understood", [...known, ...values].join("; ") || "no name or value of this knowledge base"],
    ["Not understood", answer.not_used.map((word) => `“${word}”`).join(", ") || null],
    ["Nearest reading", answer.readings[0]?.paraphrase],
  ];
  return rows.filter(([, text]) => text).flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, text)]);
}

/** The finished walk: every choice can be taken differently, and the search goes on from there. */
function walk(all, turn) {
  const steps = [];
  const taken = [];
  for (const step of all) {
    if (step.considered > 1) {
      const before = [...taken];
      steps.push(stepItem(step, (candidate) => turn([...before, named(candidate)])));
      taken.push(named(step.candidates.find((candidate) => candidate.chosen)));
    } else if (step.denotation !== null && steps.length) {
      steps.at(-1).append(make("p", { class: "found" }, `→ ${step.denotation.toLocaleString("en")} found`));
    }
  }
  return steps;
}

const named = ({ kind, text, variable }) => ({ kind, text, variable });
