"""A model provider that runs here: Anthropic Messages and OpenAI chat on 127.0.0.1, for tests and benchmarks.

In process:

    async with ModelServer() as server:
        server.url, server.requests          # where it is, and everything that was asked
        server.fault("429", retry_after=2)   # the next request fails so; `times`, `after` for more
        server.reply = lambda asked: "..."   # what is said, instead of the stock replies
        server.verbatim({...})               # the next answer, to the letter
        server.on_request = callback         # called with (n, body) when the n-th request arrives
        server.hold(at=3); server.release()  # the third request and later ones wait

As a process: `python -m tests.model_server --port 0` prints `{"url": ...}` and takes the same instructions
over HTTP: POST /fault, /hold?at=3, /release, /reset; GET /requests, /stats, and /wait?requests=3, which answers
when three have come.
"""

from tests.model_server.faults import KINDS, Fault
from tests.model_server.replies import Asked, ToolCall
from tests.model_server.server import ModelServer, Received

__all__ = ["KINDS", "Asked", "Fault", "ModelServer", "Received", "ToolCall"]
