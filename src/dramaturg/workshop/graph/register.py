"""The register of an intake: who is already known under which name, who is new, and what could not be told."""

from __future__ import annotations

from dataclasses import replace

from dramaturg.kernel.errors import InvalidConfig
from dramaturg.workshop.book.decisions import key_name
from dramaturg.workshop.graph.predicates import PREDICATES, Predicate
from dramaturg.workshop.graph.values import Entity, EntityKind, Fact, StoryGraph, folded


class Register:
    """Entities by name, those of the graph and new ones; and the problems met on the way."""

    def __init__(self, graph: StoryGraph) -> None:
        self._graph = graph
        self._named: dict[str, list[Entity]] = {name: list(held) for name, held in graph.names.items()}
        self._new: dict[int, Entity] = {}
        self._aliases: dict[int, tuple[str, ...]] = {}
        self.problems: list[str] = []

    @property
    def new(self) -> tuple[Entity, ...]:
        return tuple(self._new.values())

    @property
    def aliases(self) -> dict[int, tuple[str, ...]]:
        """Further aliases of entities that are in the graph."""
        return dict(self._aliases)

    def known(self, name: str, *kinds: EntityKind) -> Entity | None:
        """Who bears a name; whose own name it is comes first. Raises InvalidConfig if several may be meant."""
        held = [one for one in self._named.get(folded(name), ()) if not kinds or one.kind in kinds]
        own = [one for one in held if folded(one.name) == folded(name)]
        meant = own or held
        if len({self._root(one) for one in meant}) > 1:
            who = ", ".join(f"{one.name} ({one.kind})" for one in meant)
            raise InvalidConfig(f"'{name}' is a name of several: {who}. Write the full name, or merge them.")
        return meant[0] if meant else None

    def keyed(self, key: str) -> Entity | None:
        """Who bears a name as keys of decisions write it: `elena_vance`; None if nobody does, or several."""
        for name, held in self._named.items():
            if key_name(name) == key and len({self._root(one) for one in held}) == 1:
                return held[0]
        return None

    def entity(self, kind: EntityKind, name: str, source: str, aliases: tuple[str, ...] = ()) -> Entity:
        """The entity of this kind and name, new if there is none. Raises InvalidConfig if several may be meant."""
        found = self.known(name, kind)
        if found is None:
            found = Entity(-len(self._new) - 1, kind, name, source=source)
            self._new[found.id] = found
            self._named.setdefault(folded(name), []).append(found)
        return self._with_aliases(found, aliases) if aliases else found

    def names(self, *kinds: EntityKind) -> tuple[str, ...]:
        """Every name under which entities of these kinds are known, sorted."""
        held = {one.id: one for many in self._named.values() for one in many}
        return tuple(sorted({name for one in held.values() if one.kind in kinds for name in one.names}))

    def all(self, *kinds: EntityKind) -> tuple[Entity, ...]:
        """Every entity of these kinds that has a name, the known ones first."""
        held = {one.id: one for many in self._named.values() for one in many if one.kind in kinds}
        return tuple(sorted(held.values(), key=lambda one: (one.id < 0, abs(one.id))))

    def same(self, one: int | None, other: int | None) -> bool:
        return one is not None and other is not None and self._root_id(one) == self._root_id(other)

    def _with_aliases(self, entity: Entity, aliases: tuple[str, ...]) -> Entity:
        known = set(map(folded, entity.names))
        more = tuple(name for name in aliases if folded(name) not in known)
        if not more:
            return entity
        changed = replace(entity, aliases=(*entity.aliases, *more))
        for name, held in list(self._named.items()):
            self._named[name] = [changed if one.id == entity.id else one for one in held]
        for name in more:
            self._named.setdefault(folded(name), []).append(changed)
        if entity.id < 0:
            self._new[entity.id] = changed
        else:
            self._aliases[entity.id] = changed.aliases
        return changed

    def _root(self, one: Entity) -> int:
        return self._root_id(one.id)

    def _root_id(self, number: int) -> int:
        return self._graph.roots.get(number, number)


def checked(fact: Fact, register: Register, where: str) -> Fact | None:
    """The fact if it can be; else None, and the problem is in the register."""
    declared: Predicate = PREDICATES[fact.predicate]
    if not declared.oneself and register.same(fact.subject, fact.object):
        register.problems.append(
            f"{where}: subject and object of '{fact.predicate}' are the same; "
            "nobody can be that to themselves. Name two different ones."
        )
        return None
    if fact.modality in ("claimed", "believed", "dreamed") and fact.holder is None:
        register.problems.append(f"{where}: a fact that is {fact.modality} needs 'by' with the name of who does.")
        return None
    return fact
