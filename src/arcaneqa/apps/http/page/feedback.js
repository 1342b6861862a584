// Thumbs up or down, and which reading would have been right. Shown only where the service keeps it.

import { judge } from "./api.js";
import { draw, make } from "./dom.js";

const THUMB = "M2 9h3v9H2zM7 18h7.4c.8 0 1.5-.5 1.8-1.2l2.2-5.3c.1-.2.1-.4.1-.7v-1.3c0-1-.8-1.8-1.8-1.8h-4.6l.7-3.6c.1-.5 0-.9-.4-1.2L11.5 2 7 7.2z";
const thumb = (turn) => draw("svg", { class: "thumb", viewBox: "0 0 20 20", "aria-hidden": "true" }, draw("path", { d: THUMB, transform: turn }));

export function feedbackForm(answer, onTrouble) {
  const says = make("p", { role: "status" });
  const asked = make("div", { role: "group", "aria-label": "Was this right?", class: "chips" });
  const choices = make("div", { hidden: true, role: "group", "aria-label": "What was meant?" });

  async function send(isRight, correction = null) {
    try {
      await judge({ question: answer.question, program: answer.program, is_right: isRight, correction });
      asked.hidden = choices.hidden = true;
      says.textContent = "Thank you: it is written down.";
    } catch (error) {
      onTrouble(error);
    }
  }

  const pick = (words, program) => make("li", {}, make("button", { type: "button", class: "link", click: () => send(false, program) }, words));
  choices.append(
    make("p", {}, "What was meant?"),
    make("ul", {}, ...answer.readings.map((reading) => pick(reading.paraphrase, reading.program)), pick("None of these", null)),
  );
  const up = make("button", { type: "button", click: () => send(true) }, thumb(), " Right");
  const down = make("button", { type: "button", "aria-expanded": "false", click: () => {
    choices.hidden = !choices.hidden;
    down.setAttribute("aria-expanded", String(!choices.hidden));
    if (!choices.hidden) choices.querySelector("button").focus();
  } }, ...(answer.program === null ? ["I know what is meant"] : [thumb("rotate(180 10 10)"), " Wrong"]));
  asked.append(...(answer.program === null ? [] : [up]), down);
  const told = make("p", { class: "quiet" }, "What you press here is kept on the server, with the question, to make answers better.");
  return [asked, choices, says, told];
}
