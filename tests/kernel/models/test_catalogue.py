"""Names of models, and what they mean."""

from __future__ import annotations

import pytest

from dramaturg.kernel.errors import InvalidSettings, KeyRejected
from dramaturg.kernel.models.catalogue import KNOWN, key_of, model_ref, providers
from dramaturg.kernel.settings import ProviderSettings, Settings


@pytest.mark.parametrize(
    ("name", "provider", "model"),
    [
        ("openai/gpt-4o", "openai", "gpt-4o"),
        ("openrouter/anthropic/claude-opus-5.5", "openrouter", "anthropic/claude-opus-5.5"),
        ("ollama/llama3.2:3b", "ollama", "llama3.2:3b"),
        ("anthropic", "anthropic", "claude-sonnet-5-5"),
        ("gpt-4o", "openai", "gpt-4o"),
        ("claude-opus-5-5", "anthropic", "claude-opus-5-5"),
        ("mistral:7b", "ollama", "mistral:7b"),
        ("mistral", "mistral", "mistral-large-latest"),
        (" gpt-4o ", "openai", "gpt-4o"),
    ],
)
def test_a_name_is_a_provider_and_a_model(name: str, provider: str, model: str) -> None:
    found = model_ref(name, Settings())
    assert (found.provider.name, found.model) == (provider, model)
    assert found.name == f"{provider}/{model}"


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("antropic/claude-sonnet-5-5", "Did you mean 'anthropic'?"),
        ("gpt4o", "Did you mean 'gpt-4o'?"),
        ("acme/wonder", r"\[providers.acme\]"),
        ("lmstudio", "has no default model"),
    ],
)
def test_a_name_that_means_nothing_comes_with_the_nearest_that_does(name: str, hint: str) -> None:
    with pytest.raises(InvalidSettings, match=hint):
        model_ref(name, Settings())


def test_a_missing_key_is_named_and_never_guessed() -> None:
    with pytest.raises(KeyRejected, match="GEMINI_API_KEY or GOOGLE_API_KEY is not set"):
        key_of(KNOWN["google"], Settings())
    assert key_of(KNOWN["google"], Settings(env={"GOOGLE_API_KEY": " k "})) == "k"
    assert key_of(KNOWN["ollama"], Settings()) is None


def test_settings_adjust_a_provider_and_leave_the_rest_of_it() -> None:
    own = ProviderSettings(base_url="http://10.0.0.7:8000/v1", key_env="HOUSE_KEY", concurrency=2)
    row = providers(Settings(providers={"openai": own}))["openai"]
    assert (row.base_url, row.key_env, row.concurrency) == (own.base_url, ("HOUSE_KEY",), 2)
    assert (row.protocol, row.token_field, row.timeout) == ("openai", "max_completion_tokens", 120.0)


@pytest.mark.parametrize(
    "address",
    [
        "https://me:s3cret@api.example.org/v1",
        "https://s3cret@api.example.org/v1",
        "http://:s3cret@[::1]:8000",
        "me:s3cret@api.example.org/v1",
        " HTTPS://me:s3cret@api.example.org",
        "//me:s3cret@api.example.org",
    ],
)
@pytest.mark.parametrize("name", ["openai", "attic"])
def test_an_address_with_a_password_is_refused_and_not_quoted(name: str, address: str) -> None:
    own = ProviderSettings(protocol="openai", base_url=address)
    with pytest.raises(InvalidSettings, match="contains a user name, a password or a query") as caught:
        model_ref(f"{name}/owl", Settings(providers={name: own}))
    assert "s3cret" not in str(caught.value)
    assert "s3cret" not in str(caught.value.context)


def test_an_at_sign_in_a_path_is_no_password() -> None:
    own = ProviderSettings(protocol="openai", base_url="https://api.example.org/v1/@me")
    assert model_ref("attic/owl", Settings(providers={"attic": own})).provider.base_url == own.base_url


def test_settings_add_a_server_of_ones_own() -> None:
    own = ProviderSettings(protocol="openai", base_url="http://127.0.0.1:9/v1", model="house")
    found = model_ref("attic", Settings(providers={"attic": own}))
    assert found.name == "attic/house"
    assert not found.provider.trusted
    assert key_of(found.provider, Settings()) is None


@pytest.mark.parametrize(
    ("own", "hint"),
    [
        (ProviderSettings(base_url="http://127.0.0.1:9/v1"), "needs `protocol`"),
        (ProviderSettings(protocol="anthropic"), "needs `base_url`"),
    ],
)
def test_a_server_of_ones_own_needs_a_protocol_and_an_address(own: ProviderSettings, hint: str) -> None:
    with pytest.raises(InvalidSettings, match=hint):
        model_ref("attic/x", Settings(providers={"attic": own}))
