// Facts relation by relation, each in pages of its own; values lead on.

import { getJson } from "./api.js";
import { entry } from "./entry.js";
import { make } from "./dom.js";

export const factList = (entity, facts, trouble) => make("dl", { class: "facts" }, ...facts.flatMap((fact) => relation(entity, fact, trouble)));

function relation(entity, fact, trouble) {
  const line = (item) => make("li", {}, ...entry(item));
  const values = make("ul", {}, ...fact.values.map(line));
  const says = make("span", { class: "quiet", role: "status" });
  const parts = [values, says];
  let page = 0;
  const tell = () => (says.textContent = values.children.length < fact.total ? `${values.children.length} of ${fact.total.toLocaleString("en")} ` : "");
  const more = make("button", { type: "button", "aria-label": `More: ${fact.label}`, click: async () => {
    page += 1;
    const query = new URLSearchParams({ id: entity.id, page, relation: fact.relation, inverse: fact.inverse });
    const next = await getJson(`/v1/entity?${query}`).catch(trouble);
    values.append(...(next?.facts[0]?.values ?? []).map(line));
    tell();
    if (!next || values.children.length >= fact.total) more.remove();
  } }, "More");
  tell();
  if (fact.values.length < fact.total) parts.push(more);
  return [make("dt", {}, fact.label), make("dd", {}, ...parts)];
}
