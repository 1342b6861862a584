// The answer in other forms: one tab at a time.

import { byId } from "./dom.js";

const list = document.querySelector("[role=tablist]");
const tabs = [...list.querySelectorAll("[role=tab]")];
let forms = {};

export function showForms(texts) {
  forms = texts;
  showForm("program");
}

function showForm(name) {
  for (const tab of tabs) {
    const isChosen = tab.id === `tab-${name}`;
    tab.setAttribute("aria-selected", String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
  }
  byId("panel").setAttribute("aria-labelledby", `tab-${name}`);
  byId("panel").textContent = forms[name];
}

list.addEventListener("click", (event) => {
  if (event.target.role === "tab") showForm(event.target.id.slice(4));
});
list.addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
  showForm(next.id.slice(4));
  next.focus();
});
