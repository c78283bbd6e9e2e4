"""The end of a run before its time: what is said, and how to resume it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from dramaturg.cli.edge import fail, project_option, tell
from dramaturg.cli.failure_view import DOCTOR
from dramaturg.kernel.errors import DramaturgError, ModelError
from dramaturg.studio import Studio


@asynccontextmanager
async def resumable(studio: Studio, run_id: str, what: str, *, json: bool) -> AsyncIterator[None]:
    """Stops a run that is interrupted while it is watched, and says how to resume it, as after a failure."""
    resume = f"dramaturg runs resume {run_id}{project_option(studio.settings.project)}"
    try:
        yield
    except asyncio.CancelledError:
        await studio.engine.cancel(run_id)
        if not json:
            tell(f"\nStopped. Nothing is lost. Resume with: {resume}")
        raise
    except DramaturgError as error:
        if not json:
            tell(f"\nThe {what} stopped. Once the problem below is fixed, resume with: {resume}")
            if isinstance(error, ModelError):
                tell(DOCTOR)
        fail(error, json=json)
