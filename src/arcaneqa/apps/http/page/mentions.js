// The question with what it names; a click on a name offers everything else it may stand for.

import { make } from "./dom.js";

const NOT_USED = "not used in the answer";

/** The question's text with the linked stretches marked (where they overlap the longest wins), and the words
 * that the answer does not take up. */
export function markedQuestion(question, links, notUsed, panel, onPick) {
  const spans = [...links.mentions, ...links.literals].sort((a, b) => b.end - b.start - (a.end - a.start));
  const kept = [];
  for (const span of spans) {
    if (kept.every((other) => span.end <= other.start || span.start >= other.end)) kept.push(span);
  }
  kept.sort((a, b) => a.start - b.start);
  const characters = Array.from(question); // the service counts code points, not UTF-16 units
  const parts = [];
  let at = 0;
  close(panel);
  for (const span of kept) {
    const text = characters.slice(span.start, span.end).join("");
    const isUnused = notUsed.includes(text);
    parts.push(...plain(characters.slice(at, span.start).join(""), notUsed));
    parts.push(span.candidates ? mentionButton(text, span, isUnused, panel, onPick) : make("mark", { class: isUnused ? "unused" : null, title: isUnused ? NOT_USED : "a value" }, text));
    at = span.end;
  }
  parts.push(...plain(characters.slice(at).join(""), notUsed));
  return parts;
}

/** A stretch that names nothing; words of it may still be ones that the answer leaves out. */
function plain(text, notUsed) {
  const wanted = notUsed.map((words) => words.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!wanted.length) return [text];
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(${wanted.join("|")})(?![\\p{L}\\p{N}])`, "giu");
  return text.split(pattern).map((part, place) => (place % 2 ? make("span", { class: "unused", title: NOT_USED }, part) : part));
}

function mentionButton(text, mention, isUnused, panel, onPick) {
  const dropped = mention.settled && mention.chosen === null;
  const button = make(
    "button",
    {
      type: "button",
      class: `mention${dropped ? " dropped" : ""}${isUnused ? " unused" : ""}`,
      "aria-expanded": "false",
      "aria-controls": panel.id,
      title: isUnused ? `${NOT_USED}; what else it may name` : "What else it may name",
      click: () => {
        const isOpen = button.getAttribute("aria-expanded") === "true";
        close(panel);
        if (isOpen) return;
        button.setAttribute("aria-expanded", "true");
        panel.replaceChildren(`“${text}” may name`, ...alternatives(mention, onPick));
        panel.hidden = false;
      },
    },
    text,
  );
  return button;
}

function alternatives(mention, onPick) {
  const named = mention.candidates.map((candidate) => ({
    id: candidate.id,
    label: candidate.description,
    share: `${Math.max(1, Math.round(candidate.probability * 100))}%`,
  }));
  return [...named, { id: null, label: "nothing", share: "" }].map(({ id, label, share }) =>
    make(
      "button",
      {
        type: "button",
        title: id,
        "aria-pressed": String(mention.settled && mention.chosen === id),
        click: () => onPick({ start: mention.start, end: mention.end, id }),
      },
      label,
      share ? make("span", { class: "quiet" }, ` ${share}`) : null,
    ),
  );
}

function close(panel) {
  panel.hidden = true;
  for (const open of document.querySelectorAll(".mention[aria-expanded=true]")) open.setAttribute("aria-expanded", "false");
}
