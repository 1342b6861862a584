// Questions that were asked before, in this browser only, as links to their answers.

import { make } from "./dom.js";

const KEY = "arcaneqa-history";
const MOST = 30;

function kept() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(found) ? found.filter((one) => typeof one.question === "string" && typeof one.link === "string") : [];
  } catch {
    return []; // a browser that keeps nothing, or somebody else's words
  }
}

function keep(all) {
  try {
    localStorage.setItem(KEY, JSON.stringify(all.slice(0, MOST)));
  } catch {
    // it is a convenience
  }
}

export function addToHistory(question, link) {
  keep([{ question, link }, ...kept().filter((one) => one.link !== link)]);
}

/** Draws the list into a `details`; hides it while there is nothing. */
export function showHistory(place, onPick) {
  const all = kept();
  place.hidden = all.length === 0;
  const links = all.map(({ question, link }) =>
    make("li", {}, make("a", { href: link, click: (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return; // a new tab is wanted
      event.preventDefault();
      onPick(link);
    } }, question)),
  );
  const forget = make("button", { type: "button", click: () => (keep([]), showHistory(place, onPick)) }, "Forget these");
  place.replaceChildren(
    make("summary", {}, `Earlier questions (${all.length})`),
    make("ul", {}, ...links),
    make("p", { class: "quiet" }, "Kept in this browser only. ", forget),
  );
}
