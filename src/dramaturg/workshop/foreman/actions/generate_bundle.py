"""Writes the voice bundle from the passage that the writer chose."""

from __future__ import annotations

from pydantic import Field

from dramaturg.workshop.book.modes import Mode
from dramaturg.workshop.foreman.actions.action import ForemanAction, Outcome, Params, Workbench


class BundleParams(Params):
    output_dir: str = Field("", max_length=200)


async def write(bench: Workbench, wanted: BundleParams) -> Outcome:
    made = await bench.write_files(await bench.voice.bundle(wanted.output_dir))
    names = ", ".join(one.path for one in made)
    return Outcome.of_files(f"Wrote the voice bundle: {names}. Lock it with: dramaturg foreman voice lock", made)


ACTION = ForemanAction(
    name="generate_bundle",
    description="Write the voice bundle from the winner.",
    modes=frozenset({Mode.VOICE_CALIBRATION}),
    params=BundleParams,
    example={"output_dir": "Voice Bundle"},
    do=write,
)
