"""A real browser without a window, told what to do over its own debugging protocol."""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import aiohttp

from tests.child import clean_environment

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PAUSE = 0.1
STUDIO = Path(__file__).parents[2] / "src" / "dramaturg" / "server" / "pages" / "studio" / "play.html"
FILL = """
(selector, text) => {
  const field = document.querySelector(selector);
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
"""
PRESS = "(words) => [...document.querySelectorAll('button')].find((one) => one.innerText.trim() === words).click()"
WORDS = "[...document.querySelectorAll('article:not(.arriving) .words')].map((one) => one.innerText.trim())"


def browser() -> str | None:
    """The machine's browser, if there is one and the players' page is built."""
    return next(filter(None, map(shutil.which, BROWSERS)), None) if STUDIO.is_file() else None


class Page:
    """One page of the browser."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = count(1)

    async def command(self, method: str, **parameters: object) -> dict[str, Any]:
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": parameters})
        while (message := await self._socket.receive_json()).get("id") != number:
            continue
        assert "error" not in message, message["error"]
        return message["result"]

    async def evaluate(self, expression: str) -> Any:
        result = await self.command("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    async def until(self, expression: str) -> Any:
        """The value of an expression once it is true."""
        while not (value := await self.evaluate(expression)):
            await asyncio.sleep(PAUSE)
        return value

    async def fill(self, selector: str, text: str) -> None:
        await self.until(f"document.querySelector({json.dumps(selector)}) !== null")
        await self.evaluate(f"({FILL})({json.dumps(selector)}, {json.dumps(text)})")

    async def press(self, words: str) -> None:
        enabled = f"(one) => one.innerText.trim() === {json.dumps(words)} && !one.disabled"
        await self.until(f"[...document.querySelectorAll('button')].some({enabled})")
        await self.evaluate(f"({PRESS})({json.dumps(words)})")


class Conversation:
    """An episode that somebody plays on the players' page."""

    def __init__(self, page: Page) -> None:
        self._page = page

    async def begin(self, house: str, episode: str, name: str) -> str:
        """Opens the page and begins; the id of the session."""
        await self._page.command("Page.navigate", url=f"{house}/play/start/{episode}")
        await self._page.fill("form input", name)
        await self._page.press("Begin")
        path = await self._page.until("/^\\/play\\/\\w{18}$/.test(location.pathname) && location.pathname")
        await self.shown(1)
        return str(path).rpartition("/")[2]

    async def say(self, text: str) -> None:
        await self._page.fill("textarea#say", text)
        await self._page.press("Send")

    async def shown(self, count: int) -> list[str]:
        """What was said, once so much stands on the page."""
        return list(await self._page.until(f"{WORDS}.length >= {count} && {WORDS}"))


@asynccontextmanager
async def open_conversation() -> AsyncIterator[Conversation]:
    """A page of a browser that is started for it. Its profile is new."""
    program = browser()
    assert program, "no browser, or the studio is not built"
    profile = Path(tempfile.mkdtemp(prefix="dramaturg-browser-"))
    process = await asyncio.create_subprocess_exec(
        program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank",
        env=clean_environment(profile), stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        port = await _port_of(profile, process)
        async with aiohttp.ClientSession() as session:
            async with session.put(f"http://127.0.0.1:{port}/json/new?about:blank") as response:
                opened = await response.json()
            async with session.ws_connect(opened["webSocketDebuggerUrl"], max_msg_size=0) as socket:
                yield Conversation(Page(socket))
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        shutil.rmtree(profile, ignore_errors=True)


async def _port_of(profile: Path, process: asyncio.subprocess.Process) -> int:
    """Where the browser listens, once it has written it down."""
    written = profile / "DevToolsActivePort"
    while True:
        lines = written.read_text().split() if written.is_file() else []
        if len(lines) > 1:
            return int(lines[0])
        assert process.returncode is None, "the browser ended"
        await asyncio.sleep(PAUSE)
