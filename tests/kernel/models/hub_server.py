"""A hub on this machine: speaks as much of the Hugging Face Hub's protocol as a download needs, and can misbehave."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, ClassVar

COMMIT = "0" * 40


@dataclass
class HubServer:
    """One repository. `faults` says how the next requests for a file fail: 'cut', 'damaged', or a status."""

    repo: str
    files: dict[str, bytes]
    licence: str = "apache-2.0"
    faults: list[str | int] = field(default_factory=list)
    requests: list[tuple[str, str, str]] = field(default_factory=list)
    url: str = ""

    def info(self) -> dict[str, Any]:
        rows = [
            {
                "rfilename": name,
                "size": len(body),
                "blobId": "b" * 40,
                "lfs": {"sha256": hashlib.sha256(body).hexdigest(), "size": len(body), "pointerSize": 134},
            }
            for name, body in self.files.items()
        ]
        return {
            "_id": "1",
            "id": self.repo,
            "modelId": self.repo,
            "sha": COMMIT,
            "private": False,
            "tags": [],
            "downloads": 0,
            "likes": 0,
            "siblings": rows,
            "cardData": {"license": self.licence},
        }

    @property
    def ranges(self) -> list[str]:
        """The range of each request for a file's bytes; empty where it asked for all of it."""
        return [asked for method, path, asked in self.requests if method == "GET" and "/resolve/" in path]


class _Speaking(BaseHTTPRequestHandler):
    hub: ClassVar[HubServer]

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def log_message(self, format: str, *args: Any) -> None:
        """Silent."""

    def _answer(self, *, body: bool) -> None:
        asked = self.headers.get("Range", "")
        hub = self.hub
        hub.requests.append((self.command, self.path, asked))
        if self.path.startswith(f"/api/models/{hub.repo}"):
            self._json(hub.info())
            return
        name = self.path.partition("/resolve/")[2].partition("/")[2].partition("?")[0]
        if not self.path.startswith(f"/{hub.repo}/") or name not in hub.files:
            self._refused(404, "EntryNotFound" if hub.repo in self.path else "RepoNotFound")
            return
        fault = hub.faults.pop(0) if body and hub.faults else ""
        if isinstance(fault, int):
            self._refused(fault, "GatedRepo" if fault == 403 else "")
            return
        self._file(hub.files[name], asked if body else "", fault if body else "", body=body)

    def _json(self, value: Any) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _refused(self, status: int, code: str) -> None:
        self.send_response(status)
        if code:
            self.send_header("X-Error-Code", code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _file(self, content: bytes, asked: str, fault: str, *, body: bool) -> None:
        start = int(asked.removeprefix("bytes=").partition("-")[0]) if asked else 0
        rest = content[start:]
        self.send_response(206 if asked else 200)
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Length", str(len(rest)))
        if asked:
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        self.end_headers()
        if not body:
            return
        if fault == "damaged":
            rest = bytes(len(rest))
        if fault == "cut":
            rest = rest[: len(rest) // 2]
            self.close_connection = True
        self.wfile.write(rest)
        self.wfile.flush()
        if fault == "cut":
            self.connection.shutdown(2)


@contextmanager
def hub_server(repo: str, files: dict[str, bytes]) -> Iterator[HubServer]:
    hub = HubServer(repo, files)
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Speaking", (_Speaking,), {"hub": hub}))
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
