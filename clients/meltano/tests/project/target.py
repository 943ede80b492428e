#!/usr/bin/env python3
"""A target that appends the records to a file and gives each STATE back once it has the records before it."""

import argparse
import json
import sys

parser = argparse.ArgumentParser()
parser.add_argument("--config")
args = parser.parse_args()
with open(args.config) as file:
    config = json.load(file)

with open(config["output"], "a") as output:
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "RECORD":
            output.write(json.dumps(message["record"]) + "\n")
            output.flush()
        elif message["type"] == "STATE":
            print(json.dumps(message["value"]), flush=True)
