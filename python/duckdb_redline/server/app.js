// The view of what waits: it shakes hands with the host, asks for the view again when a call starts, and says how the call ended.
const waiting = new Map();
let last = 0, ended = false;

const tell = (method, params) => parent.postMessage({ jsonrpc: "2.0", method, params }, "*");

const ask = (method, params) => new Promise((resolve, reject) => {
  waiting.set(++last, { resolve, reject });
  parent.postMessage({ jsonrpc: "2.0", id: last, method, params }, "*");
});

addEventListener("message", (event) => {
  if (event.source !== parent || event.data?.jsonrpc !== "2.0") return;
  const { id, method, params, result, error } = event.data;
  if (method === undefined) {
    const asked = waiting.get(id);
    waiting.delete(id);
    if (asked) error ? asked.reject(error) : asked.resolve(result);
  } else if (method === "ui/notifications/tool-input") {
    look();
  } else if (method === "ui/notifications/tool-result") {
    ended = true;
    document.querySelector("[role=status]").textContent = String(params?.content?.[0]?.text ?? "").split("\n")[0];
  } else if (id !== undefined) {
    parent.postMessage({ jsonrpc: "2.0", id, result: {} }, "*");
  }
});

async function look() {
  for (let tries = 0; tries < 60 && !ended; tries++) {
    const read = await ask("resources/read", { uri: "ui://redline/change.html" });
    const fresh = new DOMParser().parseFromString(read.contents[0].text, "text/html").querySelector("main");
    if (ended) return;
    document.querySelector("main").replaceWith(document.adoptNode(fresh));
    tell("ui/notifications/size-changed", { width: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight });
    if (fresh.querySelector("h2")) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

const about = { protocolVersion: "2026-01-26", appInfo: { name: "redline", version: "1" }, appCapabilities: {} };
ask("ui/initialize", about).then(() => tell("ui/notifications/initialized", {})).catch(() => {});
