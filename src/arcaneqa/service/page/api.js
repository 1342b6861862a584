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

async function checked(response) {
  if (response.ok) return response;
  const body = await response.json().catch(() => ({}));
  const detail = typeof body.detail === "string" ? body.detail : "The service did not understand the request.";
  throw new (response.status === 401 ? Locked : Problem)(detail);
}

export async function getJson(path) {
  return (await checked(await fetch(path, { headers: headers() }))).json();
}

export async function run(program) {
  const body = JSON.stringify({ program });
  return (await checked(await fetch("/v1/run", { method: "POST", headers: { "content-type": "application/json", ...headers() }, body }))).json();
}

/** Server-sent events of one question; `onEvent(name, data)` hears each as it arrives. */
export async function ask(request, onEvent, signal) {
  const response = await checked(
    await fetch("/v1/ask/stream", {
      method: "POST",
      headers: { "content-type": "application/json", ...headers() },
      body: JSON.stringify(request),
      signal,
    }),
  );
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
