"""Writes that nobody waits for: from the third update in a row on, the newest state is written in the background."""

from __future__ import annotations

import gc
import json
import logging
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from meltano.core.state_store.base import MeltanoState, StateIDLockedError

from meltano_state_backend_statehouse import behind
from meltano_state_backend_statehouse import service as service_module
from meltano_state_backend_statehouse.backend import StatehouseError, StatehouseStateStoreManager
from meltano_state_backend_statehouse.behind import Behind
from test_manager import break_lock, until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import httpx

    from proxy import Proxy

    Make = Callable[..., StatehouseStateStoreManager]
    Keep = Callable[[float], None]


class Gate:
    """A plan for the proxy: while it is shut, writes of states wait in front of the service."""

    def __init__(self, proxy: Proxy) -> None:
        self.proxy = proxy
        self.url = proxy.url
        self._open = threading.Event()
        self._open.set()
        proxy.plan = self._plan

    def _plan(self, method: str, path: str) -> None:
        if method == "PUT" and path.startswith("/states"):
            assert self._open.wait(60)

    def shut(self) -> None:
        self._open.clear()

    def open(self) -> None:
        self._open.set()


@pytest.fixture
def gate(proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    made = Gate(proxy)
    # Whoever is ahead for too long would wait for a gate that it is to open itself.
    monkeypatch.setattr(behind, "LONGEST_LAG", 60.0)
    yield made
    made.open()


@pytest.fixture(autouse=True)
def _long(keep: Keep) -> None:
    keep(30)


def message(state_id: str, n: int) -> MeltanoState:
    return MeltanoState(state_id, partial_state={"singer_state": {"n": n, f"k{n}": n}})


def merged(*numbers: int) -> dict[str, Any]:
    return {"singer_state": {"n": numbers[-1], **{f"k{n}": n for n in numbers}}}


def stored(http: httpx.Client, state_id: str) -> dict[str, Any] | None:
    answer = http.get(f"/states/{quote(state_id, safe='')}")
    return answer.json()["partial_state"] if answer.is_success else None


def in_a_row(manager: StatehouseStateStoreManager, state_id: str) -> None:
    """The two updates that are waited for."""
    manager.update(message(state_id, 1))
    manager.update(message(state_id, 2))


def hold_back(gate: Gate, manager: StatehouseStateStoreManager, state_id: str) -> None:
    """A third, which is taken and cannot be written."""
    in_a_row(manager, state_id)
    gate.shut()
    manager.update(message(state_id, 3))


def writes(proxy: Proxy) -> list[bytes]:
    return [
        body
        for (method, path), body in zip(proxy.requests, proxy.bodies, strict=False)
        if method == "PUT" and path.startswith("/states")
    ]


def test_the_first_two_are_waited_for(gate: Gate, manager_at: Make, state_id: str, http: httpx.Client) -> None:
    manager = manager_at(gate.url)
    in_a_row(manager, state_id)
    assert stored(http, state_id) == merged(1, 2)
    gate.shut()
    manager.update(message(state_id, 3))
    assert stored(http, state_id) == merged(1, 2)
    gate.open()
    manager.close()
    assert stored(http, state_id) == merged(1, 2, 3)


def test_of_those_that_come_meanwhile_the_last_is_written(
    gate: Gate, manager_at: Make, state_id: str, http: httpx.Client
) -> None:
    manager = manager_at(gate.url)
    hold_back(gate, manager, state_id)
    until(lambda: len(writes(gate.proxy)) == 3)
    for n in range(4, 20):
        manager.update(message(state_id, n))
    gate.open()
    manager.close()
    assert stored(http, state_id) == merged(*range(1, 20))
    assert len(writes(gate.proxy)) == 4


def test_between_two_writes_is_the_time_that_was_set(proxy: Proxy, manager_at: Make, state_id: str) -> None:
    manager = manager_at(proxy.url, linger_seconds=0.4)
    in_a_row(manager, state_id)
    end = time.monotonic() + 2
    n = 2
    while time.monotonic() < end:
        n += 1
        manager.update(message(state_id, n))
        time.sleep(0.005)
    manager.close()
    assert 4 <= len(writes(proxy)) <= 9
    assert json.loads(writes(proxy)[-1])["partial_state"]["singer_state"]["n"] == n


def test_without_a_row_each_is_waited_for(gate: Gate, manager_at: Make, state_id: str, http: httpx.Client) -> None:
    manager = manager_at(gate.url)
    for n in range(1, 6):
        with manager.acquire_lock(f"{state_id}:{n}"):
            manager.update(message(f"{state_id}:{n}", n))
            manager.update(message(f"{state_id}:{n}", n + 1))
            gate.shut()
            threading.Timer(0.1, gate.open).start()
            # Its turn began with a write that was waited for, and has not ended since.
            manager.update(message(f"{state_id}:{n}", n + 2))
            assert stored(http, f"{state_id}:{n}") == merged(n, n + 1, n + 2)


def test_whatever_reads_in_this_process_waits_for_it(gate: Gate, manager_at: Make, state_id: str) -> None:
    manager, other = manager_at(gate.url), manager_at(gate.url)
    reads: list[Callable[[], Any]] = [
        lambda: manager.get(state_id),
        lambda: other.get(state_id),
        lambda: next(iter(other.get_all(state_id))),
        lambda: next(other.get(found) for found in other.get_state_ids(state_id)),
    ]
    in_a_row(manager, state_id)
    for n, read in enumerate(reads, 3):
        gate.shut()
        manager.update(message(state_id, n))
        threading.Timer(0.2, gate.open).start()
        assert read().partial_state == merged(*range(1, n + 1))


def test_under_the_lock_it_is_known_without_waiting(gate: Gate, manager_at: Make, state_id: str) -> None:
    manager = manager_at(gate.url)
    hold_back(gate, manager, state_id)
    with manager.acquire_lock(state_id):
        found = manager.get(state_id)
    gate.open()
    assert found
    assert found.partial_state == merged(1, 2, 3)


@pytest.mark.parametrize("last", ["delete", "set_all", "clear_all"])
def test_what_comes_after_it_is_done_after_it(
    gate: Gate, manager_at: Make, state_id: str, http: httpx.Client, last: str
) -> None:
    manager = manager_at(gate.url)
    hold_back(gate, manager, state_id)
    threading.Timer(0.2, gate.open).start()
    if last == "delete":
        manager.clear(state_id)
    elif last == "clear_all":
        manager.clear_all()
    else:
        manager.set_all([message(state_id, 9)])
    # It did not meet our own lock.
    assert len([path for _, path in gate.proxy.calls() if path.startswith("/import")]) == (last == "set_all")
    # What was on its way would have arrived by now, under a lease that is still kept.
    time.sleep(0.6)
    assert stored(http, state_id) == (merged(9) if last == "set_all" else None)


def test_who_waits_for_the_lock_gets_it_and_what_was_written(
    proxy: Proxy, service: str, manager_at: Make, state_id: str, keep: Keep
) -> None:
    # There is always something to be written, so that the lease is never unused by itself.
    first = manager_at(proxy.url, linger_seconds=0.3)
    in_a_row(first, state_id)
    keep(0.5)
    second = manager_at(service)
    n = 2
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(second.update, message(state_id, 10_000))
        end = time.monotonic() + 20
        while not waiting.done():
            assert time.monotonic() < end
            n += 1
            first.update(message(state_id, n))
            time.sleep(0.005)
        waiting.result()
    first.close()
    second.close()
    found = manager_at(service).get(state_id)
    assert found
    assert found.partial_state
    # Nothing of either is missing.
    assert set(found.partial_state["singer_state"]) == {"n", "k10000", *(f"k{x}" for x in range(1, n + 1))}


def test_who_waits_gets_it_also_if_no_other_message_comes(
    gate: Gate, service: str, manager_at: Make, state_id: str, http: httpx.Client
) -> None:
    first, second = manager_at(gate.url), manager_at(service)
    hold_back(gate, first, state_id)
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(second.update, message(state_id, 4))
        until(lambda: http.get(f"/locks/{state_id}").json()["waiting"] == 1)
        gate.open()
        waiting.result(10)
    assert stored(http, state_id) == merged(1, 2, 3, 4)


def test_the_lease_is_kept_until_it_is_written(
    gate: Gate, manager_at: Make, state_id: str, http: httpx.Client, keep: Keep
) -> None:
    keep(1)
    manager = manager_at(gate.url)
    hold_back(gate, manager, state_id)
    time.sleep(2)
    assert http.get(f"/locks/{state_id}").status_code == 200
    gate.open()
    until(lambda: http.get(f"/locks/{state_id}").status_code == 404)
    assert stored(http, state_id) == merged(1, 2, 3)


def test_a_lease_that_was_broken_is_taken_anew_and_nothing_is_missing(
    gate: Gate, manager_at: Make, state_id: str, http: httpx.Client
) -> None:
    manager = manager_at(gate.url)
    hold_back(gate, manager, state_id)
    manager.update(message(state_id, 4))
    break_lock(http, state_id)
    gate.open()
    failed(manager, state_id)
    assert stored(http, state_id) == merged(1, 2)
    manager.update(message(state_id, 5))
    assert stored(http, state_id) == merged(1, 2, 3, 4, 5)


def test_a_lease_that_was_broken_is_taken_anew_at_the_end(
    gate: Gate, manager_at: Make, state_id: str, http: httpx.Client
) -> None:
    manager = manager_at(gate.url)
    hold_back(gate, manager, state_id)
    break_lock(http, state_id)
    gate.open()
    manager.close()
    assert stored(http, state_id) == merged(1, 2, 3)
    assert http.get(f"/locks/{state_id}").status_code == 404


def test_what_others_wrote_after_a_lease_was_broken_stays(
    gate: Gate, manager_at: Make, state_id: str, http: httpx.Client
) -> None:
    manager = manager_at(gate.url)
    lose_to_somebody(gate, manager, state_id, http)
    failed(manager, state_id)
    with pytest.raises(StateIDLockedError, match="was lost"):
        manager.update(message(state_id, 4))
    assert stored(http, state_id) == merged(77)
    manager.update(message(state_id, 5))
    assert stored(http, state_id) == merged(77, 5)


def test_what_others_wrote_after_a_lease_was_broken_stays_at_the_end(
    gate: Gate, manager_at: Make, state_id: str, http: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    manager = manager_at(gate.url)
    lose_to_somebody(gate, manager, state_id, http)
    with caplog.at_level(logging.ERROR):
        manager.close()
    assert f"The last state of {state_id} was not written: The lock of {state_id} was lost" in caplog.text
    assert stored(http, state_id) == merged(77)


def lose_to_somebody(gate: Gate, manager: StatehouseStateStoreManager, state_id: str, http: httpx.Client) -> None:
    hold_back(gate, manager, state_id)
    break_lock(http, state_id)
    assert http.put(f"/states/{state_id}", json={"partial_state": merged(77)}).is_success
    gate.open()


def test_a_run_is_never_far_ahead_and_is_told_when_the_service_stays_away(
    proxy: Proxy, manager_at: Make, state_id: str, http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = manager_at(proxy.url, lock_timeout_seconds=60)
    in_a_row(manager, state_id)
    monkeypatch.setattr(service_module.Service.call, "__kwdefaults__", {**KWDEFAULTS, "patience": 2.0})
    proxy.plan = lambda _method, _path: "503"
    started = time.monotonic()
    n = 2
    while time.monotonic() - started < 0.5:
        n += 1
        manager.update(message(state_id, n))
        time.sleep(0.02)
    assert time.monotonic() - started < 0.95
    time.sleep(0.7)
    n += 1
    with pytest.raises(StatehouseError, match=f"{proxy.url} does not answer"):
        manager.update(message(state_id, n))
    # What came in the first second was taken; the next one waited until the writes had failed. So did the one after.
    with pytest.raises(StatehouseError, match=f"{proxy.url} does not answer"):
        manager.update(message(state_id, n + 1))
    assert 2 < time.monotonic() - started < 10
    assert n > 10
    assert stored(http, state_id) == merged(1, 2)
    proxy.plan = lambda _method, _path: None
    manager.update(message(state_id, n + 2))
    manager.close()
    # All but the two that were refused.
    assert stored(http, state_id) == merged(*range(1, n), n + 2)


def test_a_write_whose_answer_is_lost_is_made_once(
    proxy: Proxy, manager_at: Make, state_id: str, http: httpx.Client
) -> None:
    manager = manager_at(proxy.url)
    in_a_row(manager, state_id)
    proxy.once("drop", "PUT", "/states", times=2)
    manager.update(message(state_id, 3))
    manager.close()
    assert stored(http, state_id) == merged(1, 2, 3)


def test_what_is_refused_is_said_and_the_next_is_written(
    manager: StatehouseStateStoreManager, state_id: str, http: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    in_a_row(manager, state_id)
    bad: Any = ["no", "object"]
    manager.update(MeltanoState(state_id, completed_state=bad))
    failed(manager, state_id)
    with caplog.at_level(logging.ERROR):
        manager.update(message(state_id, 3))
    assert f"The last state of {state_id} was not written: completed_state must be a JSON object" in caplog.text
    manager.close()
    assert stored(http, state_id) == merged(1, 2, 3)


def test_what_failed_and_could_not_be_caught_up_with_is_written_later(
    proxy: Proxy, gate: Gate, manager_at: Make, state_id: str, http: httpx.Client
) -> None:
    manager = manager_at(gate.url)
    hold_back(gate, manager, state_id)
    manager.update(message(state_id, 4))
    break_lock(http, state_id)
    gate.open()
    failed(manager, state_id)
    proxy.once((500, {"code": "internal"}), "GET", "/states/")
    with pytest.raises(StatehouseError, match="HTTP 500"):
        manager.update(message(state_id, 5))
    manager.update(message(state_id, 6))
    manager.close()
    assert stored(http, state_id) == merged(1, 2, 3, 4, 6)


def test_a_write_of_our_own_is_not_taken_for_somebody_elses(
    proxy: Proxy, manager_at: Make, state_id: str, http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = manager_at(proxy.url)
    in_a_row(manager, state_id)
    with monkeypatch.context() as short:
        short.setattr(service_module.Service.call, "__kwdefaults__", {**KWDEFAULTS, "patience": 0.5})
        taken = threading.Event()

        def plan(method: str, path: str) -> str | None:
            if method == "PUT" and path.startswith("/states"):
                assert taken.wait(20)
                return "drop"
            return None

        proxy.plan = plan
        manager.update(message(state_id, 3))
        until(lambda: len(writes(proxy)) > 2)
        manager.update(message(state_id, 4))
        taken.set()
        failed(manager, state_id)
    assert stored(http, state_id) == merged(1, 2, 3)
    proxy.plan = lambda _method, _path: None
    break_lock(http, state_id)
    manager.update(message(state_id, 5))
    manager.close()
    assert stored(http, state_id) == merged(1, 2, 3, 4, 5)


def test_without_a_thread_each_is_waited_for(
    manager: StatehouseStateStoreManager, state_id: str, http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_a_row(manager, state_id)
    start = threading.Thread.start

    def refuse(thread: threading.Thread) -> None:
        if thread.name == "statehouse-writes":
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", refuse)
    for n in range(3, 6):
        manager.update(message(state_id, n))
        assert stored(http, state_id) == merged(*range(1, n + 1))


def test_what_is_left_is_written_at_the_end_when_the_service_is_back(
    proxy: Proxy, manager_at: Make, state_id: str, http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = manager_at(proxy.url)
    fail_behind(proxy, manager, state_id, monkeypatch)
    proxy.plan = lambda _method, _path: None
    manager.close()
    assert stored(http, state_id) == merged(1, 2, 3)
    assert http.get(f"/locks/{state_id}").status_code == 404


def test_who_reads_after_a_failure_gets_the_newest_or_an_error(
    proxy: Proxy, manager_at: Make, state_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = manager_at(proxy.url)
    fail_behind(proxy, manager, state_id, monkeypatch)
    for reader in (manager, manager_at(proxy.url)):
        with pytest.raises(StatehouseError, match=f"{proxy.url} does not answer"):
            reader.get(state_id)
    proxy.plan = lambda _method, _path: None
    found = manager_at(proxy.url).get(state_id)
    assert found
    assert found.partial_state == merged(1, 2, 3)


def fail_behind(
    proxy: Proxy, manager: StatehouseStateStoreManager, state_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_a_row(manager, state_id)
    monkeypatch.setattr(service_module.Service.call, "__kwdefaults__", {**KWDEFAULTS, "patience": 0.5})
    proxy.plan = lambda method, path: "cut" if method == "PUT" and path.startswith("/states") else None
    manager.update(message(state_id, 3))
    failed(manager, state_id)


def test_a_long_linger_is_a_second(manager_at: Make, service: str, state_id: str, http: httpx.Client) -> None:
    manager = manager_at(service, linger_seconds=3600)
    in_a_row(manager, state_id)
    manager.update(message(state_id, 3))
    manager.update(message(state_id, 4))
    until(lambda: stored(http, state_id) == merged(1, 2, 3, 4), 5)


def test_who_reads_does_not_wait_for_the_linger(manager_at: Make, service: str, state_id: str) -> None:
    manager = manager_at(service, linger_seconds=1)
    in_a_row(manager, state_id)
    manager.update(message(state_id, 3))
    manager.get(state_id)
    started = time.monotonic()
    manager.update(message(state_id, 4))
    manager.get(state_id)
    assert time.monotonic() - started < 0.7


def test_a_slow_service_does_not_stop_a_run_that_it_keeps_up_with(
    proxy: Proxy, manager_at: Make, state_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = manager_at(proxy.url)
    in_a_row(manager, state_id)
    # Twice what a write takes here.
    monkeypatch.setattr(behind, "LONGEST_LAG", 1.6)
    proxy.plan = lambda method, path: "late" if method == "PUT" and path.startswith("/states") else None
    longest = 0.0
    end = time.monotonic() + 3
    n = 2
    while time.monotonic() < end:
        n += 1
        started = time.monotonic()
        manager.update(message(state_id, n))
        longest = max(longest, time.monotonic() - started)
        time.sleep(0.02)
    assert longest < 0.5


def test_when_the_end_is_interrupted_it_is_said_and_the_lock_given_back(  # noqa: PLR0917
    gate: Gate,
    manager_at: Make,
    state_id: str,
    http: httpx.Client,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    manager = manager_at(gate.url)
    hold_back(gate, manager, state_id)

    def interrupt(_: Behind) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Behind, "settle", interrupt)
    with caplog.at_level(logging.ERROR), pytest.raises(KeyboardInterrupt):
        manager.close()
    assert f"The last state of {state_id} was not written: the end was broken off" in caplog.text
    assert http.get(f"/locks/{state_id}").status_code == 404


def test_a_manager_that_is_garbage_is_known_until_all_is_written(
    proxy: Proxy, manager_at: Make, state_id: str, http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    manager = StatehouseStateStoreManager(uri=proxy.url.replace("http:", "statehouse:"))
    manager.itself = manager  # type: ignore[attr-defined]
    fail_behind(proxy, manager, state_id, monkeypatch)
    del manager
    gc.collect()
    proxy.plan = lambda _method, _path: None
    found = manager_at(proxy.url).get(state_id)
    assert found
    assert found.partial_state == merged(1, 2, 3)
    # Nothing is left to be written, so that it is closed.
    until(lambda: gc.collect() >= 0 and http.get(f"/locks/{state_id}").status_code == 404)


FORK = """
import os, sys
import httpx
from meltano_state_backend_statehouse import lease
from meltano.core.state_store.base import MeltanoState
from meltano_state_backend_statehouse.backend import StatehouseStateStoreManager
lease.Keeper.__init__.__kwdefaults__["keep"] = 60.0
manager = StatehouseStateStoreManager(uri=sys.argv[1])
for n in range(3):
    manager.update(MeltanoState(sys.argv[2], completed_state={"n": n}))
lock = sys.argv[1].replace("statehouse:", "http:") + "/locks/" + sys.argv[2]
before = httpx.get(lock).json()["fencing_token"]
child = os.fork()
if not child:
    StatehouseStateStoreManager(uri=sys.argv[1]).get(sys.argv[2])
    sys.exit(7)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 7
# The child has not given back what is not its own.
assert httpx.get(lock).json()["fencing_token"] == before
manager.update(MeltanoState(sys.argv[2], completed_state={"n": 3}))
"""


def test_a_process_that_was_forked_does_not_wait_for_the_writes_of_the_other(
    service: str, state_id: str, http: httpx.Client
) -> None:
    command = [sys.executable, "-c", FORK, service.replace("http:", "statehouse:"), state_id]
    subprocess.run(command, check=True, timeout=30)
    assert http.get(f"/states/{state_id}").json()["completed_state"] == {"n": 3}


def test_what_cannot_be_written_at_the_end_is_said(
    proxy: Proxy,
    manager_at: Make,
    state_id: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    manager = manager_at(proxy.url)
    in_a_row(manager, state_id)
    monkeypatch.setattr(service_module.Service.call, "__kwdefaults__", {**KWDEFAULTS, "patience": 0.5})
    proxy.plan = lambda _method, _path: "cut"
    manager.update(message(state_id, 3))
    with caplog.at_level(logging.ERROR):
        manager.close()
    assert f"The last state of {state_id} was not written: Statehouse at {proxy.url} does not answer" in caplog.text


SCRIPT = """
import sys, time
from meltano.core.state_store.base import MeltanoState
from meltano_state_backend_statehouse.backend import StatehouseStateStoreManager
manager = StatehouseStateStoreManager(uri=sys.argv[1], lock_timeout_seconds=2)
for n in range(1, int(sys.argv[3]) + 1):
    manager.update(MeltanoState(sys.argv[2], completed_state={"n": n}))
    print(n, time.time(), flush=True)
    time.sleep(0.002)
"""


def script(service: str, state_id: str, rounds: int) -> list[str]:
    return [sys.executable, "-c", SCRIPT, service.replace("http:", "statehouse:"), state_id, str(rounds)]


def test_nothing_is_missing_when_the_process_ends(service: str, state_id: str, http: httpx.Client) -> None:
    subprocess.run(script(service, state_id, 200), check=True, stdout=subprocess.DEVNULL)
    assert http.get(f"/states/{state_id}").json()["completed_state"] == {"n": 200}
    assert http.get(f"/locks/{state_id}").status_code == 404


def test_a_process_that_is_killed_loses_a_moment_at_the_most(service: str, state_id: str, http: httpx.Client) -> None:
    with subprocess.Popen(script(service, state_id, 100_000), stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        lines = [process.stdout.readline() for _ in range(500)]
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.readlines()
    said = {int(line.split()[0]): float(line.split()[1]) for line in lines if line.endswith("\n")}
    last = max(said.values())
    time.sleep(0.5)
    found = http.get(f"/states/{state_id}").json()["completed_state"]["n"]
    assert last - said[max(n for n in said if n <= found)] < 1.0


KWDEFAULTS: dict[str, Any] = service_module.Service.call.__kwdefaults__ or {}


def failed(manager: StatehouseStateStoreManager, state_id: str) -> None:
    """Waits until a write in the background has failed."""
    written = manager._turns._turns[state_id].behind  # noqa: SLF001
    assert written
    until(lambda: written.error is not None)
