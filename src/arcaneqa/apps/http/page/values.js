// Values as people write them: 1,234,567 and 5 October 1968. Nothing is rounded, whatever is not understood
// stays as it is.

const XSD = "http://www.w3.org/2001/XMLSchema#";
const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const NUMBERS = new Set(
  ["integer", "decimal", "double", "float", "int", "long", "short", "byte", "nonNegativeInteger", "positiveInteger", "nonPositiveInteger", "negativeInteger", "unsignedInt", "unsignedLong", "unsignedShort", "unsignedByte"].map((name) => XSD + name),
);
const TIMES = new Set(["date", "dateTime", "dateTimeStamp", "gYear", "gYearMonth"].map((name) => XSD + name));
const GROUPED_FROM = 5; // digits: 2024 may be a year, and reads well as it is

export const isNumber = (item) => item !== null && item.id === null && NUMBERS.has(item.datatype) && Number.isFinite(Number(item.value));
const isTruth = (item) => item.id === null && item.datatype === `${XSD}boolean`;

/** An answer, a cell or a fact in words. */
export function asWritten(item) {
  if (item.id !== null) return item.label ?? item.id;
  if (NUMBERS.has(item.datatype)) return number(item.value);
  if (TIMES.has(item.datatype)) return time(item.value);
  if (isTruth(item)) return { true: "Yes", 1: "Yes", false: "No", 0: "No" }[item.value] ?? item.value;
  return item.label ?? item.value;
}

function number(text) {
  const found = /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!found) return text;
  let [, sign, whole, fraction = ""] = found;
  const power = Number(found[4] ?? 0);
  if (Math.abs(power) > 15) return text;
  if (power > 0) {
    fraction = fraction.padEnd(power, "0");
    [whole, fraction] = [whole + fraction.slice(0, power), fraction.slice(power)];
  } else if (power < 0) {
    whole = whole.padStart(1 - power, "0");
    [whole, fraction] = [whole.slice(0, power), whole.slice(power) + fraction];
  }
  whole = whole.replace(/^0+(?=\d)/, "");
  fraction = fraction.replace(/0+$/, "");
  if (whole.length >= GROUPED_FROM) whole = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  return `${sign === "-" ? "−" : ""}${whole}${fraction && `.${fraction}`}`;
}

function time(text) {
  const found = /^(-?)(\d{4,})(?:-(\d\d))?(?:-(\d\d))?(?:T(\d\d):(\d\d)(?::\d\d(?:\.\d+)?)?)?(?:Z|[+-]\d\d:\d\d)?$/.exec(text);
  if (!found) return text;
  const [, before, year, month, day, hour, minute] = found;
  const named = month && MONTHS[Number(month) - 1];
  if (month && !named) return text;
  const parts = [day && String(Number(day)), named, `${Number(year)}${before && " BC"}`].filter(Boolean);
  const moment = hour && `${hour}:${minute}` !== "00:00" ? `, ${hour}:${minute}` : "";
  return parts.join(" ") + moment;
}
