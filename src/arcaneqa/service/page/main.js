// The page: asks, shows the answer first, then how it came about.

import { ask, getJson, Locked, Problem, run, unlock } from "./api.js";
import { completing } from "./complete.js";
import { byId, make } from "./dom.js";
import { programGraph } from "./graph.js";
import { markedQuestion } from "./mentions.js";
import { stepItem } from "./steps.js";

const MOST_LISTED = 8;
let underWay = new AbortController();
let choices = [];
let entities = [];
let forms = { program: "", sparql: "", json: "" };

// Asking ---------------------------------------------------------------------------------------

async function submit(question, settled = [], said = []) {
  underWay.abort();
  underWay = new AbortController();
  choices = settled;
  entities = said;
  byId("question").value = question;
  byId("problem").hidden = true;
  byId("answer").setAttribute("aria-busy", "true");
  byId("how").hidden = false;
  byId("steps").replaceChildren();
  byId("held").hidden = choices.length + entities.length === 0;
  remember(question);
  const request = { question, trace: true, rows: 500, choices, entities };
  try {
    await ask(request, (name, data) => hear(name, data, question), underWay.signal);
  } catch (error) {
    if (error.name !== "AbortError") explain(error);
  } finally {
    byId("answer").setAttribute("aria-busy", "false");
  }
}

function hear(name, data, question) {
  if (name === "links") byId("marked").replaceChildren(...markedQuestion(question, data, byId("alternatives"), (one) => settle(question, one)));
  else if (name === "step") byId("steps").append(stepItem(data, null));
  else if (name === "answer") showAnswer(data);
  else if (name === "problem") complain(data.detail);
}

/** The same question with one name meaning something else. */
function settle(question, one) {
  const others = entities.filter((other) => other.start !== one.start || other.end !== one.end);
  submit(question, [], [...others, one]);
}

function explain(error) {
  byId("locked").hidden = !(error instanceof Locked);
  complain(error instanceof Problem ? error.message : "The service cannot be reached.");
}

function complain(sentence) {
  byId("problem").textContent = sentence;
  byId("problem").hidden = false;
}

// The answer -----------------------------------------------------------------------------------

function showAnswer(answer) {
  byId("answer").hidden = false;
  byId("items").replaceChildren(answer.reason === null ? items(answer) : make("p", { class: "none" }, answer.reason));
  byId("paraphrase").replaceChildren(...(answer.paraphrase ? [make("span", { class: "quiet" }, "Read as "), answer.paraphrase] : []));
  if (answer.not_used.length) byId("paraphrase").append(make("span", { class: "quiet" }, ` · not used: ${answer.not_used.join(", ")}`));
  byId("sure").replaceChildren(...sureness(answer));
  showReadings(answer);
  showTrace(answer);
  byId("program").hidden = answer.program === null;
  byId("graph").replaceChildren(...(answer.tree ? [programGraph(answer.tree)] : []));
  forms = { program: answer.program ?? "", sparql: answer.sparql ?? "", json: JSON.stringify(answer, null, 2) };
  showForm("program");
}

function sureness(answer) {
  const time = `${Math.round(answer.seconds * 1000).toLocaleString()} ms`;
  if (answer.confidence === null) return [time];
  const fill = make("i");
  fill.style.width = `${100 * answer.confidence}%`;
  return [make("span", { class: "bar sure", "aria-hidden": "true" }, fill), ` ${Math.round(answer.confidence * 100)}% sure · ${time}`];
}

function items(answer) {
  const unit = answer.unit ? ` ${answer.unit}` : "";
  const all = answer.answers;
  if (all.length === 1) return make("p", { class: "one" }, ...written(all[0], unit));
  if (all.length <= MOST_LISTED) return make("ul", {}, ...all.map((item) => make("li", {}, ...written(item, unit))));
  const rows = all.map((item) => make("tr", {}, make("td", {}, `${item.label ?? item.value ?? item.id}${item.id === null ? unit : ""}`), make("td", {}, item.id === null ? "" : link(item))));
  const caption = `${answer.total.toLocaleString()} answers${answer.total > all.length ? `, the first ${all.length} shown` : ""}`;
  return make("div", { class: "scroll tall", tabindex: "0", role: "group", "aria-label": "Answers" }, make("table", {}, make("caption", {}, caption), ...rows));
}

function written(item, unit) {
  if (item.id === null) return [`${item.label ?? item.value}${unit}`];
  return [item.label ?? item.id, " ", link(item)];
}

/** Only web addresses become links; everything else stays text. */
function link(item) {
  if (!/^https?:\/\//.test(item.address ?? "")) return make("span", { class: "iri" }, item.id);
  return make("a", { class: "iri", href: item.address, rel: "noreferrer noopener", target: "_blank" }, item.id);
}

function showReadings(answer) {
  const title = answer.reason === null ? "It might also mean:" : "The nearest readings:";
  const list = answer.readings.map((reading) =>
    make("li", {}, make("button", { type: "button", class: "link", click: () => choose(answer, reading) }, reading.paraphrase), make("span", { class: "iri" }, ` ${reading.program}`)),
  );
  byId("readings").replaceChildren(...(list.length ? [make("details", { open: answer.reason !== null }, make("summary", {}, title), make("ul", {}, ...list))] : []));
}

/** Another reading, taken instead: its program is run as it stands. */
async function choose(answer, reading) {
  try {
    const found = await run(reading.program);
    const chosen = { reason: null, readings: [], not_used: [], unit: null, confidence: null, seconds: 0, trace: null, tree: null };
    showAnswer({ ...answer, ...found, ...chosen });
  } catch (error) {
    explain(error);
  }
}

/** The finished walk: every choice can be taken differently, and the search goes on from there. */
function showTrace(answer) {
  if (answer.trace === null) return;
  const steps = [];
  const taken = [];
  for (const step of answer.trace.steps) {
    if (step.considered > 1) {
      const before = [...taken];
      steps.push(stepItem(step, (candidate) => submit(answer.question, [...before, named(candidate)], entities)));
      taken.push(named(step.candidates.find((candidate) => candidate.chosen)));
    } else if (step.denotation !== null && steps.length) {
      steps.at(-1).append(make("p", { class: "found" }, `→ ${step.denotation.toLocaleString()} found`));
    }
  }
  byId("steps").replaceChildren(...steps);
}

const named = ({ kind, text, variable }) => ({ kind, text, variable });

// Tabs -----------------------------------------------------------------------------------------

function showForm(name) {
  for (const tab of document.querySelectorAll("[role=tab]")) {
    const isChosen = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
  }
  byId("panel").setAttribute("aria-labelledby", `tab-${name}`);
  byId("panel").textContent = forms[name];
}

document.querySelector("[role=tablist]").addEventListener("click", (event) => {
  if (event.target.role === "tab") showForm(event.target.id.slice(4));
});
document.querySelector("[role=tablist]").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
  showForm(next.id.slice(4));
  next.focus();
});

// Permalinks and start -------------------------------------------------------------------------

function remember(question) {
  const state = new URLSearchParams({ q: question });
  if (choices.length) state.set("c", JSON.stringify(choices));
  if (entities.length) state.set("e", JSON.stringify(entities));
  if (location.hash.slice(1) !== state.toString()) history.pushState(null, "", `#${state}`);
  document.title = `${question} · ArcaneQA`;
}

function recall() {
  const state = new URLSearchParams(location.hash.slice(1));
  const question = state.get("q");
  if (!question) return;
  let [settled, said] = [[], []];
  let isWhole = true;
  try {
    [settled, said] = [JSON.parse(state.get("c") ?? "[]"), JSON.parse(state.get("e") ?? "[]")];
  } catch {
    isWhole = false;
  }
  submit(question, settled, said);
  if (!isWhole) complain("The choices in this link are damaged; the question is asked without them.");
}

byId("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  submit(byId("question").value);
});
byId("free").addEventListener("click", () => submit(byId("question").value));
byId("locked").addEventListener("submit", (event) => {
  event.preventDefault();
  unlock(byId("token").value);
  location.reload();
});
window.addEventListener("popstate", recall);
completing(byId("question"), byId("completions"));
recall();

getJson("/v1/kb").then(
  (kb) => {
    byId("about").textContent = `${kb.facts.toLocaleString()} facts about ${kb.classes.slice(0, 6).map((klass) => klass.label).join(", ")} …`;
    const chips = kb.examples.map((example) => make("button", { type: "button", click: () => submit(example) }, example));
    byId("examples").replaceChildren(...chips);
  },
  explain,
);
