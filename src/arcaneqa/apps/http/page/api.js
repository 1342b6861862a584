// Talks to the service. Nothing here touches the page.

const TOKEN = "arcaneqa-token";

export class Problem extends Error {}

/** The service wants a token that this tab does not have. */
export class Locked extends Problem {}

export const unlock = (token) => sessionStorage.setItem(TOKEN, token);

function headers() {
  const token = sessionStorage.getItem(TOKEN);
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

/** What `fetch` is given, with the token if there is one. */
export const authorised = (sent = {}) => ({ ...sent, headers: { ...sent.headers, ...headers() } });

async function checked(response) {
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  const detail = typeof body.detail === "string" ? body.detail : "The service did not understand the request.";
  throw new (response.status === 401 ? Locked : Problem)(detail);
}

export async function getJson(path) {
  return (await checked(await fetch(path, authorised()))).json();
}

async function post(path, body, signal) {
  const sent = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body), signal };
  return checked(await fetch(path, authorised(sent)));
}

export const run = async (program, options = {}) => (await post("/v1/run", { program, ...options })).json();

/** What a program finds, as the text of a file. */
export const download = async (program, format, rows) => (await post("/v1/run", { program, format, rows })).text();

export const judge = async (judgement) => (await post("/v1/feedback", judgement)).json();

/** Server-sent events of one question; `onEvent(name, data)` hears each as it arrives. */
export async function ask(request, onEvent, signal) {
  const response = await post("/v1/ask/stream", request, signal);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    waiting += value.replaceAll("\r\n", "\n");
    for (let end = waiting.indexOf("\n\n"); end >= 0; end = waiting.indexOf("\n\n")) {
      const event = parse(waiting.slice(0, end));
      waiting = waiting.slice(end + 2);
      if (event !== null) onEvent(event.name, event.data);
    }
  }
}

function parse(block) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
  }
  return data.length ? { name, data: JSON.parse(data.join("\n")) } : null;
}
