"""The capability matrix: the seed's rows to the letter, today's models by family, strangers said to be so."""

from __future__ import annotations

import pytest
from genai_prices.data import providers as price_list

from dramaturg.kernel.models.catalogue import KNOWN
from dramaturg.kernel.models.profiles import all_profiles, profile_of

# Model, provider, context, tier, XML reliability, and instruction following where the seed gives it.
SEED = [
    ("gpt-4o", "openai", 128_000, "full", "high", "high"),
    ("gpt-4o-mini", "openai", 128_000, "full", "high", None),
    ("claude-sonnet-4", "anthropic", 200_000, "full", "very_high", "very_high"),
    ("claude-opus-4", "anthropic", 200_000, "full", "very_high", None),
    ("gemini-2.0-flash", "google", 1_000_000, "full", "medium", "high"),
    ("grok-2", "xai", 131_072, "full", "high", "high"),
    ("deepseek-chat", "deepseek", 64_000, "medium", "medium", "medium"),
    ("qwen-plus", "qwen", 131_072, "medium", "medium", "medium"),
    ("qwen-max", "qwen", 32_768, "medium", "medium", None),
    ("mistral-large", "mistral", 128_000, "full", "high", "high"),
    ("llama3.2:3b", "ollama", 8192, "minimal", "low", "low"),
    ("mistral:7b", "ollama", 32_768, "medium", "medium", "medium"),
]


@pytest.mark.parametrize(("model", "provider", "context", "tier", "xml", "follows"), SEED, ids=lambda row: str(row))
def test_the_seeds_models_stand_as_the_seed_gives_them(
    model: str, provider: str, context: int, tier: str, xml: str, follows: str | None
) -> None:
    row = profile_of(f"{provider}/{model}")
    assert row == profile_of(model)
    assert (row.id, row.provider, row.context_window, row.tier, row.xml_reliability) == (
        model,
        provider,
        context,
        tier,
        xml,
    )
    assert not row.assumed
    if follows:
        assert row.instruction_following == follows


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("openai/gpt-4o-2024-11-20", "gpt-4o"),
        ("openai/o3-mini", "o3"),
        ("openai/gpt-5.4-mini-2026-03-17", "gpt-5.4-mini"),
        ("anthropic/claude-sonnet-4-20250514", "claude-sonnet-4"),
        ("anthropic/claude-sonnet-5-5", "claude-sonnet-5-5"),
        ("openrouter/anthropic/claude-opus-5.5", "claude-opus-5-5"),
        ("google/gemini-3.8-flash", "gemini-3.8-flash"),
        ("mistral/mistral-large-latest", "mistral-large"),
        ("lmstudio/Llama-3.3-70B-Instruct", "llama-3.3"),
        ("ollama/gpt-oss:20b", "gpt-oss:20b"),
    ],
)
def test_an_id_is_served_by_the_longest_name_it_begins_with(name: str, row: str) -> None:
    profile = profile_of(name)
    assert profile.id == row
    assert not profile.assumed


@pytest.mark.parametrize(
    ("name", "follows", "tier"),
    [
        ("ollama/qwen3:0.6b", "low", "minimal"),
        ("llamacpp/smollm2-135m-instruct-q8_0.gguf", "low", "minimal"),
        ("ollama/llama3.1:8b", "medium", "medium"),
        ("lmstudio/somebody/strange-12b", "medium", "medium"),
        ("lmstudio/strange", "low", "minimal"),
        ("acme/strange", "low", "minimal"),
        ("openai/gpt-99", "high", "full"),
    ],
)
def test_what_is_guessed_from_size_or_provider_is_marked_as_assumed(name: str, follows: str, tier: str) -> None:
    profile = profile_of(name)
    assert profile.assumed
    assert (profile.instruction_following, profile.tier) == (follows, tier)


def test_a_number_is_not_the_beginning_of_a_longer_one() -> None:
    assert profile_of("openai/o300").assumed
    assert profile_of("openai/gpt-45").assumed


def test_the_rehearsal_company_has_a_profile() -> None:
    assert profile_of("rehearsal").provider == "rehearsal"


@pytest.mark.parametrize(
    "provider", [row for row in KNOWN.values() if row.prices and row.model], ids=lambda row: row.name
)
def test_the_model_asked_when_only_the_provider_is_named_is_on_sale_today(provider: object) -> None:
    row = KNOWN[provider.name]  # type: ignore[attr-defined]
    seller = next(one for one in price_list if one.id == row.prices)
    found = seller.find_model(row.model or "", all_providers=price_list)
    assert found is not None
    assert not found.deprecated
    assert not profile_of(f"{row.name}/{row.model}").assumed


def test_every_row_that_thinks_says_how_it_is_kept_from_it_if_it_can_be() -> None:
    for row in all_profiles():
        assert (row.thinking == "optional") <= bool(row.quiet), row.id
