#!/usr/bin/env python3
"""Seconds for one `meltano run` that emits n STATE messages, by state backend.

    python3 bench/meltano_runs.py [--sizes 60 600] [--rounds 3] [--addon PIP_SPEC] [--markdown FILE]

It makes a virtual environment of its own, target/bench-meltano.

The tap and the target are those of the tests of the add-on, and need no network. In each round every backend has its turn,
so that what else the machine does meets all of them; the smallest of the rounds counts. Each run starts with an empty
project. Measured are:

- `sqlite`: Meltano's own system database, which is its default;
- `file`: Meltano's backend for files;
- `postgres`: the system database in PostgreSQL, if its programs are installed;
- `statehouse`: the packaged service on its embedded engine, default settings;
- `waited for`: the same with `linger_seconds: 0`, so that each message is written before the run goes on;
- `addon`: the ClickHouse add-on, if --addon names something that pip can install; 60 messages only. Without it, the
  statements that the add-on sends for one message are timed by themselves.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import http.client
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
import uuid
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
ADDON = ROOT / "clients" / "meltano"
VENV = ROOT / "target" / "bench-meltano"


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[60, 600])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--addon", help="the ClickHouse add-on, as pip would install it")
    parser.add_argument("--markdown", type=Path, help="where to write the table, too")
    return parser.parse_args()


def enter_own_environment(addon: str | None) -> None:
    """Run this script again in its own virtual environment: what it installs has no place in the one of the tests."""
    if Path(sys.prefix) == VENV:
        return
    python = str(VENV / "bin" / "python")
    if not Path(python).exists():
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
    pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    subprocess.run([*pip, "-e", f"{ADDON}[test]", "psycopg[binary]", *([addon] if addon else [])], check=True)
    os.execv(python, [python, *sys.argv])


if __name__ == "__main__":
    enter_own_environment(arguments().addon)
sys.path.insert(0, str(ADDON / "tests"))

from conftest import PROJECT, Meltano, free_port, running  # noqa: E402
from start import clickhouse  # noqa: E402

SETTLE_SECONDS = 1.0


@contextlib.contextmanager
def postgres(folder: Path) -> Iterator[str]:
    """A PostgreSQL of its own, with its default settings; its URI."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    folder.mkdir()
    port, user = free_port(), []
    if os.getuid() == 0:
        owner = pwd.getpwnam("postgres")
        os.chown(folder, owner.pw_uid, owner.pw_gid)
        user = ["runuser", "-u", "postgres", "--"]
        for parent in folder.parents:
            if parent.is_relative_to(tempfile.gettempdir()) and str(parent) != tempfile.gettempdir():
                parent.chmod(0o755)

    def call(program: str, *arguments: str) -> None:
        subprocess.run(
            [*user, str(programs[-1] / program), *arguments], check=True, cwd="/",
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip

    data = str(folder / "data")
    call("initdb", "-D", data, "-A", "trust", "-U", "meltano", "-E", "UTF8", "--locale=C")
    listen = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder}"
    call("pg_ctl", "-D", data, "-w", "-l", str(folder / "log"), "-o", listen, "start")
    try:
        call("createdb", "-h", "127.0.0.1", "-p", str(port), "-U", "meltano", "meltano")
        yield f"postgresql+psycopg://meltano@127.0.0.1:{port}/meltano"
    finally:
        call("pg_ctl", "-D", data, "-m", "immediate", "stop")


def algorithm(port: int, messages: int) -> float:
    """Seconds that the statements of the add-on take for one message: lock, settle, decide, read, write, unlock."""

    def ask(query: str, data: str = "") -> str:
        url = f"http://127.0.0.1:{port}/?" + urllib.parse.urlencode({"query": query})
        with urllib.request.urlopen(urllib.request.Request(url, data=data.encode())) as answer:
            return answer.read().decode().strip()

    ask("CREATE DATABASE IF NOT EXISTS m")
    ask(
        "CREATE TABLE m.state (state_id String, partial_state Nullable(String), completed_state Nullable(String), "
        "updated_at DateTime64(3) DEFAULT now64(3)) ENGINE = ReplacingMergeTree(updated_at) ORDER BY state_id"
    )
    ask(
        "CREATE TABLE m.state_lock (state_id String, lock_id String, locked_at DateTime DEFAULT now()) "
        "ENGINE = ReplacingMergeTree(locked_at) ORDER BY state_id TTL locked_at + INTERVAL 300 SECOND"
    )
    started = time.perf_counter()
    for n in range(messages):
        lock_id = str(uuid.uuid4())
        assert not ask("SELECT lock_id FROM m.state_lock FINAL WHERE state_id = 'a' LIMIT 1")
        ask("INSERT INTO m.state_lock (state_id, lock_id) VALUES", f"('a', '{lock_id}')")
        time.sleep(SETTLE_SECONDS)
        assert ask("SELECT min(lock_id) FROM m.state_lock WHERE state_id = 'a'") == lock_id
        ask("SELECT partial_state, completed_state FROM m.state FINAL WHERE state_id = 'a' LIMIT 1")
        ask("INSERT INTO m.state (state_id, completed_state) VALUES", f"('a', '{{\"n\":{n}}}')")
        ask(f"DELETE FROM m.state_lock WHERE state_id = 'a' AND lock_id = '{lock_id}'")
    return (time.perf_counter() - started) / messages


def measure(name: str, settings: dict[str, str], messages: int, folder: Path) -> float:
    """One run in a new project."""
    project = folder / f"{name}-{uuid.uuid4().hex[:8]}"
    shutil.copytree(PROJECT, project)
    uri = settings.get("MELTANO_STATE_BACKEND_URI", "systemdb").replace("PROJECT", str(project))
    suffix = uuid.uuid4().hex[:8]
    meltano = Meltano(project, uri, **{k: v for k, v in settings.items() if k != "MELTANO_STATE_BACKEND_URI"})
    # The tables of the system database are made before the clock starts.
    meltano.run("state", "list")
    started = time.perf_counter()
    meltano.run("run", "--state-id-suffix", suffix, "tap-numbers", "target-file", TAP_NUMBERS_COUNT=str(messages))
    return time.perf_counter() - started


def warm_up(url: str, seconds: float) -> None:
    """Write some states for that long, one call after the other for each."""
    end = time.monotonic() + seconds

    def write(number: int) -> None:
        connection = http.client.HTTPConnection(url.removeprefix("http://"), timeout=30)
        with contextlib.closing(connection):
            while time.monotonic() < end:
                body = '{"partial_state": {"singer_state": {"bookmarks": {"a": {"id": 1}}}}}'
                connection.request("PATCH", f"/states/warm-up-{number}", body, {"Content-Type": "application/json"})
                answer = connection.getresponse()
                text = answer.read()
                if answer.status >= HTTPStatus.BAD_REQUEST:
                    sys.exit(f"the service answered {answer.status}: {text!r}")

    with concurrent.futures.ThreadPoolExecutor() as threads:
        list(threads.map(write, range(4)))


def main() -> None:
    """Measure and print."""
    args = arguments()
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = stack.enter_context(running(folder / "service", free_port()))
        backends: dict[str, dict[str, str]] = {
            "sqlite": {},
            "file": {"MELTANO_STATE_BACKEND_URI": "file://PROJECT/states"},
        }
        if list(Path("/usr/lib/postgresql").glob("*/bin/initdb")):
            backends["postgres"] = {"MELTANO_DATABASE_URI": stack.enter_context(postgres(folder / "pg"))}
        ours = {"MELTANO_STATE_BACKEND_URI": url.replace("http", "statehouse", 1)}
        backends["statehouse"] = ours
        backends["waited for"] = ours | {"MELTANO_STATE_BACKEND_STATEHOUSE_LINGER_SECONDS": "0"}
        port = stack.enter_context(clickhouse(folder / "clickhouse"))
        if args.addon:
            backends["addon"] = {"MELTANO_STATE_BACKEND_URI": f"clickhouse://default:@127.0.0.1:{port}/default"}

        # A service that has run for a while is what is measured: a JVM takes thousands of calls to get up to speed.
        warm_up(url, 40)
        measure("statehouse", ours, max(args.sizes), folder)
        best: dict[tuple[str, int], float] = {}
        for number in range(args.rounds):
            for size in args.sizes:
                for name, settings in backends.items():
                    if name == "addon" and (size != min(args.sizes) or number):
                        continue
                    seconds = measure(name, settings, size, folder)
                    best[name, size] = min(seconds, best.get((name, size), seconds))
                    print(f"round {number + 1}: {name:10} n={size:4} {seconds:7.2f} s", file=sys.stderr, flush=True)
        per_message = algorithm(port, 10)
    report(args.sizes, list(backends), best, per_message, args.markdown)


def report(
    sizes: list[int], names: list[str], best: dict[tuple[str, int], float], algorithm_s: float, file: Path | None
) -> None:
    """Print the table and the ratios."""
    lines = ["| n | " + " | ".join(names) + " |", "| --- |" + " --- |" * len(names)]
    for size in sizes:
        cells = [f"{best[name, size]:.1f} s" if (name, size) in best else "–" for name in names]
        lines.append(f"| {size} | " + " | ".join(cells) + " |")
    lines.append("")
    small, large = min(sizes), max(sizes)
    ours = best["statehouse", large]
    lines.append(f"- {large} messages, statehouse to sqlite: {ours / best['sqlite', large]:.2f} (at most 1.2)")
    if ("postgres", large) in best:
        lines.append(f"- {large} messages, statehouse to postgres: {ours / best['postgres', large]:.2f} (at most 0.5)")
    lines.append(f"- the add-on's statements for one message: {algorithm_s * 1000:.0f} ms")
    if ("addon", small) in best:
        addon = (best["addon", small] - best["file", small]) / small
        lines.append(f"- one message on the add-on: {addon * 1000:.0f} ms")
    for name in ("statehouse", "waited for") if large > small else ():
        message = (best[name, large] - best[name, small]) / (large - small)
        lines.append(f"- one more message, {name}: {message * 1000:.1f} ms, all of Meltano's own work included")
        lines.append(f"  - to the add-on's statements: {share(message, algorithm_s)} (at most 1/50)")
        if ("addon", small) in best:
            lines.append(f"  - to the add-on: {share(message, addon)}")
    print("\n".join(lines))
    if file:
        file.write_text("\n".join(lines) + "\n")


def share(part: float, whole: float) -> str:
    """Say how small a part is; noise can make it nothing at all."""
    return f"1/{whole / part:.0f}" if part > 0 else "too small to be measured"


if __name__ == "__main__":
    main()
