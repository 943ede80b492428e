"""Asks the service that was built by its contract, at random: run.py SECONDS EXAMPLES SEED."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from service import ROOT, service, virtualenv  # noqa: E402


def main(seconds: str, examples: str, seed: str) -> None:
    """Ask for so long at the most, and so often for each operation; the service must not log an error meanwhile."""
    tools = virtualenv("fuzz", "schemathesis==4.32.5", "hypothesis==6.170.17")
    if not tools:
        print("SKIPPED: the contract is not fuzzed, schemathesis cannot be had here")
        return
    with service() as running:
        command = [
            str(tools / "st"), "--config-file", "schemathesis.toml", "run", str(ROOT / "openapi.yaml"),
            "--url", running.url, "-H", f"Authorization: Bearer {running.token}",
            "--seed", seed, "--max-examples", examples, "--max-time", seconds, "--no-color",
        ]  # fmt: skip
        asked = subprocess.run(command, check=False, cwd=HERE, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        errors = [line for line in running.log.read_text().splitlines() if " ERROR " in line]
        if errors:
            sys.exit("The service has logged errors:\n" + "\n".join(errors))
        if asked.returncode:
            sys.exit(asked.returncode)


if __name__ == "__main__":
    main(*sys.argv[1:])
