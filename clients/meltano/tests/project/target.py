#!/usr/bin/env python3
"""A target that appends the records to a file and gives each STATE back once it has the records before it."""

import argparse
import json
import sys
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("--config")
args = parser.parse_args()
config = json.loads(Path(args.config).read_text())

with Path(config["output"]).open("a") as output:
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "RECORD":
            output.write(json.dumps(message["record"]) + "\n")
            output.flush()
        elif message["type"] == "STATE":
            print(json.dumps(message["value"]), flush=True)
