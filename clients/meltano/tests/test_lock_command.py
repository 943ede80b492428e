"""`statehouse lock`, as a shell sees it."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import signal
import subprocess
import sys
import time
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from conftest import free_port, unignored
from test_manager import break_lock, renewals, until

if TYPE_CHECKING:
    from collections.abc import Iterator

    import httpx

    from conftest import Stub
    from proxy import Proxy

COMMAND = str(Path(sys.executable).parent / "statehouse")


def environment(url: str) -> dict[str, str]:
    return {**os.environ, "STATEHOUSE_URL": url}


def lock(url: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, "lock", *arguments], env=environment(url), text=True, capture_output=True, timeout=60, check=False
    )


@contextlib.contextmanager
def started(url: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [COMMAND, "lock", *arguments],
        env=environment(url),
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=unignored,  # noqa: PLW1509
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def held(http: httpx.Client, state_id: str) -> bool:
    return http.get(f"/locks/{state_id}").status_code == 200


def test_the_command_runs_under_the_lock(service: str, state_id: str, http: httpx.Client) -> None:
    script = (
        'test "$STATEHOUSE_FENCING_TOKEN" -gt 0 && '
        'curl -sS -X PUT -H "Lock-Token: $STATEHOUSE_LOCK_TOKEN" -H "Content-Type: application/json" '
        '-d "{\\"completed_state\\":{\\"token\\":$STATEHOUSE_FENCING_TOKEN}}" "$STATEHOUSE_STATE_URL" >/dev/null && '
        'curl -sS "$STATEHOUSE_URL/locks"'
    )
    done = lock(service, state_id, "--owner", "me myself", "--", "sh", "-c", script)
    assert done.returncode == 0, done.stderr
    assert '"owner":"me myself"' in done.stdout
    token = http.get(f"/states/{state_id}").json()["completed_state"]["token"]
    assert f'"fencing_token":{token},' in done.stdout
    assert not held(http, state_id)
    assert int(lock(service, state_id, "--", "sh", "-c", "echo $STATEHOUSE_FENCING_TOKEN").stdout) > token


@pytest.mark.parametrize(
    ("command", "code"),
    [(["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -9 $$"], 137), (["/no/such"], 127), (["/etc/passwd"], 126)],
)
def test_the_exit_code_comes_back(
    service: str, state_id: str, http: httpx.Client, command: list[str], code: int
) -> None:
    assert lock(service, state_id, "--", *command).returncode == code
    assert not held(http, state_id)


def test_arguments_of_the_command_are_its_own(service: str, state_id: str) -> None:
    assert lock(service, state_id, "--", "echo", "--ttl", "x", "--", "-h").stdout == "--ttl x -- -h\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1])
def test_signals_are_passed_on(service: str, state_id: str, http: httpx.Client, number: signal.Signals) -> None:
    name = number.name[3:]
    script = f"trap 'echo got; exit 3' {name}; echo ready; sleep 60 >/dev/null 2>&1 & wait; wait"
    with started(service, state_id, "--", "sh", "-c", script) as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
        assert (process.returncode, out) == (3, "got\n"), err
    assert not held(http, state_id)


def test_a_signal_reaches_all_of_a_pipeline(service: str, state_id: str) -> None:
    with started(service, state_id, "--", "sh", "-c", "echo ready; sleep 60 | cat") as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGTERM)
        # The pipe closes only when the whole pipeline has ended.
        process.communicate(timeout=20)
        assert process.returncode == 128 + signal.SIGTERM


def test_it_renews(service: str, state_id: str, http: httpx.Client) -> None:
    with started(service, state_id, "--ttl", "6", "--", "sleep", "9") as process:
        until(lambda: held(http, state_id), 20)
        token = http.get(f"/locks/{state_id}").json()["fencing_token"]
        time.sleep(8)
        assert http.get(f"/locks/{state_id}").json()["fencing_token"] == token
        process.communicate(timeout=20)
        assert process.returncode == 0


def test_the_command_is_ended_when_the_lock_is_lost(service: str, state_id: str, http: httpx.Client) -> None:
    script = "trap 'echo ended; exit 0' TERM; echo ready; sleep 60 & wait"
    with started(service, state_id, "--ttl", "6", "--", "sh", "-c", script) as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        break_lock(http, state_id)
        assert http.post(f"/locks/{state_id}", json={"owner": "thief"}).is_success
        out, err = process.communicate(timeout=20)
        assert (process.returncode, out) == (76, "ended\n")
        assert "was lost" in err
        assert "now held by 'thief'" in err
    break_lock(http, state_id)


def test_a_lost_lock_ends_the_command_before_anything_else_is_asked(
    proxy: Proxy, state_id: str, http: httpx.Client
) -> None:
    script = "trap 'echo ended; exit 0' TERM; echo ready; sleep 60 & wait"
    with started(proxy.url, state_id, "--ttl", "6", "--", "sh", "-c", script) as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        asked: list[float] = []

        def plan(method: str, _path: str) -> str | None:
            if method == "GET":
                asked.append(time.monotonic())
            return "hang" if method == "GET" else None

        proxy.plan = plan
        break_lock(http, state_id)
        assert process.stdout.readline() == "ended\n"
        ended = time.monotonic()
        # What the text of the error asks for comes after that.
        until(lambda: len(asked) > 0, 10)
        assert asked[0] > ended - 1
        process.communicate(timeout=20)
        assert process.returncode == 76


def test_a_command_that_ends_is_not_kept_by_a_service_that_hangs(
    proxy: Proxy, state_id: str, http: httpx.Client
) -> None:
    with started(proxy.url, state_id, "--ttl", "15", "--", "sh", "-c", "echo ready; read x; echo $x") as process:
        assert process.stdout
        assert process.stdin
        assert process.stdout.readline() == "ready\n"
        proxy.plan = lambda method, _path: "hang" if method == "PUT" else None
        # The first renewal comes after a third of the lease.
        until(lambda: len(renewals(proxy)) > 0, 20)
        before = time.monotonic()
        process.stdin.write("done\n")
        process.stdin.close()
        assert process.stdout.readline() == "done\n"
        assert process.wait(20) == 0
        assert time.monotonic() - before < 4
    assert not held(http, state_id)


@pytest.mark.parametrize("what", ["cut", "hang"])
def test_the_command_is_ended_before_the_lease_is_over_when_the_service_is_away(
    proxy: Proxy, state_id: str, http: httpx.Client, what: str
) -> None:
    script = (
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(print(time.time())))\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)\n"
    )
    with started(proxy.url, state_id, "--ttl", "6", "--", sys.executable, "-c", script) as process:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        proxy.plan = lambda _method, _path: what
        expires = datetime.fromisoformat(http.get(f"/locks/{state_id}").json()["expires_at"].replace("Z", "+00:00"))
        out, err = process.communicate(timeout=30)
        assert process.returncode == 76
        assert f"{proxy.url} does not answer" in err
        assert float(out) < expires.timestamp()


def test_a_wait_of_a_second_waits(service: str, state_id: str, http: httpx.Client) -> None:
    assert http.post(f"/locks/{state_id}", json={"owner": "other", "ttl_seconds": 60}).is_success
    started_at = time.monotonic()
    assert lock(service, state_id, "--wait", "1", "--", "echo", "never").returncode == 75
    assert time.monotonic() - started_at > 1
    break_lock(http, state_id)


def test_a_token_in_the_address_is_handed_on(service: str, state_id: str) -> None:
    url = service.replace("http://", "http://s3cret@")
    script = 'echo "$STATEHOUSE_URL $STATEHOUSE_TOKEN"'
    assert lock(url, state_id, "--", "sh", "-c", script).stdout == f"{service} s3cret\n"


def test_somebody_else_holds_it(service: str, state_id: str, http: httpx.Client) -> None:
    assert http.post(f"/locks/{state_id}", json={"owner": "other"}).is_success
    done = lock(service, state_id, "--wait", "0", "--", "echo", "never")
    assert (done.returncode, done.stdout) == (75, "")
    assert "locked by 'other' until" in done.stderr
    break_lock(http, state_id)


def test_it_waits_its_turn(service: str, state_id: str, http: httpx.Client) -> None:
    assert http.post(f"/locks/{state_id}", json={"owner": "other", "ttl_seconds": 2}).is_success
    assert lock(service, state_id, "--wait", "30", "--", "echo", "now").stdout == "now\n"


def test_ended_while_it_waits_it_leaves_the_queue(service: str, state_id: str, http: httpx.Client) -> None:
    assert http.post(f"/locks/{state_id}", json={"owner": "other", "ttl_seconds": 60}).is_success
    with started(service, state_id, "--wait", "300", "--", "echo", "never") as process:
        until(lambda: http.get(f"/locks/{state_id}").json()["waiting"] == 1, 20)
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=20)[0] == ""
        assert process.returncode == 128 + signal.SIGTERM
    assert http.get(f"/locks/{state_id}").json()["waiting"] == 0
    break_lock(http, state_id)


def test_nobody_is_there(state_id: str) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    done = lock(url, state_id, "--", "echo", "never")
    assert (done.returncode, done.stdout) == (69, "")
    assert f"{url} does not answer" in done.stderr


@pytest.mark.parametrize("status", [401, 403])
def test_who_may_not_is_told_apart_from_nobody_there(stub: Stub, state_id: str, status: int) -> None:
    url = stub.serve(f'{{"status": {status}, "code": "no", "detail": "Not with this token."}}', status)
    done = lock(url, state_id, "--", "echo", "never")
    assert (done.returncode, done.stdout) == (77, "")
    assert "Not with this token." in done.stderr


@pytest.mark.parametrize("arguments", [["--ttl", "0"], ["--wait", "-1"], ["--url", "localhost:8080"], ["--nonsense"]])
def test_wrong_arguments(service: str, state_id: str, arguments: list[str]) -> None:
    done = lock(service, state_id, *arguments, "--", "echo", "never")
    assert (done.returncode, done.stdout) == (2, "")


def test_ctrl_c_at_a_terminal_comes_once(service: str, state_id: str, http: httpx.Client) -> None:
    script = "n=0; trap 'n=$((n+1))' INT; echo ready; sleep 1; sleep 1; echo times=$n; exit $n"
    child, terminal = pty.fork()
    if child == 0:
        try:
            unignored()
            os.execve(COMMAND, [COMMAND, "lock", state_id, "--", "sh", "-c", script], environment(service))
        finally:
            os._exit(127)
    seen = b""

    def read() -> bytes:
        if not select.select([terminal], [], [], 30)[0]:
            os.kill(child, signal.SIGKILL)
            raise AssertionError(seen)
        return os.read(terminal, 1000)

    while b"ready" not in seen:
        seen += read()
    os.write(terminal, b"\x03")
    with contextlib.suppress(OSError):
        while data := read():
            seen += data
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 1, seen
    assert not held(http, state_id)
