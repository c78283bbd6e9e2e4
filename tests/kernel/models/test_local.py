"""GGUF files as models: what their heads say, and how llama.cpp is asked. llama.cpp itself is a double here."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import InvalidSettings, ModelRejected, ModelUnavailable
from dramaturg.kernel.models import gateway as gateway_module
from dramaturg.kernel.models.gateway import Gateway
from dramaturg.kernel.models.gguf import downloaded_models, find_weights, known_weights, read_weights
from dramaturg.kernel.models.port import Message, Model, ModelAnswer, OutputForm
from dramaturg.kernel.settings import Settings
from tests.kernel.models.gguf_file import write_gguf
from tests.model_server.asking import heard, question

SCRIPT = question(system="", messages=(Message("assistant", 'Alice (cold): "'),), stop=('"', "\n"), temperature=0.7)
END = {"choices": [{"text": "", "finish_reason": "stop"}]}
USED = {"prompt_tokens": 30, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 21}}


class Engine:
    """Stands for llama.cpp: says its chunks one by one, and notes what it was asked and whether it was stopped."""

    chunks: ClassVar[list[dict[str, Any]]] = []
    fails = False
    made: ClassVar[list[Engine]] = []

    def __init__(self, params: Any) -> None:
        if self.fails:
            raise RuntimeError("Failed to init server, please check the input params.")
        self.params = params
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.stopped = threading.Event()
        Engine.made.append(self)

    def handle_completions(self, body: dict[str, Any], hear: Callable[[dict[str, Any]], bool]) -> None:
        self._say("text", body, hear)

    def handle_chat_completions(self, body: dict[str, Any], hear: Callable[[dict[str, Any]], bool]) -> None:
        self._say("chat", body, hear)

    def _say(self, kind: str, body: dict[str, Any], hear: Callable[[dict[str, Any]], bool]) -> None:
        self.asked.append((kind, body))
        for chunk in self.chunks:
            while hear(chunk) is False and chunk.get("forever"):
                pass
        self.stopped.set()


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> type[Engine]:
    class Fresh(Engine):
        chunks: ClassVar = [{"choices": [{"text": "No. "}]}, {"choices": [{"text": "Never."}]}, END | {"usage": USED}]

    def params() -> SimpleNamespace:
        return SimpleNamespace(
            model=SimpleNamespace(path=""), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace()
        )

    double = ModuleType("xllamacpp")
    double.__spec__ = ModuleSpec("xllamacpp", None)
    double.CommonParams, double.Server = params, Fresh  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "xllamacpp", double)
    Engine.made.clear()
    return Fresh


def gateway_at(project: Path) -> Gateway:
    return Gateway(Settings(project=project), StillClock())


def nutshell(project: Path, **facts: object) -> Model:
    write_gguf(project / "nutshell-1B.gguf", dict(facts))
    return gateway_at(project).open("local/nutshell-1B.gguf")


def test_the_head_of_a_file_says_how_large_it_is_and_how_much_it_reads(tmp_path: Path) -> None:
    weights = read_weights(write_gguf(tmp_path / "x.gguf", {"general.size_label": "135M", "llama.rope.freq": 1.5}))
    assert weights.facts["general.name"] == "Nutshell"
    assert weights.facts["llama.rope.freq"] == 1.5
    assert (weights.billions, weights.window) == (0.135, 4096)
    assert weights.memory(1000) == weights.bytes + 4 * 2 * 2 * 16 * 1000


@pytest.mark.parametrize(
    ("file", "facts", "billions"),
    [
        ("a.gguf", {"general.size_label": "8x7B"}, 56.0),
        ("a.gguf", {"general.name": "Qwen2.5 1.5B Instruct"}, 1.5),
        ("Llama-3.2-3B-Instruct-Q4_K_M.gguf", {}, 3.0),
        ("smollm2_360M.gguf", {}, 0.36),
    ],
)
def test_the_size_is_taken_from_the_label_the_name_or_the_file(
    file: str, facts: dict[str, object], billions: float, tmp_path: Path
) -> None:
    assert read_weights(write_gguf(tmp_path / file, facts)).billions == pytest.approx(billions)


def test_a_file_that_does_not_say_is_judged_by_its_bytes(tmp_path: Path) -> None:
    weights = read_weights(write_gguf(tmp_path / "mystery.gguf", size=6_000_000_000))
    assert weights.billions == pytest.approx(10.0)


@pytest.mark.parametrize(
    ("label", "tier", "follows"),
    [("135M", "minimal", "low"), ("8B", "medium", "medium"), ("70B", "full", "high")],
)
def test_trust_goes_by_size_and_is_said_to_be_assumed(label: str, tier: str, follows: str, tmp_path: Path) -> None:
    profile = read_weights(write_gguf(tmp_path / "x.gguf", {"general.size_label": label})).profile("x.gguf")
    assert (profile.tier, profile.instruction_following, profile.assumed) == (tier, follows, True)
    assert (profile.provider, profile.context_window, profile.continues) == ("local", 4096, True)


@pytest.mark.parametrize("variable", ["DRAMATURG_MODELS", "HOME"])
def test_a_home_that_is_not_known_here_is_a_folder_like_others(variable: str, tmp_path: Path) -> None:
    settings = Settings(project=tmp_path, env={variable: "~nobody-of-this-name/x"})
    assert downloaded_models(settings).is_relative_to("~nobody-of-this-name/x")
    assert known_weights(settings) == ()


def test_a_window_larger_than_a_scene_needs_is_not_paid_for(tmp_path: Path) -> None:
    weights = read_weights(write_gguf(tmp_path / "x.gguf", {"llama.context_length": 131_072}))
    assert weights.window == 16_384


def test_a_file_is_found_in_the_project_in_models_by_path_and_without_its_ending(tmp_path: Path) -> None:
    first, second = write_gguf(tmp_path / "a.gguf"), write_gguf(tmp_path / "models" / "b.v2.gguf")
    away = write_gguf(tmp_path / "elsewhere" / "c.gguf")
    here = Settings(project=tmp_path)
    assert find_weights("a.gguf", here).path == first
    assert find_weights("a", here).path == first
    assert find_weights("b.v2", here).path == second
    assert find_weights("models/b.v2.gguf", here).path == second
    assert find_weights(str(away), Settings(project=tmp_path / "models")).path == away
    assert known_weights(here) == ("a.gguf", "b.v2.gguf")


def test_a_file_that_is_not_there_is_named_beside_those_that_are(tmp_path: Path, engine: type[Engine]) -> None:
    write_gguf(tmp_path / "here.gguf")
    with pytest.raises(InvalidSettings, match=r"no file gone\.gguf .* \(found here: here\.gguf\)"):
        gateway_at(tmp_path).open("local/gone.gguf")
    with pytest.raises(InvalidSettings, match="has no default model"):
        gateway_at(tmp_path).open("local")


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"PK\x03\x04 a zip file", "not a GGUF"),
        (b"", "not a GGUF"),
        (b"GGUF\x03\x00\x00\x00", "damaged"),
        (b"GGUF\x63\x00\x00\x00" + b"\0" * 16, "version 99"),
        (b"GGUF\x03\x00\x00\x00" + b"\0" * 8 + b"\x01" + b"\0" * 7 + b"\xff" * 8, "damaged"),
    ],
)
def test_what_is_no_gguf_is_refused_before_anything_is_played(
    raw: bytes, says: str, tmp_path: Path, engine: type[Engine]
) -> None:
    (tmp_path / "x.gguf").write_bytes(raw)
    with pytest.raises(InvalidSettings, match=says):
        gateway_at(tmp_path).open("local/x.gguf")


def test_without_the_extra_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway_module, "find_spec", lambda name: None)
    with pytest.raises(InvalidSettings, match=r"\.\[local\]"):
        gateway_at(tmp_path).open("local/x.gguf")


async def test_the_survey_lists_the_files_of_the_project(tmp_path: Path, engine: type[Engine]) -> None:
    async def state() -> Any:
        async with gateway_at(tmp_path) as gateway:
            return next(one for one in await gateway.survey() if one.name == "local")

    assert (await state()).reason == "no GGUF file in the project or its folder 'models': dramaturg models get"
    write_gguf(tmp_path / "tiny-135M.gguf")
    found = await state()
    assert (found.usable, found.reason) == (True, "1 GGUF file on this machine")
    assert found.models[0].name == "local/tiny-135M.gguf"
    assert found.models[0].profile.instruction_following == "low"


async def test_a_text_is_gone_on_with_as_it_stands(tmp_path: Path, engine: type[Engine]) -> None:
    pieces, answer = await heard(nutshell(tmp_path).stream(SCRIPT))
    assert pieces == ["No. ", "Never."]
    assert (answer.text, answer.cost_usd, answer.finish) == ("No. Never.", 0.0, "stop")
    assert (answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.cache_read_tokens) == (30, 4, 21)
    kind, body = Engine.made[0].asked[0]
    assert (kind, body["prompt"], body["stop"]) == ("text", 'Alice (cold): "', ['"', "\n"])
    assert (body["max_tokens"], body["temperature"], body["cache_prompt"]) == (200, 0.7, True)


async def test_a_conversation_goes_through_the_template_of_the_file(tmp_path: Path, engine: type[Engine]) -> None:
    engine.chunks = [{"choices": [{"delta": {"content": "Hm."}}]}, {"choices": [{"finish_reason": "length"}]}]
    form = OutputForm("verdict", {"type": "object"})
    answer = await nutshell(tmp_path).complete(question("Well?", output=form))
    kind, body = Engine.made[0].asked[0]
    assert (kind, answer.text, answer.finish, answer.usage.reported) == ("chat", "Hm.", "length", False)
    assert [one["role"] for one in body["messages"]] == ["system", "user"]
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert "temperature" not in body


async def test_the_same_question_has_the_same_seed_and_another_key_another(
    tmp_path: Path, engine: type[Engine]
) -> None:
    model = nutshell(tmp_path)
    for key in ("beat-1/bob", "beat-1/bob", "beat-1/bob/again"):
        await model.complete(question(key=key))
    first, second, third = (body["seed"] for _, body in Engine.made[0].asked)
    assert first == second != third


async def test_it_is_loaded_once_on_all_cores_but_one_and_nobody_else_can_reach_it(
    tmp_path: Path, engine: type[Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: set(range(8)), raising=False)
    write_gguf(tmp_path / "x.gguf")
    async with gateway_at(tmp_path) as gateway:
        model = gateway.open("local/x.gguf")
        await gateway.ready()
        await asyncio.gather(model.complete(SCRIPT), model.complete(question()))
    params = Engine.made[0].params
    assert len(Engine.made) == 1
    assert (params.cpuparams.n_threads, params.n_parallel, params.n_ctx) == (7, 6, 16_384)
    assert len(params.api_keys[0]) == 64
    assert (params.cors_origins, params.ui) == ("", False)


async def test_what_llama_cpp_refuses_is_a_refusal_and_what_breaks_in_it_may_pass(
    tmp_path: Path, engine: type[Engine]
) -> None:
    engine.chunks = [{"error": {"code": 400, "message": "exceeds the available context size"}}]
    with pytest.raises(ModelRejected, match="context size"):
        await nutshell(tmp_path).complete(SCRIPT)
    engine.chunks = [{"error": {"code": 500, "message": "decode failed"}}]
    with pytest.raises(ModelUnavailable, match="decode failed"):
        await nutshell(tmp_path).complete(SCRIPT)


async def test_weights_that_cannot_be_loaded_say_why_that_may_be(tmp_path: Path, engine: type[Engine]) -> None:
    engine.fails = True
    write_gguf(tmp_path / "x.gguf")
    async with gateway_at(tmp_path) as gateway:
        gateway.open("local/x.gguf")
        with pytest.raises(ModelRejected, match="damaged, this version"):
            await gateway.ready()


async def test_weights_that_failed_to_load_are_tried_again(tmp_path: Path, engine: type[Engine]) -> None:
    model = nutshell(tmp_path)
    engine.fails = True
    with pytest.raises(ModelRejected, match="damaged, this version"):
        await model.complete(question())
    engine.fails = False
    assert (await model.complete(question())).text


async def test_weights_larger_than_the_machine_are_not_tried(
    tmp_path: Path, engine: type[Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.sysconf", lambda name: {"SC_PAGE_SIZE": 4096}.get(name, 1000), raising=False)
    with pytest.raises(ModelRejected, match=r"this machine has 0\.0 GB.*smaller model"):
        await nutshell(tmp_path).complete(SCRIPT)
    assert not Engine.made


async def test_who_stops_listening_stops_it(tmp_path: Path, engine: type[Engine]) -> None:
    engine.chunks = [{"choices": [{"text": "on and "}], "forever": True}]
    task = asyncio.ensure_future(nutshell(tmp_path).complete(SCRIPT))
    while not Engine.made or not Engine.made[0].asked:
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(Engine.made[0].stopped.wait, 10)


async def test_an_answer_that_is_not_an_answer_is_never_given(tmp_path: Path, engine: type[Engine]) -> None:
    engine.chunks = [END]
    answer = await nutshell(tmp_path).complete(SCRIPT)
    assert isinstance(answer, ModelAnswer)
    assert answer.text == ""
