// What a value is; how it is written the service says, the same for every interface.

const XSD = "http://www.w3.org/2001/XMLSchema#";
const NUMBERS = new Set(
  ["integer", "decimal", "double", "float", "int", "long", "short", "byte", "nonNegativeInteger", "positiveInteger", "nonPositiveInteger", "negativeInteger", "unsignedInt", "unsignedLong", "unsignedShort", "unsignedByte"].map((name) => XSD + name),
);

export const isNumber = (item) => item !== null && item.id === null && NUMBERS.has(item.datatype) && Number.isFinite(Number(item.value));

/** An answer, a cell or a fact in words. */
export const asWritten = (item) => item.label ?? item.id ?? item.value;
