// /openapi.json as people read it: each operation with what it takes and gives, ready to try.

import { authorised, getJson } from "./api.js";
import { byId, make } from "./dom.js";

let schemas = {};
const named = (schema) => schemas[schema.$ref.split("/").at(-1)];
const resolved = (schema) => (schema.$ref ? named(schema) : schema);

function show(api) {
  schemas = api.components.schemas;
  const all = Object.entries(api.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ path, method, operation })));
  byId("operations").replaceChildren(...all.map(drawn));
}

function drawn({ path, method, operation }) {
  const body = operation.requestBody?.content["application/json"]?.schema;
  const answer = operation.responses["200"]?.content?.["application/json"]?.schema;
  const title = `${method.toUpperCase()} ${path}`;
  const parts = [make("summary", {}, make("h2", {}, make("code", {}, title)), make("span", { class: "quiet" }, ...prose(operation.description ?? operation.summary)))];
  const taken = operation.parameters?.map((one) => [one.name, one.schema, one.required, one.description]) ?? (body ? fields(body) : []);
  if (taken.length) parts.push(make("h3", {}, "Takes"), table(`What ${title} takes`, taken));
  if (answer && fields(answer).length) parts.push(make("h3", {}, "Gives"), table(`What ${title} gives`, fields(answer)));
  const others = Object.entries(operation.responses).filter(([status]) => status !== "200");
  if (others.length) parts.push(make("h3", {}, "Or"), table(`Other answers of ${title}`, others.map(([status, one]) => [status, null, false, one.description])));
  parts.push(...trying(path, method, operation, body));
  return make("details", { class: "card" }, ...parts);
}

function fields(schema) {
  const whole = resolved(schema.items ?? schema);
  return Object.entries(whole.properties ?? {}).map(([name, one]) => [name, one, whole.required?.includes(name), one.description]);
}

function table(label, rows) {
  const lines = rows.map(([name, schema, isRequired, about]) =>
    make("tr", {}, make("th", { scope: "row" }, make("code", {}, name), isRequired ? " *" : null), make("td", {}, schema ? kind(schema) : ""), make("td", {}, ...prose(about))),
  );
  return make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": label }, make("table", {}, ...lines));
}

/** Names between backquotes are code. */
const prose = (text) => (text ?? "").split("`").map((part, place) => (place % 2 ? make("code", {}, part) : part));

function kind(schema) {
  if (schema.anyOf) return schema.anyOf.map(kind).filter((one) => one !== "null").join(" or ");
  if (schema.enum) return schema.enum.join(" | ");
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.type === "array") return `list of ${kind(schema.items)}`;
  return schema.type ?? "anything";
}

/** A field with an example and a button that sends it. */
function trying(path, method, operation, body) {
  const example = body ? JSON.stringify(resolved(body).examples?.[0] ?? {}) : operation.parameters?.map((one) => `${one.name}=`).slice(0, 1).join("&");
  const input = make("textarea", { rows: "3", spellcheck: "false", "aria-label": `What to send to ${method.toUpperCase()} ${path}` });
  input.value = example ?? "";
  const output = make("pre", { hidden: true, tabindex: "0", role: "group", "aria-label": "What came back" });
  const send = make("button", { type: "button", click: async () => {
    const address = !body && input.value ? `${path}?${input.value}` : path;
    const response = await fetch(address, authorised({ method: method.toUpperCase(), ...(body ? { body: input.value, headers: { "content-type": "application/json" } } : {}) }));
    output.textContent = `${response.status}\n${pretty(await response.text())}`;
    output.hidden = false;
    output.focus();
  } }, "Try it");
  return [make("h3", {}, "Try"), ...(example === undefined ? [] : [input]), send, output];
}

function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

getJson("/openapi.json").then(show, () => {
  byId("problem").hidden = false;
  byId("problem").textContent = "The service cannot be reached.";
});
