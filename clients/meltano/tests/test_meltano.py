"""The real Meltano on the add-on, with a tap and a target that need no network."""

from __future__ import annotations

import json
import signal
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from conftest import ROOT, free_port, running
from test_manager import until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import httpx

    from conftest import Meltano

    Make = Callable[..., Meltano]

RUN = "dev:tap-numbers-to-target-file"
ODD = f"{RUN}:a/b%2Fc 100%"


def seen(document: Any) -> Any:
    return document["singer_state"]["bookmarks"]["numbers"]["seen"]


def numbers(meltano: Meltano) -> list[int]:
    file = meltano.folder / "records.jsonl"
    return [json.loads(line)["n"] for line in file.read_text().splitlines()] if file.exists() else []


def locked(http: httpx.Client, state_id: str) -> bool:
    return http.get("/locks/" + quote(state_id, safe="")).status_code != 404


@pytest.fixture(autouse=True)
def _no_states(http: httpx.Client) -> None:
    # A lock that the last test has left may last a few seconds more.
    until(lambda: http.delete("/states?pattern=*").status_code == 200, 30, pause=0.3)


def test_a_run_goes_on_where_the_last_one_ended(service: str, project: Make, http: httpx.Client) -> None:
    meltano = project(service)
    meltano.run("run", "tap-numbers", "target-file")
    assert numbers(meltano) == [1, 2, 3]
    assert seen(http.get(f"/states/{RUN}").json()["completed_state"]) == 3
    meltano.run("run", "tap-numbers", "target-file")
    assert numbers(meltano) == [1, 2, 3, 4, 5, 6]
    assert seen(http.get(f"/states/{RUN}?view=merged").json()) == 6
    assert not locked(http, RUN)


def test_suffixes_with_slash_and_percent(service: str, project: Make, http: httpx.Client) -> None:
    meltano = project(service)
    meltano.run("run", "--state-id-suffix", "a/b%2Fc 100%", "tap-numbers", "target-file")
    assert http.get("/states").json()["states"][0]["state_id"] == ODD
    meltano.run("run", "--state-id-suffix", "a/b%2Fc 100%", "tap-numbers", "target-file")
    assert numbers(meltano) == [1, 2, 3, 4, 5, 6]


def test_settings_override_the_uri(service: str, project: Make) -> None:
    meltano = project(
        "statehouse://nowhere.invalid:1",
        MELTANO_STATE_BACKEND_STATEHOUSE_HOST="127.0.0.1",
        MELTANO_STATE_BACKEND_STATEHOUSE_PORT=service.rsplit(":", 1)[1],
        MELTANO_STATE_BACKEND_STATEHOUSE_LOCK_WAIT_SECONDS="5",
    )
    meltano.run("state", "set", "--force", "x", '{"singer_state": {"a": 1}}')
    assert json.loads(meltano.run("state", "get", "x")) == {"singer_state": {"a": 1}}


def test_what_meltano_says_when_nobody_is_there(project: Make) -> None:
    port = free_port()
    with ThreadPoolExecutor() as pool:
        away = pool.submit(project(f"http://127.0.0.1:{port}").attempt, "state", "list")
        missing = pool.submit(project("statehouse://").attempt, "state", "list")
    code, out, err = away.result()
    assert code == 1
    assert f"http://127.0.0.1:{port} does not answer" in out + err
    assert "Traceback" not in out + err
    code, out, err = missing.result()
    assert code == 1
    assert "state_backend.statehouse.host" in out + err


def test_the_next_part_of_a_run_sees_what_the_one_before_it_wrote(
    service: str, project: Make, http: httpx.Client
) -> None:
    meltano = project(service)
    blocks = ["tap-numbers", "target-file"] * 3
    # It is stored in time only if the next part waits for it.
    meltano.run("run", *blocks, TAP_NUMBERS_COUNT="50", MELTANO_STATE_BACKEND_STATEHOUSE_LINGER_SECONDS="1")
    assert numbers(meltano) == list(range(1, 151))
    assert seen(http.get(f"/states/{RUN}").json()["completed_state"]) == 150


def test_it_works_on_settle(project: Make, tmp_path: Path) -> None:
    with running(tmp_path / "settling", free_port(), "--statehouse.lock.strategy=settle") as url:
        meltano = project(url)
        meltano.run("run", "tap-numbers", "target-file", TAP_NUMBERS_COUNT="20")
        meltano.run("run", "tap-numbers", "target-file", TAP_NUMBERS_COUNT="20")
        assert numbers(meltano) == list(range(1, 41))
        started = [
            meltano.start("state", "merge", "together", f'{{"singer_state": {{"n{n}": {n}}}}}') for n in range(3)
        ]
        for process in started:
            _, err = process.communicate(timeout=120)
            assert process.returncode == 0, err
        merged = json.loads(meltano.run("state", "get", "together"))
        assert merged == {"singer_state": {f"n{n}": n for n in range(3)}}


# The pause of SIGTERM is shorter than the add-on lingers. A write that is about to be sent dies with who is killed.
@pytest.mark.parametrize(
    ("number", "pause", "missing"), [(signal.SIGTERM, "0.02", {0, 1}), (signal.SIGKILL, "0.2", {-1, 0, 1})]
)
def test_a_run_that_is_ended_keeps_what_it_wrote(  # noqa: PLR0917
    service: str, project: Make, http: httpx.Client, number: signal.Signals, pause: str, missing: set[int]
) -> None:
    meltano = project(service, MELTANO_STATE_BACKEND_LOCK_TIMEOUT_SECONDS="3")
    run = meltano.start("run", "tap-numbers", "target-file", TAP_NUMBERS_COUNT="1000", TAP_NUMBERS_PAUSE=pause)
    end = time.monotonic() + 60
    while (answer := http.get(f"/states/{RUN}")).status_code == 404 or seen(answer.json()["completed_state"]) < 3:
        assert time.monotonic() < end
        assert run.poll() is None, run.communicate()
        time.sleep(0.1)
    run.send_signal(number)
    out, err = run.communicate(timeout=60)
    told = (out + err).count("Incremental state has been updated")
    until(lambda: not locked(http, RUN), 3 + 3)
    # A write that was on its way when Meltano was killed has arrived by now.
    stored = seen(http.get(f"/states/{RUN}?view=merged").json())
    # One that was stored may not have been told any more; one that was told is stored.
    assert told >= 2
    assert stored - told in missing
    done = numbers(meltano)
    # Meltano itself takes a run that was killed for one that goes on.
    meltano.run("run", "--force", "tap-numbers", "target-file", TAP_NUMBERS_COUNT="1")
    assert numbers(meltano)[len(done) :] == [stored + 1]


def test_eight_merges_at_once_lose_nothing(service: str, project: Make, http: httpx.Client) -> None:
    meltano = project(service, MELTANO_STATE_BACKEND_STATEHOUSE_LOCK_WAIT_SECONDS="120")
    texts = [json.dumps({"singer_state": {"bookmarks": {f"stream{n}": {"n": n}}}}) for n in range(8)]
    started = [meltano.start("state", "merge", "together", text) for text in texts]
    for process in started:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    partial = http.get("/states/together").json()["partial_state"]
    assert partial == {"singer_state": {"bookmarks": {f"stream{n}": {"n": n} for n in range(8)}}}


class Both:
    """The same commands on systemdb and on Statehouse."""

    def __init__(self, project: Make, service: str, http: httpx.Client) -> None:
        self.systemdb, self.statehouse = project("systemdb"), project(service)
        self.http = http
        self.pool = ThreadPoolExecutor(2)

    def __call__(self, *arguments: str, stdin: str = "", ok: bool = True, **settings: str) -> str:
        futures = [
            self.pool.submit(meltano.attempt, *arguments, stdin=stdin, **settings)
            for meltano in (self.systemdb, self.statehouse)
        ]
        (code, out, err), (code2, out2, err2) = (future.result() for future in futures)
        assert code == code2, f"{arguments}\n{err}\n{err2}"
        assert (code == 0) == ok, f"{arguments}\n{err}\n{err2}"
        if arguments[:2] == ("state", "export"):
            assert halves(json.loads(out)) == halves(json.loads(out2))
        else:
            assert sorted(out.splitlines()) == sorted(out2.splitlines()), arguments
        assert halves(self.rows()) == halves(self.http.get("/export").json()), arguments
        return out2

    def rows(self) -> dict[str, Any]:
        with sqlite3.connect(self.systemdb.folder / ".meltano" / "meltano.db") as connection:
            rows = connection.execute("SELECT state_id, completed_state, partial_state FROM state").fetchall()
        return {
            row[0]: {"completed": json.loads(row[1] or "{}"), "partial": json.loads(row[2] or "{}")} for row in rows
        }


def halves(export: dict[str, Any]) -> dict[str, Any]:
    return {k: (v["completed"] or {}, v["partial"] or {}) for k, v in export.items()}


def test_state_commands_give_what_systemdb_gives(
    service: str, project: Make, http: httpx.Client, tmp_path: Path
) -> None:
    both = Both(project, service, http)
    file = tmp_path / "state.json"
    file.write_text('{"singer_state": {"bookmarks": {"file": {"since": "2026-11-01", "n": [1, 2], "x": null}}}}')
    both("state", "set", "--force", ODD, '{"singer_state": {"bookmarks": {"a": {"n": 1, "m": 1}}}}')
    both("state", "merge", ODD, '{"singer_state": {"bookmarks": {"a": {"n": 2}, "ä😀": 9007199254740993}}}')
    assert json.loads(both("state", "get", ODD)) == {
        "singer_state": {"bookmarks": {"a": {"n": 2, "m": 1}, "ä😀": 9007199254740993}}
    }
    both("state", "merge", ODD, "--input-file", str(file))
    both("state", "set", "--force", "other", "--input-file", str(file))
    both("state", "merge", "--from-state-id", ODD, "other")
    both("state", "copy", "--force", "other", "prod:tap-numbers-to-target-file")
    both("state", "move", "--force", "other", "moved/50%")
    both("state", "get", "--format", "pretty", "moved/50%")
    assert json.loads(both("state", "get", "other")) == {}
    assert both("state", "list", "--pattern", "*tap-numbers*").splitlines() == [ODD, "prod:tap-numbers-to-target-file"]
    both("state", "list", "--pattern", "moved*")
    both("state", "list", "--pattern", "nothing*")
    editor = tmp_path / "editor.sh"
    editor.write_text('#!/bin/sh\nsed \'s/"m": 1/"m": 42/\' "$1" > "$1.new" && mv "$1.new" "$1"\n')
    editor.chmod(0o755)
    both("state", "edit", "--force", ODD, EDITOR=str(editor))
    assert json.loads(both("state", "get", ODD))["singer_state"]["bookmarks"]["a"]["m"] == 42
    both("state", "set", "--force", ODD, '{"no_singer_state": 1}', ok=False)
    both("state", "set", "--force", "--no-validate", "raw", '{"no_singer_state": 1}')
    exported = both("state", "export")
    both("state", "clear", "--force", "raw")
    both("state", "clear", "--force", "was never there")
    both("state", "import", stdin=json.dumps({"new": {"completed": {}, "partial": {"singer_state": {"p": 1}}}}))
    both("state", "import", "-", stdin=exported)
    both("state", "list")
    both("state", "clear", "--all", "--force")
    assert both("state", "list") == ""


def test_runs_give_what_systemdb_gives(service: str, project: Make, http: httpx.Client) -> None:
    both = Both(project, service, http)
    both("run", "tap-numbers", "target-file")
    both("run", "tap-numbers", "target-file", TAP_NUMBERS_FAIL_AFTER="2", ok=False)
    both("run", "tap-numbers", "target-file")
    both("run", "--full-refresh", "tap-numbers", "target-file")
    assert numbers(both.systemdb) == numbers(both.statehouse) == [1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3]
    both("el", "tap-numbers", "target-file", "--state-id", "el/1")
    both("el", "tap-numbers", "target-file", "--state-id", "el/1", TAP_NUMBERS_FAIL_AFTER="1", ok=False)
    both("el", "tap-numbers", "target-file", "--state-id", "el/1")


def test_all_states_move_over_from_systemdb_and_back(service: str, project: Make) -> None:
    """The two pipes of the README, as they stand there."""
    there, back = readme_lines(service)
    old = project("systemdb")
    states: dict[str, Any] = {
        f"dev:tap-numbers-to-target-file:{n}": {
            "completed": {"singer_state": {"n": n}},
            "partial": {"singer_state": {"p": n}} if n % 2 else {},
        }
        for n in range(10)
    }
    old.run("state", "import", stdin=json.dumps(states))
    empty: dict[str, Any] = {"dev:empty": {"completed": {}, "partial": {}}}
    with sqlite3.connect(old.folder / ".meltano" / "meltano.db") as connection:
        connection.execute(
            "INSERT INTO state (state_id, completed_state, partial_state, updated_at) "
            "VALUES ('dev:empty', '{}', '{}', '2026-11-01 00:00:00')"
        )
    assert json.loads(old.run("state", "export")) == states | empty
    assert json.loads(old.shell(there)) == {"imported": 11, "skipped": []}
    assert json.loads(project(service).run("state", "export")) == states
    new = project("systemdb")
    new.shell(back)
    assert json.loads(new.run("state", "export")) == states


def readme_lines(service: str) -> list[str]:
    text = (ROOT / "clients" / "meltano" / "README.md").read_text()
    section = text.split("## Moving over from another backend, and back")[1].split("\n## ")[0]
    blocks = [block.split("```")[0] for block in section.split("```sh\n")[1:]]
    assert all("http://localhost:8080" in block for block in blocks)
    return [block.replace("http://localhost:8080", service) for block in blocks]
