"""A model provider that answers at once or after a fixed time, and counts: for benchmarks on this machine only.

    python -m benchmarks.provider --latency 50

Speaks OpenAI chat completions on 127.0.0.1, one answer a request; one that is to be streamed comes in pieces of four
characters, `--pace` of them a second. `GET /stats` has the counters, `POST
/reset` zeroes them. A share of a prompt counts as cached if an earlier request began with it, in blocks of 128
characters, as providers with automatic prefix caching count. Raw asyncio, so that the provider is not what is measured.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import time
import zlib

import orjson

BLOCK = 128
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d+)", re.I)
PIECE = 4
_STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n"
WORDS = (
    "harbour ledger window garden bridge letter winter engine candle market orchard kitchen station mirror blanket "
    "river doctor captain surgeon painter widow cousin soldier baker teacher miner pilot clerk singer judge farmer "
    "carried broke painted counted buried followed borrowed mended forgot promised whispered burned measured guarded "
    "yellow crooked silent borrowed heavy narrow wooden bitter early hollow broken distant gentle rusty stubborn "
    "before after under against beyond between without towards behind during yesterday tomorrow tonight sometimes never"
).split()
TONES = ("steady", "sharp", "tired", "warm", "guarded", "plain")


class Counters:
    def __init__(self) -> None:
        self.seen: set[int] = set()
        self.requests = self.prompt_chars = self.cached_chars = self.answer_chars = 0
        self.cpu = time.process_time()

    def count(self, model: str, text: str) -> int:
        """Take a prompt in; how many of its characters an earlier request began with."""
        self.requests += 1
        self.prompt_chars += len(text)
        chain, hit, known = zlib.crc32(model.encode()), 0, True
        for at in range(0, len(text) - BLOCK + 1, BLOCK):
            chain = hash((chain, text[at : at + BLOCK]))
            known = known and chain in self.seen
            hit = at + BLOCK if known else hit
            self.seen.add(chain)
        self.cached_chars += hit
        return hit

    def stats(self) -> dict[str, float]:
        return {
            "requests": self.requests,
            "tokens": (self.prompt_chars + self.answer_chars) // 4,
            "cached_share": self.cached_chars / self.prompt_chars if self.prompt_chars else 0.0,
            "cpu": time.process_time() - self.cpu,
        }


def reply_to(text: str, number: int) -> str:
    if "threads left open" in text:
        return '{"memories": [], "hooks": []}'
    if '"tension_shift"' in text:
        return _chat(text, number)
    if "natural_end" in text:
        return '{"goals": [], "confidence": 0.2, "natural_end": false}'
    chance = random.Random(f"{number}/{len(text)}")
    words = " ".join(chance.sample(WORDS, 14))
    return f'[TONE: {chance.choice(TONES)}] "I {words}."'


def _chat(text: str, number: int) -> str:
    """The answer of a character in an episode, in its form."""
    words = " ".join(random.Random(f"{number}/{len(text)}").sample(WORDS, 24))
    answer = {"action": "She wipes a glass", "dialogue": f"I {words}.", "internal": "Hm", "mood": "dry"}
    return orjson.dumps({**answer, "tension_shift": 0.1}).decode()


class Provider(asyncio.Protocol):
    def __init__(self, counters: list[Counters], latency: float, pace: float = 0.0) -> None:
        self._counters, self._latency, self._pace = counters, latency, pace
        self._buffer = bytearray()
        self._loop = asyncio.get_running_loop()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            head = bytes(self._buffer[: end + 2])
            length = _LENGTH.search(head)
            stop = end + 4 + (int(length[1]) if length else 0)
            if len(self._buffer) < stop:
                return
            body = bytes(self._buffer[end + 4 : stop])
            del self._buffer[:stop]
            self._route(head, body)

    def _route(self, head: bytes, body: bytes) -> None:
        path = head.split(b" ", 2)[1]
        if path == b"/stats":
            self._send(orjson.dumps(self._counters[0].stats()))
        elif path == b"/reset":
            self._counters[0] = Counters()
            self._send(b"{}")
        else:
            self._answer(orjson.loads(body))

    def _answer(self, body: dict) -> None:
        text = "".join(f"\n{message['role']}\n{message['content']}" for message in body["messages"])
        counters = self._counters[0]
        hit = counters.count(body["model"], text)
        reply = reply_to(text, counters.requests)
        counters.answer_chars += len(reply)
        answer = {
            "id": f"chat-{counters.requests}",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [{"index": 0, "message": {"role": "assistant", "content": reply}, "finish_reason": "stop"}],
            "usage": {
                "prompt_tokens": len(text) // 4,
                "completion_tokens": len(reply) // 4,
                "total_tokens": (len(text) + len(reply)) // 4,
                "prompt_tokens_details": {"cached_tokens": hit // 4},
            },
        }
        if body.get("stream"):
            self._stream(answer, reply)
            return
        payload = orjson.dumps(answer)
        if self._latency:
            self._loop.call_later(self._latency, self._send, payload)
        else:
            self._send(payload)

    def _stream(self, answer: dict, reply: str) -> None:
        about = {"id": answer["id"], "object": "chat.completion.chunk", "created": 0, "model": answer["model"]}
        pieces = [{"content": reply[at : at + PIECE]} for at in range(0, len(reply), PIECE)]
        choices = [{"choices": [{"index": 0, "delta": piece, "finish_reason": None}]} for piece in pieces]
        last = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": answer["usage"]}
        lines = [b"data: " + orjson.dumps({**about, **one}) + b"\n\n" for one in (*choices, last)] + [
            b"data: [DONE]\n\n"
        ]
        chunks = [b"%x\r\n%b\r\n" % (len(line), line) for line in lines]
        chunks[0], chunks[-1] = _STREAM + chunks[0], chunks[-1] + b"0\r\n\r\n"
        if not self._pace:
            self._loop.call_later(self._latency, self._write, b"".join(chunks))
            return
        for number, chunk in enumerate(chunks):
            self._loop.call_later(self._latency + number / self._pace, self._write, chunk)

    def _write(self, data: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(data)

    def _send(self, payload: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(_HEAD % len(payload) + payload)


async def serve(latency: float, pace: float = 0.0) -> None:
    counters = [Counters()]
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Provider(counters, latency, pace), "127.0.0.1", 0, backlog=4096)
    host, port = server.sockets[0].getsockname()[:2]
    print(orjson.dumps({"url": f"http://{host}:{port}"}).decode(), flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.0, help="milliseconds before each answer")
    parser.add_argument("--pace", type=float, default=0.0, help="pieces a second of a stream; 0 is all at once")
    given = parser.parse_args()
    asyncio.run(serve(given.latency / 1000, given.pace))
