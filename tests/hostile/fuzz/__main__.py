"""Campaigns by hand; see the package."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path

from tests.hostile.fuzz.campaign import Campaign, keep, minimized, tried
from tests.hostile.fuzz.loop import close
from tests.hostile.fuzz.targets import TARGETS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.hostile.fuzz", description="Fuzz the readers.")
    parser.add_argument("--target", action="append", choices=sorted(TARGETS), help="default: every target")
    parser.add_argument("--minutes", type=float, help="of CPU time for each target")
    parser.add_argument("--iterations", type=int, help="for each target; 2000 if no minutes are given")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="write each finding to the corpus")
    parser.add_argument("--try", dest="file", type=Path, help="feed one file to the target instead")
    given = parser.parse_args()
    chosen = [TARGETS[name] for name in given.target or TARGETS]
    if given.file:
        findings = [found for target in chosen if (found := tried(target, given.file.read_bytes())[1])]
        print("\n".join(map(str, findings)) or "nothing found")
        return bool(findings)
    count = 0
    logging.disable(logging.CRITICAL)  # a server says of each bad request that it is one
    print(f"{'target':<24} {'inputs':>8} {'kept':>5} {'lines':>6} {'lines/byte':>10}  findings")
    for target in chosen:
        campaign = Campaign(target, given.seed)
        iterations = given.iterations or (None if given.minutes else 2000)
        campaign.run(iterations=iterations, seconds=given.minutes * 60 if given.minutes else None)
        figures = f"{campaign.iterations:>8,} {campaign.kept:>5} {len(campaign.places):>6} {campaign.dearest:>10.1f}"
        print(f"{target.name:<24} {figures}  {len(campaign.findings)}", flush=True)
        for finding in campaign.findings.values():
            small = minimized(target, finding)
            kept = f"\n  kept as {keep(small)}" if given.keep else ""
            print(f"{small}{kept}", flush=True)
        count += len(campaign.findings)
    return bool(count)


if __name__ == "__main__":
    try:
        status = main()
    finally:
        close()
    sys.exit(status)
