"""Bonds as the author's page draws them."""

from dramaturg.scenes.memories import Bond, BondChange
from dramaturg.server.routes.characters import bond_over_scenes


def test_a_bond_is_told_once_for_each_scene_as_it_stood_after_it() -> None:
    bond = Bond(character="alice", toward="bob")
    for number, (run, trust) in enumerate([("first", 0.2), ("first", 0.3), ("second", -1.0), ("third", 0.1)]):
        change = BondChange(
            character="alice",
            toward="bob",
            scene=f"the {run}",
            run=run,
            line=number,
            at=float(number),
            moment=str(number),
            trust=trust,
            affection=0.0,
            tension=0.1,
        )
        bond = bond.changed(change)
    after = bond_over_scenes(bond)
    assert [(one.run, one.scene) for one in after] == [(run, f"the {run}") for run in ("first", "second", "third")]
    assert after[0].trust > 0 > after[1].trust
    assert (after[2].trust, after[2].tension) == (bond.trust, bond.tension)
