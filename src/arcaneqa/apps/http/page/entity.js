// The page of one thing: its facts, from it and to it, each leading to the next thing.

import { getJson, Problem } from "./api.js";
import { byId, make } from "./dom.js";
import { entry } from "./entry.js";
import { factList } from "./facts.js";

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
  section.append(factList(entity, facts, explain));
}

const listed = (items) => items.flatMap((item, place) => [place ? ", " : "", ...entry(item)]);

function explain(error) {
  byId("problem").hidden = false;
  byId("problem").textContent = error instanceof Problem ? error.message : "The service cannot be reached.";
}

getJson(`/v1/entity?${new URLSearchParams({ id })}`).then(show, explain);
