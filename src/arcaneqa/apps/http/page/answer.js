// The answer itself: one thing, a list, a table, yes or no.

import { make } from "./dom.js";
import { entry } from "./entry.js";
import { factList } from "./facts.js";
import { isNumber } from "./values.js";

const SHOWN_FIRST = 100;
const LISTED = 8; // more than these are easier to read in rows
const MOST_BARS = 40;

/** `onMore` fetches all rows that the service gives, `onColumns` all columns. */
export function drawn(answer, onMore, onColumns, onTrouble) {
  if (answer.table) return drawnTable(answer.table, async () => (await onMore()).table);
  if (answer.shown) return withColumns(answer.shown, onMore, onColumns);
  if (answer.facts) return make("div", {}, listed(answer, onMore), ...known(answer.facts, onTrouble));
  return listed(answer, onMore);
}

function listed(answer, onMore) {
  const unit = answer.unit ? ` ${answer.unit}` : "";
  if (answer.total === 0) return make("p", { class: "none" }, "Nothing fits.");
  if (answer.total === 1) return make("p", { class: "one" }, ...entry(answer.answers[0], unit));
  const line = (item) => make("li", {}, ...entry(item, unit));
  const list = make(answer.ordered ? "ol" : "ul", { class: answer.total > LISTED ? "rows" : "few" }, ...answer.answers.slice(0, SHOWN_FIRST).map(line));
  if (answer.total <= LISTED) return list;
  const grow = async () => list.append(...(await whole(answer.answers, answer.total, async () => (await onMore()).answers)).slice(SHOWN_FIRST).map(line));
  return counted(list, list, answer.total, "answers", grow);
}

/** Things with their telling columns, and a way to the other ones. */
function withColumns(shown, onMore, onColumns) {
  const table = drawnTable(shown, async () => (await onMore()).shown);
  if (!shown.more.length) return table;
  const all = make("button", { type: "button", class: "more", title: shown.more.join(", "), click: async () => {
    box.replaceChildren(drawnTable((await onColumns()).shown, async () => (await onColumns()).shown));
  } }, `Show ${shown.more.length} more columns`);
  const box = make("div", {}, table, all);
  return box;
}

/** What is known of a thing, and where it is named. */
function known(entity, onTrouble) {
  const [out, into] = [false, true].map((inverse) => entity.facts.filter((fact) => fact.inverse === inverse));
  const heading = into.length ? [make("h3", {}, "Where it is named as …"), factList(entity, into, onTrouble)] : [];
  return [...(out.length ? [factList(entity, out, onTrouble)] : []), ...heading];
}

const whole = async (received, total, fetched) => (received.length < total ? fetched() : received);

/** How much of it is shown, and a way to the rest; `lines` holds what is counted. */
function counted(shown, lines, total, things, grow) {
  const says = make("p", { class: "quiet", role: "status" });
  const box = make("div", { class: "tall scroll", tabindex: "0", role: "group", "aria-label": `All ${things}` }, shown);
  const tell = () => {
    const count = lines.children.length;
    const all = total.toLocaleString("en");
    says.textContent = count < total ? `The first ${count.toLocaleString("en")} of ${all} ${things}; the list goes on.` : `${all} ${things}`;
  };
  tell();
  if (lines.children.length === total) return make("div", {}, says, box);
  const more = make("button", { type: "button", class: "more", click: async () => {
    await grow();
    tell();
    more.remove();
    box.focus();
  } }, "Show more");
  return make("div", {}, says, box, more);
}

function drawnTable(table, onMore) {
  const bars = barColumn(table);
  const longest = bars === null ? 0 : Math.max(...table.cells.map((row) => Number(row[bars]?.value ?? 0)));
  const kinds = table.columns.map((_, place) => (isNumeric(table, place) ? "number" : null));
  const head = table.columns.map((column, place) => make("th", { scope: "col", class: kinds[place] }, column));
  if (bars !== null) head.push(make("td", { class: "bars", "aria-hidden": "true" }));
  const line = (row) => {
    const cells = row.map((cell, place) => make(place ? "td" : "th", { scope: place ? null : "row", class: kinds[place] }, ...(cell === null ? ["–"] : entry(cell))));
    if (bars !== null) cells.push(make("td", { class: "bars", "aria-hidden": "true" }, bar(Number(row[bars]?.value ?? 0) / longest)));
    return make("tr", {}, ...cells);
  };
  const body = make("tbody", {}, ...table.cells.slice(0, SHOWN_FIRST).map(line));
  const drawing = make("table", { class: bars === null ? "answers" : "answers chart" }, make("thead", {}, make("tr", {}, ...head)), body);
  const grow = async () => body.append(...(await whole(table.cells, table.total, async () => (await onMore()).cells)).slice(SHOWN_FIRST).map(line));
  return counted(drawing, body, table.total, "rows", grow);
}

const isNumeric = (table, place) => table.cells.every((row) => row[place] === null || isNumber(row[place]));

/** The one column of numbers beside one of names, if bars can show it: then the table is a chart as well. */
function barColumn(table) {
  if (table.columns.length !== 2 || table.cells.length < 2 || table.cells.length > MOST_BARS) return null;
  const fits = isNumeric(table, 1) && !isNumeric(table, 0) && table.cells.every((row) => Number(row[1]?.value ?? 0) >= 0);
  return fits && table.cells.some((row) => Number(row[1]?.value ?? 0) > 0) ? 1 : null;
}

function bar(share) {
  const filled = make("i");
  filled.style.width = `${100 * share}%`;
  return make("span", { class: "bar" }, filled);
}
