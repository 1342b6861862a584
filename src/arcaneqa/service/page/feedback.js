// Thumbs up or down, and which reading would have been right. Shown only where the service keeps it.

import { judge } from "./api.js";
import { make } from "./dom.js";

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
  const up = make("button", { type: "button", click: () => send(true) }, "👍 Right");
  const down = make("button", { type: "button", "aria-expanded": "false", click: () => {
    choices.hidden = !choices.hidden;
    down.setAttribute("aria-expanded", String(!choices.hidden));
    if (!choices.hidden) choices.querySelector("button").focus();
  } }, answer.program === null ? "I know what is meant" : "👎 Wrong");
  asked.append(...(answer.program === null ? [] : [up]), down);
  const told = make("p", { class: "quiet" }, "What you press here is kept on the server, with the question, to make answers better.");
  return [asked, choices, says, told];
}
