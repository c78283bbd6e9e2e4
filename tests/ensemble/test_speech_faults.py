"""What goes wrong while a session is spoken: a disk that fills, an engine that dies; and what is left to be voiced."""

import json
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from dramaturg.ensemble.state import ensemble_state
from dramaturg.kernel.errors import StoreUnavailable
from dramaturg.kernel.store import Artifacts
from dramaturg.voices.booth import Booth
from dramaturg.voices.port import Sound, SpeechRequest
from dramaturg.voices.providers.silent_voice import SilentVoice
from dramaturg.voices.voicing import VoicingRequest
from tests.child import clean_environment
from tests.ensemble.table import asked, open_table, scripted, sent

SMALL_DISK = (
    'mount -t tmpfs -o size="$1" tmpfs "$2" && saved="$3" && data="$2" && shift 3 && "$@"; cp -a "$data" "$saved"'
)


class FullDisk(Artifacts):
    """A disk that has no room for the ninth WAV, nor for any after it."""

    written = 0
    has_room = False

    def write_bytes(self, path: str, data: bytes) -> Path:
        if path.endswith(".wav") and not self.has_room:
            self.written += 1
            if self.written >= 9:
                raise StoreUnavailable(f"{path} cannot be written: No space left on device.")
        return super().write_bytes(path, data)


class DyingVoice(SilentVoice):
    """An engine that dies in the middle of some lines, with whatever error it likes."""

    dies = True

    async def speak(self, request: SpeechRequest) -> Sound:
        if self.dies and "Slot 2" in request.text:
            raise MemoryError
        if self.dies and "Slot 3" in request.text:
            raise RuntimeError("the network went away")
        return await super().speak(request)


async def test_a_disk_that_fills_at_the_ninth_wav_costs_the_rest_their_sound_and_nothing_else(tmp_path: Path) -> None:
    async with open_table(tmp_path, scripted({}), turn3="all") as studio:
        disk = FullDisk(studio.settings.data)
        studio.booth.booth = Booth(SilentVoice(), disk)
        run = await asked(studio)
        assert sent(run)[-1]["event"] == "done"
        assert len(sent(run, "slot.audio")) == 8
        errors = sent(run, "slot.error")
        assert len(errors) == 10
        assert all("No space left" in error["error"]["message"] for error in errors)
        assert [one["turnIndex"] for one in sent(run, "turn.audio")] == [1, 2, 3]
        disk.has_room = True
        await studio.ensemble.voice(run.id, VoicingRequest())
        await studio.engine.join()
        after = ensemble_state((await studio.ensemble.open_run(run.id)).entries)
    assert set(after.recorded) == set(after.lines)
    assert not after.unspoken


async def test_a_file_that_cannot_be_written_is_named_without_the_folders_of_this_machine(tmp_path: Path) -> None:
    async with open_table(tmp_path, scripted({})) as studio:
        studio.booth.booth = Booth(SilentVoice(), studio.artifacts)
        (tmp_path / "data" / "artifacts").mkdir(parents=True, exist_ok=True)
        (tmp_path / "data" / "artifacts" / "tts").write_text("in the way")
        run = await asked(studio, slots=[1])
    (error,) = sent(run, "slot.error")
    assert error["error"]["message"].startswith("slot-1_the-archivist_dry_measured.wav cannot be written: ")
    (remark,) = [one for one in sent(run, "remark") if one["code"] == "MANIFEST_NOT_WRITTEN"]
    assert remark["message"].startswith("session.json cannot be written: ")
    assert not any(str(tmp_path) in json.dumps(one) for one in sent(run))


async def test_an_engine_that_dies_in_the_middle_of_a_line_costs_that_line(tmp_path: Path) -> None:
    async with open_table(tmp_path, scripted({})) as studio:
        voice = DyingVoice()
        studio.booth.booth = Booth(voice, studio.artifacts)
        run = await asked(studio)
        errors = {(one["turnIndex"], one["slotId"]): one["error"]["message"] for one in sent(run, "slot.error")}
        assert {slot for _, slot in errors} == {2, 3}
        assert errors[1, 2] == "silent broke off in the middle of the line (MemoryError)."
        assert "the network went away" in errors[1, 3]
        assert sent(run)[-1]["event"] == "done"
        voice.dies = False
        await studio.ensemble.voice(run.id, VoicingRequest())
        await studio.engine.join()
        after = ensemble_state((await studio.ensemble.open_run(run.id)).entries)
    assert set(after.recorded) == set(after.lines)


def can_mount(folder: Path) -> bool:
    """Whether this machine lets us mount a file system of our own."""
    if not shutil.which("unshare"):
        return False
    tried = ["unshare", "-rm", "mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    return subprocess.run(tried, capture_output=True, check=False).returncode == 0


def test_on_a_real_file_system_that_is_too_small_every_file_is_whole_or_absent(tmp_path: Path) -> None:
    if not can_mount(tmp_path):
        pytest.skip("file systems cannot be mounted here")
    story, saved = tmp_path / "story", tmp_path / "saved"
    data = story / "data" / "artifacts"
    data.mkdir(parents=True)
    (story / "dramaturg.toml").write_text('[models]\ndefault = "rehearsal"\n[voices]\nengine = "silent"\n')
    command = [
        sys.executable,
        "-m",
        "dramaturg",
        "ensemble",
        "ask",
        "What is courage?",
        "--json",
        "--project",
        str(story),
    ]
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", SMALL_DISK, "sh", "3m", str(data), str(saved), *command],
        capture_output=True, text=True, env=clean_environment(tmp_path), check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    manifest: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    lines = [line for turn in manifest["turns"] for line in turn["lines"]]
    heard = [line["audio"] for line in lines if line["audio"]]
    assert heard
    assert len(heard) + len(manifest["errors"]) == len(lines)
    assert any("space" in error["message"].lower() for error in manifest["errors"])
    found = {
        str(file.relative_to(saved)): sha256(file.read_bytes()).hexdigest()
        for file in saved.glob("tts/sessions/**/*.wav")
    }
    assert found == {audio["audioPath"]: audio["sha256"] for audio in heard}
