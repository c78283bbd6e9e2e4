"""The gateway: who plays when nobody is named, what can play here, and what is shared."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dramaturg.kernel.clock import StillClock
from dramaturg.kernel.errors import InvalidSettings, KeyRejected
from dramaturg.kernel.models import gateway as gateway_module
from dramaturg.kernel.models.gateway import Gateway, ModelChoice, ProviderState
from dramaturg.kernel.settings import ModelSettings, ProviderSettings, Settings
from tests.model_server import ModelServer
from tests.model_server.asking import GPT, house, question

NOBODY = "http://127.0.0.1:9/v1"


def settings(env: dict[str, str] | None = None, default: str | None = None, **served: str) -> Settings:
    local = {name: ProviderSettings(base_url=NOBODY) for name in ("ollama", "lmstudio", "llamacpp", "vllm")}
    local |= {name: ProviderSettings(base_url=url) for name, url in served.items()}
    return Settings(env=env or {}, models=ModelSettings(default=default), providers=local)


async def choose(given: Settings) -> ModelChoice:
    async with Gateway(given, StillClock()) as gateway:
        return await gateway.choose()


async def test_what_is_configured_wins() -> None:
    choice = await choose(settings({"OPENAI_API_KEY": "k"}, default="ollama/llama3.2:3b"))
    assert choice == ModelChoice("ollama/llama3.2:3b", "Playing with ollama/llama3.2:3b, as configured.")


@pytest.mark.parametrize(
    ("keys", "name", "variable"),
    [
        (("OPENAI_API_KEY", "ANTHROPIC_API_KEY"), "anthropic/claude-sonnet-5-5", "ANTHROPIC_API_KEY"),
        (("DEEPSEEK_API_KEY", "OPENAI_API_KEY"), "openai/gpt-6.1-terra", "OPENAI_API_KEY"),
        (("GOOGLE_API_KEY",), "google/gemini-3.8-flash", "GOOGLE_API_KEY"),
        (("OPENROUTER_API_KEY",), "openrouter/anthropic/claude-sonnet-5.5", "OPENROUTER_API_KEY"),
    ],
)
async def test_else_a_key_that_is_set_in_a_fixed_order(keys: tuple[str, ...], name: str, variable: str) -> None:
    choice = await choose(settings(dict.fromkeys(keys, "k")))
    assert choice == ModelChoice(name, f"Playing with {name}, because {variable} is set.")


async def test_an_empty_key_is_no_key() -> None:
    assert (await choose(settings({"OPENAI_API_KEY": "  "}))).name == "rehearsal"


async def test_else_a_local_server_with_the_first_model_that_writes() -> None:
    async with ModelServer(models=("nomic-embed-text", "qwen3:8b", "gemma3")) as server:
        choice = await choose(settings(lmstudio=f"{server.url}/v1"))
    assert choice.name == "lmstudio/qwen3:8b"
    assert server.url.removeprefix("http://") in choice.reason


async def test_else_the_rehearsal_company_and_the_sentence_says_why() -> None:
    choice = await choose(settings())
    assert choice.name == "rehearsal"
    assert "no key is set and no local server answers" in choice.reason
    assert "\n" not in choice.reason


async def test_a_server_that_lists_nonsense_is_no_server() -> None:
    async with ModelServer() as server:
        assert (await choose(settings(ollama=f"{server.url}/nowhere"))).name == "rehearsal"


async def survey(given: Settings) -> dict[str, ProviderState]:
    async with Gateway(given, StillClock()) as gateway:
        return {state.name: state for state in await gateway.survey()}


async def test_the_survey_says_of_each_provider_whether_it_can_play_and_why_not() -> None:
    async with ModelServer(models=("llama3.2:3b",)) as server:
        found = await survey(settings({"OPENAI_API_KEY": "k"}, ollama=f"{server.url}/v1"))
    assert (found["anthropic"].usable, found["anthropic"].reason) == (False, "ANTHROPIC_API_KEY is not set")
    assert (found["openai"].usable, found["openai"].reason) == (True, "OPENAI_API_KEY is set")
    assert (found["vllm"].usable, found["vllm"].reason) == (False, "no server answers on 127.0.0.1:9")
    assert found["ollama"].usable
    assert [model.name for model in found["ollama"].models] == ["ollama/llama3.2:3b"]
    gpt = next(model for model in found["openai"].models if model.name == GPT)
    assert gpt.price is not None
    assert (gpt.price.input_usd, gpt.price.output_usd) == (2.5, 10.0)
    assert found["ollama"].models[0].price is not None
    assert found["ollama"].models[0].price.input_usd == 0.0
    assert all(model.price is None for model in found["qwen"].models)


async def test_without_the_extra_google_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway_module, "find_spec", lambda name: None)
    given = settings({"GEMINI_API_KEY": "k"})
    assert (await survey(given))["google"].reason == "needs pip install '.[providers]' in dramaturg's folder"
    assert (await choose(given)).name == "rehearsal"
    with pytest.raises(InvalidSettings, match=r"\.\[providers\]"):
        Gateway(given, StillClock()).open("google/gemini-3.8-flash")


def test_a_model_without_its_key_is_not_opened() -> None:
    with pytest.raises(KeyRejected, match="ANTHROPIC_API_KEY is not set"):
        Gateway(settings(), StillClock()).open("claude-opus-5-5")


async def test_a_model_is_opened_once_and_its_provider_may_be_opened_again_after_closing() -> None:
    async with house() as here:
        model = here.open(GPT)
        assert here.open(GPT) is model
        await model.complete(question())
        await here.gateway.aclose()
        assert (await here.open(GPT).complete(question())).text


async def test_the_rehearsal_company_is_opened_by_its_name() -> None:
    async with house() as here:
        assert here.open("rehearsal").name == "rehearsal"


async def test_it_is_priced_by_the_name_that_was_asked_for() -> None:
    async with house() as here:
        paid = await here.open(GPT).complete(question())
        free = await here.open("ollama/gpt-4o").complete(question())
        unknown = await here.open("openai/gpt-from-the-attic").complete(question())
    assert paid.cost_usd is not None
    assert paid.cost_usd > 0
    assert free.cost_usd == 0.0
    assert unknown.cost_usd is None


def test_the_port_brings_no_client_and_the_gateway_no_sdk() -> None:
    code = (
        "import sys; import dramaturg.kernel.models.port, dramaturg.kernel.models.gateway; "
        "heavy = {'aiohttp', 'anthropic', 'openai', 'pydantic_ai', 'google.genai', 'genai_prices'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


async def test_a_model_that_a_server_lists_twice_is_one_model() -> None:
    async with ModelServer(models=("qwen3:8b", "gemma3", "qwen3:8b")) as server:
        states = await survey(settings(lmstudio=f"{server.url}/v1"))
    assert [model.name for model in states["lmstudio"].models] == ["lmstudio/qwen3:8b", "lmstudio/gemma3"]
