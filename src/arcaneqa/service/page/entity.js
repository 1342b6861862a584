// The page of one thing: its facts, from it and to it, each leading to the next thing.

import { getJson, Problem } from "./api.js";
import { entry } from "./answer.js";
import { byId, make } from "./dom.js";

const id = decodeURIComponent(location.pathname.slice("/entity/".length));

function show(entity) {
  const name = entity.label ?? entity.id;
  document.title = `${name} · ArcaneQA`;
  byId("name").textContent = name;
  const kinds = entity.classes.length ? [`${entity.classes.join(", ")} · `] : [];
  byId("kinds").replaceChildren(...kinds, address(entity));
  if (entity.namesakes.length) {
    byId("namesakes").hidden = false;
    byId("namesakes").replaceChildren("Also called so: ", ...listed(entity.namesakes));
  }
  draw(byId("out"), entity, entity.facts.filter((fact) => !fact.inverse));
  draw(byId("in"), entity, entity.facts.filter((fact) => fact.inverse));
}

/** Only web addresses become links; everything else stays text. */
function address(entity) {
  if (!/^https?:\/\//.test(entity.address ?? "")) return make("span", { class: "iri" }, entity.id);
  return make("a", { class: "iri", href: entity.address, rel: "noreferrer noopener", target: "_blank" }, entity.address);
}

function draw(section, entity, facts) {
  section.hidden = facts.length === 0;
  section.querySelector("dl").replaceChildren(...facts.flatMap((fact) => relation(entity, fact)));
}

function relation(entity, fact) {
  const values = make("ul", {}, ...fact.values.map((item) => make("li", {}, ...entry(item))));
  const says = make("span", { class: "quiet", role: "status" });
  const parts = [values, says];
  let page = 0;
  const tell = () => (says.textContent = values.children.length < fact.total ? `${values.children.length} of ${fact.total.toLocaleString("en")} ` : "");
  const more = make("button", { type: "button", "aria-label": `More: ${fact.label}`, click: async () => {
    page += 1;
    const query = new URLSearchParams({ id: entity.id, page, relation: fact.relation, inverse: fact.inverse });
    const next = await getJson(`/v1/entity?${query}`).catch(explain);
    values.append(...(next?.facts[0]?.values ?? []).map((item) => make("li", {}, ...entry(item))));
    tell();
    if (!next || values.children.length >= fact.total) more.remove();
  } }, "More");
  tell();
  if (fact.values.length < fact.total) parts.push(more);
  return [make("dt", {}, fact.label), make("dd", {}, ...parts)];
}

const listed = (items) => items.flatMap((item, place) => [place ? ", " : "", ...entry(item)]);

function explain(error) {
  byId("problem").hidden = false;
  byId("problem").textContent = error instanceof Problem ? error.message : "The service cannot be reached.";
}

getJson(`/v1/entity?${new URLSearchParams({ id })}`).then(show, explain);
