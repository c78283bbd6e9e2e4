"""One job under a key: shared by those who wait for it, and going on without them."""

from __future__ import annotations

import asyncio

import pytest

from dramaturg.kernel.errors import VoiceError
from dramaturg.voices.jobs import JobKey, SpeechJob, SpeechJobs


class Booth:
    """Speaks two of four lines, then waits until it is let go on."""

    def __init__(self, fault: Exception | None = None) -> None:
        self.begun, self.go_on, self.fault, self.asked = asyncio.Event(), asyncio.Event(), fault, 0

    async def speak(self, job: SpeechJob) -> str:
        self.asked += 1
        job.on_line(2, 4)
        self.begun.set()
        await self.go_on.wait()
        if self.fault:
            raise self.fault
        return f"the mix of {job.key.run}"


ONE = JobKey("one", "/listening")


def progress(jobs: SpeechJobs) -> tuple[str, int, int] | None:
    job = jobs.get(ONE)
    return (job.status, job.done, job.total) if job else None


async def test_two_who_ask_at_once_wait_for_one_recording_and_its_progress_is_known() -> None:
    booth = Booth()
    jobs = SpeechJobs()
    both = asyncio.gather(jobs.result(ONE, booth.speak), jobs.result(ONE, booth.speak))
    await booth.begun.wait()
    assert (progress(jobs), jobs.get(JobKey("another", "/listening"))) == (("working", 2, 4), None)
    booth.go_on.set()
    assert list(await both) == ["the mix of one"] * 2
    assert (booth.asked, progress(jobs)) == (1, ("done", 2, 4))


async def test_a_recording_goes_on_when_its_listener_leaves_and_is_found_again() -> None:
    booth = Booth()
    jobs = SpeechJobs()
    listener = asyncio.create_task(jobs.result(ONE, booth.speak))
    await booth.begun.wait()
    listener.cancel()
    with pytest.raises(asyncio.CancelledError):
        await listener
    assert progress(jobs) == ("working", 2, 4)
    booth.go_on.set()
    assert await jobs.result(ONE, booth.speak) == "the mix of one"
    assert booth.asked == 1


async def test_one_that_fails_is_told_to_who_waits_and_tried_anew_by_the_next() -> None:
    booth = Booth(VoiceError("No voice."))
    jobs = SpeechJobs()
    booth.go_on.set()
    for _ in range(2):
        with pytest.raises(VoiceError):
            await jobs.result(ONE, booth.speak)
    assert (booth.asked, progress(jobs)) == (2, ("failed", 2, 4))


async def test_closing_ends_what_is_recorded() -> None:
    booth = Booth()
    jobs = SpeechJobs()
    listener = asyncio.create_task(jobs.result(ONE, booth.speak))
    await booth.begun.wait()
    await jobs.close()
    with pytest.raises(asyncio.CancelledError):
        await listener
