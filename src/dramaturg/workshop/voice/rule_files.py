"""Where rules come from: ours from the package, the writer's from `voice/rules.yaml` of the project."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pydantic import Field, ValidationError, model_validator

from dramaturg.authored import AuthoredForm
from dramaturg.kernel.errors import AuthorError, InvalidConfig, NotFound
from dramaturg.kernel.problems import first_problem
from dramaturg.kernel.text.tables import table
from dramaturg.kernel.values import Value
from dramaturg.workshop.voice.rule_lines import item_lines, with_items
from dramaturg.workshop.voice.rules import Rule, Scope, Severity, Waiver

RULES = "voice/rules.yaml"
MOST_BANS = 500


class Ban(Value):
    """Something the writer does not want to read. A text between slashes is a pattern, any other a phrase."""

    ban: str = Field(min_length=1, max_length=300)
    says: str = Field("", max_length=300)
    severity: Severity = "zero_tolerance"
    scope: Scope = "anywhere"
    speaker: str = Field("", max_length=80)
    per_1000: float = Field(0.0, ge=0, le=100)

    @property
    def id(self) -> str:
        """The name of its rule: `ban-` and its words."""
        worded = "-".join(re.findall(r"[^\W_]+", self.ban.casefold()))[:60] or "marks"
        return "-".join(filter(None, ("ban", worded, self.speaker.casefold().replace(" ", "-"))))

    @property
    def rule(self) -> Rule:
        """The rule that it makes. Raises ValidationError for a pattern that cannot be searched."""
        is_pattern = self.ban.startswith("/") and self.ban.rfind("/") > 0
        return Rule(
            id=self.id,
            says=self.says or f"“{self.ban}”",
            severity=self.severity,
            scope=self.scope,
            speaker=self.speaker,
            per_1000=self.per_1000,
            phrases=() if is_pattern else (self.ban,),
            pattern=self.ban if is_pattern else "",
            by_writer=True,
        )

    @model_validator(mode="after")
    def _makes_a_rule(self) -> Ban:
        _ = self.rule
        return self


class RuleFile(Value):
    """The writer's own rules: what they ban, and which of our rules they waive."""

    bans: tuple[Ban, ...] = Field((), max_length=MOST_BANS)
    waivers: tuple[Waiver, ...] = Field((), max_length=MOST_BANS)

    def with_ban(self, ban: Ban) -> RuleFile:
        """With this ban; one of the same words and speaker is replaced."""
        return RuleFile(bans=(*(one for one in self.bans if one.id != ban.id), ban), waivers=self.waivers)

    def with_waiver(self, waiver: Waiver) -> RuleFile:
        kept = (
            one for one in self.waivers if (one.rule, one.file, one.quote) != (waiver.rule, waiver.file, waiver.quote)
        )
        return RuleFile(bans=self.bans, waivers=(*kept, waiver))

    def render(self) -> str:
        """As YAML. Scalars are written as JSON, which is YAML whatever they contain."""
        lines = ["# What you do not want to read in this book. Edit it by hand, or use: dramaturg foreman ban", ""]
        for name, held in (("bans", self.bans), ("waivers", self.waivers)):
            lines.append(f"{name}:" if held else f"{name}: []")
            for one in held:
                lines += item_lines(one.model_dump(exclude_defaults=True))
        return "\n".join(lines) + "\n"

    def written_into(self, text: str) -> str:
        """The text of a file with these rules. Comments and every other entry stay as they are typed, unless the file
        is laid out in a way that nothing can be set in."""
        try:
            for name, held in (("bans", self.bans), ("waivers", self.waivers)):
                was = getattr(RULE_FORM.value(RULE_FORM.parse(text, RULES), where=RULES), name)
                kept = [one in held for one in was]
                added = [one.model_dump(exclude_defaults=True) for one in held if one not in was]
                text = with_items(text, name, kept, added)
            now = RULE_FORM.value(RULE_FORM.parse(text, RULES), where=RULES)
        except AuthorError:
            return self.render()
        return text if now.says_the_same(self) else self.render()

    def says_the_same(self, other: RuleFile) -> bool:
        """Whether both have the same rules, in whatever order."""
        pairs = ((self.bans, other.bans), (self.waivers, other.waivers))
        return all(len(one) == len(two) and all(held in two for held in one) for one, two in pairs)


RULE_FORM = AuthoredForm(RuleFile, "file of rules", "bans, waivers", named_by_file=False, may_be_empty=True)


class RuleSet(NamedTuple):
    """All rules of a book, the writer's first, and what is waived."""

    rules: tuple[Rule, ...]
    waivers: tuple[Waiver, ...]

    def named(self, rule: str) -> Rule:
        found = next((one for one in self.rules if one.id == rule), None)
        if found is None:
            known = ", ".join(one.id for one in self.rules)
            raise NotFound(f"There is no rule '{rule}' (known here: {known}).", rule=rule)
        return found


@cache
def house_rules() -> tuple[Rule, ...]:
    """The rules that come with dramaturg."""
    raw = table(__package__, "rules.toml")
    return tuple(Rule.model_validate(one) for one in raw["rule"])


def read_rule_file(project: Path) -> RuleFile:
    """The writer's own rules. Raises InvalidConfig with file and place if they cannot be read."""
    path = project / RULES
    return RULE_FORM.read(path, project=project) if path.exists() or path.is_symlink() else RuleFile()


def rule_set(project: Path) -> RuleSet:
    """Every rule of a book."""
    own = read_rule_file(project)
    return RuleSet((*(ban.rule for ban in own.bans), *house_rules()), own.waivers)


def read_ban(**given: object) -> Ban:
    """A ban from what somebody typed. Raises InvalidConfig that says what is wrong."""
    try:
        return Ban.model_validate(given)
    except ValidationError as error:
        raise InvalidConfig(f"{first_problem(error, given, 'the ban')}.", ban=given.get("ban")) from error
