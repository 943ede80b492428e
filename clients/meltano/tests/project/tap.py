#!/usr/bin/env python3
"""A tap without a source: numbers from the bookmark on, with a STATE message after each.

Config: `count` messages, `pause` seconds before each, `fail_after` messages (exit 1).
"""

import argparse
import json
import sys
import time
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("--config")
parser.add_argument("--state")
parser.add_argument("--catalog")
args = parser.parse_args()
config = json.loads(Path(args.config).read_text())
state = {}
if args.state:
    state = json.loads(Path(args.state).read_text())

first = state.get("bookmarks", {}).get("numbers", {}).get("seen", 0) + 1
fail_after = int(config.get("fail_after", 0))


def emit(message: dict[str, object]) -> None:
    print(json.dumps(message), flush=True)


emit(
    {
        "type": "SCHEMA",
        "stream": "numbers",
        "schema": {"properties": {"n": {"type": "integer"}}},
        "key_properties": ["n"],
    }
)
for done, n in enumerate(range(first, first + int(config.get("count", 3)))):
    if fail_after and done == fail_after:
        sys.exit(1)
    time.sleep(float(config.get("pause", 0)))
    emit({"type": "RECORD", "stream": "numbers", "record": {"n": n}})
    emit({"type": "STATE", "value": {"bookmarks": {"numbers": {"seen": n}}}})
