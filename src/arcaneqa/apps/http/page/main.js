// The page: asks, shows the answer first, then how it came about. Its address is a link to what it shows.

import { ask, getJson, Locked, Problem, run, unlock } from "./api.js";
import { completing } from "./complete.js";
import { byId, make } from "./dom.js";
import { addToHistory, showHistory } from "./history.js";
import { markedQuestion } from "./mentions.js";
import { showResult } from "./result.js";
import { stepItem } from "./steps.js";

const ROWS = 500;
let conversation = null; // what the next question may refer to
let underWay = new AbortController();
const keepsFeedback = getJson("/v1/kb").then(introduce, (error) => (explain(error), false));
let patience = 12; // the examples of a service that has just started take up to half a minute

// Asking ---------------------------------------------------------------------------------------

/** `asked` is a question with what was settled of it: decisions, what names mean, a whole program. */
const plainly = (question) => ({ question, choices: [], entities: [], program: null });

async function submit(asked) {
  underWay.abort();
  underWay = new AbortController();
  const { signal } = underWay;
  byId("question").value = asked.question;
  document.body.classList.add("asked");
  byId("problem").hidden = true;
  byId("answer").setAttribute("aria-busy", "true");
  byId("steps").replaceChildren();
  byId("held").hidden = asked.choices.length + asked.entities.length === 0 && asked.program === null;
  remember(asked);
  try {
    await answered(asked, signal);
  } catch (error) {
    if (error.name !== "AbortError") explain(error);
  } finally {
    if (!signal.aborted) byId("answer").setAttribute("aria-busy", "false");
  }
}

async function answered(asked, signal) {
  const { question, choices, entities } = asked;
  let links = { mentions: [], literals: [] };
  let answer = null;
  const mark = (notUsed) => byId("marked").replaceChildren(...markedQuestion(question, links, notUsed, byId("alternatives"), (one) => settle(asked, one)));
  await ask({ question, trace: true, rows: ROWS, choices, entities, conversation }, (name, data) => {
    if (name === "links") mark((links = data, []));
    else if (name === "step") byId("steps").append(stepItem(data, null));
    else if (name === "answer") answer = data;
    else if (name === "problem") complain(data.detail);
  }, signal);
  if (answer === null) return;
  goOn(answer.conversation);
  if (asked.program !== null) answer = await picked(answer, asked.program);
  mark(answer.not_used);
  showResult(answer, links, {
    keepsFeedback,
    pick: (program) => submit({ ...asked, program }),
    turn: (taken) => submit({ ...asked, choices: taken, program: null }),
    trouble: explain,
  });
}

/** Another reading, taken instead: its program is run as it stands, and the first stays at hand. */
async function picked(answer, program) {
  const found = await run(program, { rows: ROWS, tree: true, conversation });
  const first = answer.program === null ? [] : [{ program: answer.program, paraphrase: answer.paraphrase }];
  const readings = [...first, ...answer.readings].filter((reading) => reading.program !== found.program);
  return { ...answer, ...found, readings, outcome: "answer", reason: null, facts: null, not_used: [], confidence: null, trace: null, isPicked: true };
}

/** The same question with one name meaning something else. */
function settle(asked, one) {
  const others = asked.entities.filter((other) => other.start !== one.start || other.end !== one.end);
  submit({ ...plainly(asked.question), entities: [...others, one] });
}

/** The next question belongs to this conversation, or to none. */
function goOn(id) {
  conversation = id;
  byId("talk").hidden = id === null;
}

function explain(error) {
  byId("locked").hidden = !(error instanceof Locked);
  complain(error instanceof Problem ? error.message : "The service cannot be reached.");
}

function complain(sentence) {
  goOn(null); // it may be the conversation that has ended
  byId("problem").textContent = sentence;
  byId("problem").hidden = false;
}

// Links and history ----------------------------------------------------------------------------

function linkTo({ question, choices, entities, program }) {
  const state = new URLSearchParams({ q: question });
  if (choices.length) state.set("c", JSON.stringify(choices));
  if (entities.length) state.set("e", JSON.stringify(entities));
  if (program !== null) state.set("p", program);
  return `/?${state}`;
}

function remember(asked) {
  const link = linkTo(asked);
  if (`/?${new URLSearchParams(location.search)}` !== link) history.pushState(null, "", link);
  document.title = `${asked.question} · ArcaneQA`;
  addToHistory(asked.question, link);
  showHistory(byId("past"), follow);
}

function follow(link) {
  history.pushState(null, "", link);
  recall();
}

function recall() {
  const state = new URLSearchParams(location.search || location.hash.slice(1)); // links of older versions
  const question = state.get("q");
  if (!question) return;
  const asked = { ...plainly(question), program: state.get("p") };
  try {
    asked.choices = list(state.get("c"));
    asked.entities = list(state.get("e"));
    submit(asked);
  } catch {
    submit(plainly(question));
    complain("The choices in this link are damaged; the question is asked without them.");
  }
}

function list(text) {
  const found = JSON.parse(text ?? "[]");
  if (!Array.isArray(found)) throw new SyntaxError("a list was expected");
  return found;
}

/** What this knowledge base is about, and what to try; whether judgements are kept. */
function introduce(kb) {
  byId("about").textContent = `${kb.facts.toLocaleString("en")} facts about ${kb.classes.slice(0, 6).map((klass) => klass.label).join(", ")} …`;
  const chips = kb.examples.map((example) => make("button", { type: "button", click: () => submit(plainly(example)) }, example));
  byId("examples").replaceChildren(...chips);
  if (!chips.length && patience-- > 0) setTimeout(() => getJson("/v1/kb").then(introduce, () => {}), 3000);
  if (kb.keeps_feedback) byId("keeping").textContent = "Questions are answered here; those that you judge are kept in a file on this server.";
  return kb.keeps_feedback;
}

// Start ----------------------------------------------------------------------------------------

byId("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  submit(plainly(byId("question").value));
});
byId("anew").addEventListener("click", () => {
  goOn(null);
  byId("question").value = "";
  byId("question").focus();
});
byId("free").addEventListener("click", () => submit(plainly(byId("question").value)));
byId("locked").addEventListener("submit", (event) => {
  event.preventDefault();
  unlock(byId("token").value);
  location.reload();
});
window.addEventListener("popstate", recall);
completing(byId("question"), byId("completions"));
showHistory(byId("past"), follow);

recall();
