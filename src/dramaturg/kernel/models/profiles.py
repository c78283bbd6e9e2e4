"""What each model can do: its context window, its tier, how reliably it follows a format.

The rows are in `profiles.toml`. A model without a row gets a guessed profile, marked `assumed`. This module is the
only place that looks at names: code elsewhere asks a field of `ModelProfile`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Literal

from dramaturg.kernel.text.tables import table
from dramaturg.kernel.values import Value

Tier = Literal["full", "medium", "minimal"]
Trust = Literal["low", "medium", "high", "very_high"]
StructuredOutput = Literal["json_schema", "tool", "json_object", "prompted"]
PrefixCaching = Literal["explicit", "automatic", "none"]
Thinking = Literal["none", "optional", "always"]

REHEARSAL = "rehearsal"
"""The name of the rehearsal company, which plays where there is no language model."""


class ModelProfile(Value):
    """One row of the capability matrix. `provider` is the model's vendor, wherever the model is served.

    `quiet` is the vendor's keyword for the least thinking: a line of dialogue needs none, and thinking counts
    against `max_tokens`. `continues`: a request with a single assistant message is a text to complete. `assumed`:
    the row was guessed from the provider or the size.

    `is_stand_in`: the rehearsal company, not a language model. It is free and deterministic, needs no help, and is
    not asked for anything that its plan already contains. `reads_cues`: it reads the typed `Cue` of a request, which
    costs time to build, instead of the prompt; only the stand-in and test doubles do. `takes_tasks`: an agent that
    plays each line as a separate task without a conversation. `self_hosted`: the user runs the weights, so a size in
    the name says more than the family. `writes`: it generates text; servers also list embedding models, which do not.
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
    is_stand_in: bool = False
    reads_cues: bool = False
    takes_tasks: bool = False
    self_hosted: bool = False
    writes: bool = True


_COMPANY = ModelProfile(
    id=REHEARSAL,
    provider=REHEARSAL,
    context_window=1_000_000,
    max_output_tokens=64_000,
    tier="full",
    xml_reliability="very_high",
    instruction_following="very_high",
    is_stand_in=True,
    reads_cues=True,
)

# Assume little about an unknown model: a short prompt does less harm than a broken format.
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
    if model_name == REHEARSAL:
        return _COMPANY
    provider, slash, model = model_name.partition("/")
    if not slash:
        provider, model = "", model_name
    host = _table().hosts.get(provider)
    profile = known_profile(model) or _guess(host or _STRANGER, provider, model)
    # These depend on the host and on the kind of model, not on the vendor's row.
    facts = {"takes_tasks": bool(host and host.takes_tasks), "writes": "embed" not in model.lower()}
    return _by_size(profile.model_copy(update=facts), model)


def is_stand_in(model_name: str) -> bool:
    """Whether a name, such as one in a log, means the rehearsal company."""
    return profile_of(model_name).is_stand_in


def known_profile(model: str) -> ModelProfile | None:
    """The row with the longest name that `model` starts with; of `vendor/model` only the last part counts."""
    wanted = _alike(model.rpartition("/")[2])
    rows = _table().rows
    for end in range(len(wanted), 1, -1):
        row = rows.get(wanted[:end])
        if row and _ends_a_word(wanted, end):
            return row
    return None


def all_profiles() -> tuple[ModelProfile, ...]:
    """Every row that is a model and not a family, in table order."""
    return tuple(_table().models)


class _Table:
    def __init__(self, raw: Mapping[str, Mapping[str, object]]) -> None:
        self.hosts: dict[str, ModelProfile] = {}
        self.rows: dict[str, ModelProfile] = {}
        self.models: list[ModelProfile] = []
        for vendor, row in raw.items():
            shared = dict(row)
            models, families, alike = shared.pop("models"), shared.pop("families"), shared.pop("also", [])
            assert isinstance(models, dict)
            assert isinstance(families, dict)
            assert isinstance(alike, list)
            host = ModelProfile.model_validate({"id": "", "provider": vendor, **shared})
            self.hosts |= dict.fromkeys((vendor, *alike), host)
            for name, own in (models | families).items():
                profile = ModelProfile.model_validate({"id": name, "provider": vendor, **shared, **own})
                self.rows[_alike(name)] = profile
                if name in models:
                    self.models.append(profile)


@cache
def _table() -> _Table:
    return _Table(table("dramaturg.kernel.models", "profiles.toml"))


def _alike(model: str) -> str:
    return model.strip().lstrip("~").lower().replace(".", "-")


def _ends_a_word(name: str, end: int) -> bool:
    """So that `o3` matches `o3-mini` and not `o300`, while `gemma` matches `gemma3`."""
    return end == len(name) or not name[end].isalnum() or not name[end - 1].isdigit()


_TRUST_BY_SIZE: Mapping[str, Mapping[str, object]] = {
    "small": {"tier": "minimal", "xml_reliability": "low", "instruction_following": "low"},
    "middling": {"tier": "medium", "xml_reliability": "medium", "instruction_following": "medium"},
}


def _guess(host: ModelProfile, provider: str, model: str) -> ModelProfile:
    """A profile from what the host's models have in common; of self-hosted models, little is assumed."""
    trust = _TRUST_BY_SIZE["small"] if host.self_hosted else {}
    return host.model_copy(update={**trust, "id": model, "provider": provider, "assumed": True})


def _by_size(profile: ModelProfile, model: str) -> ModelProfile:
    """Adjusts a profile to the size in a self-hosted model's name (`qwen3:0.6b`), which says more than its family."""
    sized = _SIZE.search(model.lower())
    if not sized or (_SIZE.search(profile.id) and not profile.assumed):
        return profile
    if not profile.self_hosted and not profile.assumed:
        return profile
    trust = trust_by_size(float(sized[1]) / (1000 if sized[2] == "m" else 1))
    return profile.model_copy(update={**trust, "assumed": True}) if trust else profile


def trust_by_size(billions: float) -> Mapping[str, object]:
    """The fields that follow from the number of parameters; none for a large model."""
    if billions > _MIDDLING:
        return {}
    return _TRUST_BY_SIZE["small" if billions <= _SMALL else "middling"]
