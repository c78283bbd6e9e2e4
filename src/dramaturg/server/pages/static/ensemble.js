"use strict";
// The monitoring page: one card per slot, with its three turns. All text is set as text, never as markup.

const $ = (selector, inside = document) => inside.querySelector(selector);
const cards = new Map();
let source = null;

function card(slot, agent) {
  if (!cards.has(slot)) {
    const made = $("#card").content.cloneNode(true).firstElementChild;
    $(".seat", made).textContent = `Speaker ${slot} ·`;
    made.dataset.slot = slot;
    for (const section of made.querySelectorAll("section")) {
      $("button", section).addEventListener("click", () => unfold(made, section));
    }
    cards.set(slot, made);
    const after = [...$("#slots").children].find((other) => Number(other.dataset.slot) > slot);
    $("#slots").insertBefore(made, after || null);
  }
  const found = cards.get(slot);
  if (agent) $(".agent", found).textContent = agent;
  return found;
}

function unfold(owner, wanted) {
  for (const section of owner.querySelectorAll("section")) {
    const open = section === wanted && $(".whole", section).hidden;
    $(".whole", section).hidden = !open;
    $("button", section).setAttribute("aria-expanded", String(open));
  }
}

const turnOf = (event) => $(`section[data-turn="${event.turnIndex}"]`, card(event.slotId, event.agentId));
const say = (text, bad = false) => { $("#state").textContent = text; $("#state").classList.toggle("bad", bad); };
const mark = (turn, name) => { $(`#turns li[data-turn="${turn}"]`).className = name; };

const show = {
  "turn.start": (event) => {
    mark(event.turnIndex, "now");
    say(`Turn ${event.turnIndex}: ${event.kind}`);
    for (const [slot, owner] of cards) {
      if (!event.slots.includes(slot)) $(`section[data-turn="${event.turnIndex}"] .preview`, owner).textContent = "—";
    }
  },
  "turn.done": (event) => mark(event.turnIndex, "texts"),
  "turn.audio": (event) => mark(event.turnIndex, "heard"),
  "turn.skipped": (event) => { mark(event.turnIndex, ""); say(event.message); },
  "slot.start": (event) => { const at = turnOf(event); at.classList.add("live"); $(".preview", at).textContent = "thinking …"; },
  "slot.done": (event) => {
    const at = turnOf(event), words = event.text ?? event.comment;
    at.classList.remove("live");
    $(".preview", at).textContent = event.targetSlotId ? `→ Speaker ${event.targetSlotId}: ${words}` : words;
    $(".whole", at).replaceChildren(words, document.createElement("br"), `(${event.voiceProfile})`);
    if (event.targetSlotId) badge(event.slotId, `commented on Speaker ${event.targetSlotId}`);
  },
  "slot.audio": (event) => {
    const at = turnOf(event), link = document.createElement("a"), ready = document.createElement("span");
    link.href = `/v1/audio/${event.audioPath.split("/").map(encodeURIComponent).join("/")}`;
    link.textContent = `WAV, ${(event.durationMs / 1000).toFixed(1)} s${event.silent ? " (silent)" : ""}`;
    $(".whole", at).append(document.createElement("br"), link);
    ready.className = "sound";
    ready.textContent = "audio ready";
    $("button", at).append(ready);
  },
  "slot.error": (event) => {
    const at = turnOf(event);
    at.classList.remove("live");
    at.classList.add("failed");
    if (event.error.type !== "tts_error") $(".preview", at).textContent = event.error.message;
    $(".whole", at).append(document.createElement("br"), `${event.error.type}: ${event.error.message}`);
  },
  "route.done": (event) => {
    const received = new Map();
    for (const one of event.assignments) received.set(one.targetSlotId, (received.get(one.targetSlotId) || 0) + 1);
    for (const [slot, count] of received) badge(slot, `received ${count} ${count === 1 ? "comment" : "comments"}`);
  },
  "session.queued": () => say("Others are being answered first; yours is next."),
  "remark": (event) => say(event.message),
  "session.error": (event) => say(event.error.message, true),
  "done": (event) => { say(`Done: ${event.completedSlots} answered.`); finish(); },
};

function badge(slot, text) {
  const at = $(".badges", card(slot));
  at.textContent = at.textContent ? `${at.textContent} · ${text}` : text;
}

function finish() {
  if (source) source.close();
  source = null;
  $("#ask button").disabled = false;
}

function follow(session) {
  finish();
  cards.clear();
  $("#slots").replaceChildren();
  for (const turn of [1, 2, 3]) mark(turn, "");
  history.replaceState(null, "", `?session=${session}`);
  source = new EventSource(`/v1/sessions/${session}/events`);
  for (const [name, does] of Object.entries(show)) source.addEventListener(name, (sent) => does(JSON.parse(sent.data)));
  source.onerror = () => { if (source && source.readyState === EventSource.CLOSED) finish(); };
}

async function firstEvent(response) {
  const reader = response.body.getReader(), decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    text += decoder.decode(value || new Uint8Array(), { stream: true });
    const found = text.match(/^data: (.*)$/m);
    if (found || done) {
      reader.cancel();
      return found ? JSON.parse(found[1]) : null;
    }
  }
}

$("#ask").addEventListener("submit", async (submitted) => {
  submitted.preventDefault();
  $("#ask button").disabled = true;
  say("Asking …");
  const body = JSON.stringify({ message: $("#message").value, audio: $("#audio").checked });
  try {
    const response = await fetch("/v1/chat", { method: "POST", headers: { "Content-Type": "application/json" }, body });
    if (!response.ok) throw new Error((await response.json()).error.message);
    const first = await firstEvent(response);
    if (first) follow(first.sessionId);
  } catch (problem) {
    say(problem.message, true);
    finish();
  }
});

$("#reset").addEventListener("click", async () => {
  await fetch("/v1/reset", { method: "POST" });
  say("The conversation was cleared.");
});

const asked = new URLSearchParams(location.search).get("session");
if (asked) follow(asked);
