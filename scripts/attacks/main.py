"""Runs the attack suite: `main.py TIDEGATE FOLDER [WORD...]`. Ends with 1 if any case failed."""

import collections
import importlib
import json
import pathlib
import signal
import sys
import tempfile
import time

import suite
from world import World

KINDS = [
    "escapes",
    "exhaustion",
    "injected",
    "poisoned",
    "upstreams",
    "paths",
    "forged",
    "owners",
    "approvals",
    "rules",
    "http_tricks",
    "content",
    "jsonrpc",
    "servers_route",
]


def main():
    """Starts the gateways, runs what was asked for, tells and writes down what came of it."""
    binary, folder, *words = sys.argv[1:]
    began = time.monotonic()
    # So that what was started is ended, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    for kind in KINDS:
        importlib.import_module(kind)
    with tempfile.TemporaryDirectory(prefix="attacks-") as work:
        world = World(binary, folder, work)
        try:
            world.start()
            results = suite.run(world, words, lambda line: print(line, flush=True))
        finally:
            world.stop()
    counts = collections.Counter(one["kind"] for one in results)
    failed = [one for one in results if one["problem"]]
    pathlib.Path(folder, "results.json").write_text(json.dumps(results, indent=1))
    print(f"\n{len(results)} cases in {time.monotonic() - began:.0f} s, {len(failed)} failed")
    for kind, count in counts.items():
        print(f"  {count:4} {kind}")
    for one in failed:
        print(f"FAILED {one['kind']}: {one['name']}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
