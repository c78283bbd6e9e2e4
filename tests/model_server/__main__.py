"""`python -m tests.model_server --port 0`: prints its address as JSON on the first line, then serves."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal

from tests.model_server.server import ModelServer


async def serve(options: argparse.Namespace) -> None:
    stop = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    latency, after = options.latency / 1000, options.complete_after
    async with ModelServer(latency=latency, complete_after=after, port=options.port) as server:
        if options.hold_at:
            server.hold(options.hold_at)
        print(json.dumps({"url": server.url, "pid": os.getpid()}), flush=True)
        await stop.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="0 picks a free one")
    parser.add_argument("--latency", type=float, default=0.0, help="milliseconds before each answer")
    parser.add_argument("--complete-after", type=int, default=0, help="the judge says complete from this beat on")
    parser.add_argument("--hold-at", type=int, default=0, help="hold this request and all later ones")
    asyncio.run(serve(parser.parse_args()))


main()
