"""What each model can do: context window, tier, how far it can be trusted with a form.

The rows are in `profiles.toml`. A model that has none is not passed off as known: its profile is `assumed`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal

from dramaturg.kernel.values import Value

Tier = Literal["full", "medium", "minimal"]
Trust = Literal["low", "medium", "high", "very_high"]
StructuredOutput = Literal["json_schema", "tool", "json_object", "prompted"]
PrefixCaching = Literal["explicit", "automatic", "none"]
Thinking = Literal["none", "optional", "always"]

LOCAL_HOMES = frozenset({"ollama", "lmstudio", "llamacpp", "vllm", "local"})


class ModelProfile(Value):
    """One row of the capability matrix. `provider` is the model's home, wherever it is asked.

    `quiet` is the home's word for the least thinking: a line of dialogue needs none, and what a model thinks
    is paid for out of `max_tokens`. `continues` is true where a request of one assistant message alone is a text
    to go on with. `assumed` is true where the row was guessed from provider or size.
    """

    id: str
    provider: str
    context_window: int
    max_output_tokens: int = 4096
    tier: Tier
    xml_reliability: Trust
    instruction_following: Trust
    structured_output: StructuredOutput = "prompted"
    prefix_caching: PrefixCaching = "none"
    thinking: Thinking = "none"
    quiet: str = ""
    sampling: bool = True
    stops: bool = True
    continues: bool = False
    assumed: bool = False


REHEARSAL = ModelProfile(
    id="rehearsal",
    provider="rehearsal",
    context_window=1_000_000,
    max_output_tokens=64_000,
    tier="full",
    xml_reliability="very_high",
    instruction_following="very_high",
)

# Of a model nobody here has heard of, promise little: a short prompt hurts less than a broken form.
_STRANGER = ModelProfile(
    id="",
    provider="",
    context_window=8192,
    tier="minimal",
    xml_reliability="low",
    instruction_following="low",
)
_SMALL, _MIDDLING = 4.5, 20.0
_SIZE = re.compile(r"(?<![\d.a-z])(\d{1,3}(?:\.\d+)?)(b|m)(?![a-z0-9])")


@lru_cache(maxsize=1024)
def profile_of(model_name: str) -> ModelProfile:
    """The profile of `provider/model`, of a bare model id, or of `rehearsal`."""
    if model_name == "rehearsal":
        return REHEARSAL
    provider, slash, model = model_name.partition("/")
    if not slash:
        provider, model = "", model_name
    known = known_profile(model)
    if known:
        return _by_size(known, model)
    home = _table().homes.get("ollama" if provider in LOCAL_HOMES else provider)
    guess = home or _STRANGER
    if provider in LOCAL_HOMES:
        guess = guess.model_copy(update=_TRUST_BY_SIZE["small"])
    return _by_size(guess.model_copy(update={"id": model, "provider": provider, "assumed": True}), model)


def known_profile(model: str) -> ModelProfile | None:
    """The row whose name `model` begins with, the longest first; the last part counts of `vendor/model`."""
    wanted = _alike(model.rpartition("/")[2])
    rows = _table().rows
    for end in range(len(wanted), 1, -1):
        row = rows.get(wanted[:end])
        if row and _ends_a_word(wanted, end):
            return row
    return None


def all_profiles() -> tuple[ModelProfile, ...]:
    """Every row that is a model and not a family, in the order of the table."""
    return tuple(_table().models)


class _Table:
    def __init__(self, raw: Mapping[str, dict[str, object]]) -> None:
        self.homes: dict[str, ModelProfile] = {}
        self.rows: dict[str, ModelProfile] = {}
        self.models: list[ModelProfile] = []
        for home, shared in raw.items():
            models, families = shared.pop("models"), shared.pop("families")
            assert isinstance(models, dict)
            assert isinstance(families, dict)
            self.homes[home] = ModelProfile.model_validate({"id": "", "provider": home, **shared})
            for name, own in (models | families).items():
                row = ModelProfile.model_validate({"id": name, "provider": home, **shared, **own})
                self.rows[_alike(name)] = row
                if name in models:
                    self.models.append(row)


@cache
def _table() -> _Table:
    text = files("dramaturg.kernel.models").joinpath("profiles.toml").read_text(encoding="utf-8")
    return _Table(tomllib.loads(text))


def _alike(model: str) -> str:
    return model.strip().lstrip("~").lower().replace(".", "-")


def _ends_a_word(name: str, end: int) -> bool:
    """So that `o3` serves `o3-mini` and not `o300`, while `gemma` serves `gemma3`."""
    return end == len(name) or not name[end].isalnum() or not name[end - 1].isdigit()


_TRUST_BY_SIZE: Mapping[str, Mapping[str, object]] = {
    "small": {"tier": "minimal", "xml_reliability": "low", "instruction_following": "low"},
    "middling": {"tier": "medium", "xml_reliability": "medium", "instruction_following": "medium"},
}


def _by_size(profile: ModelProfile, model: str) -> ModelProfile:
    """A size in the name of a model one runs oneself (`qwen3:0.6b`) says more than its family does."""
    sized = _SIZE.search(model.lower())
    if not sized or (_SIZE.search(profile.id) and not profile.assumed):
        return profile
    if profile.provider not in LOCAL_HOMES and not profile.assumed:
        return profile
    trust = trust_by_size(float(sized[1]) / (1000 if sized[2] == "m" else 1))
    return profile.model_copy(update={**trust, "assumed": True}) if trust else profile


def trust_by_size(billions: float) -> Mapping[str, object]:
    """What the number of its parameters says of a model; nothing of a large one."""
    if billions > _MIDDLING:
        return {}
    return _TRUST_BY_SIZE["small" if billions <= _SMALL else "middling"]
