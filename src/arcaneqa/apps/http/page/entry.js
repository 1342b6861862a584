// A thing or a value in a line of text.

import { make } from "./dom.js";
import { asWritten } from "./values.js";

/** A thing leads to its own page; a value is written out. */
export function entry(item, unit = "") {
  if (item.id === null) return [`${asWritten(item)}${unit}`];
  return [make("a", { href: `/entity/${encodeURIComponent(item.id)}`, title: item.id }, asWritten(item))];
}
