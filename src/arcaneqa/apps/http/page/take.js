// Taking an answer away: its link, or its rows as a file.

import { download, run } from "./api.js";
import { make } from "./dom.js";

const MOST_ROWS = 10000;
const FILES = [
  ["csv", "CSV", "text/csv"],
  ["json", "JSON", "application/json"],
  ["md", "Markdown", "text/markdown"],
];

export function takeButtons(answer, onTrouble) {
  const says = make("span", { class: "quiet", role: "status" });
  const buttons = FILES.map(([format, name, type]) =>
    make("button", { type: "button", click: async () => {
      try {
        save(await content(answer, format), `${fileName(answer.question)}.${format}`, type);
        const total = answer.table?.total ?? answer.total;
        says.textContent = total > MOST_ROWS ? `The file has the first ${MOST_ROWS.toLocaleString("en")} of ${total.toLocaleString("en")} rows.` : "";
      } catch (error) {
        onTrouble(error);
      }
    } }, name),
  );
  const copy = make("button", { type: "button", click: async () => {
    await navigator.clipboard.writeText(location.href);
    says.textContent = "The link to this answer is copied.";
  } }, "Copy link");
  // Only safe origins have a clipboard; everybody has the address bar.
  return [...(navigator.clipboard ? [copy] : []), make("span", { class: "quiet" }, "Download"), ...buttons, says];
}

async function content(answer, format) {
  if (format !== "json") return download(answer.program, format, MOST_ROWS);
  const { tree, ...found } = await run(answer.program, { rows: MOST_ROWS });
  return JSON.stringify({ question: answer.question, confidence: answer.confidence, ...found }, null, 2);
}

function save(text, name, type) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

const fileName = (question) => question.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").slice(0, 60) || "answers";
