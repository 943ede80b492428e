"""What a state backend of Meltano must do, asked of the manager itself on a real service."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import httpx
import pytest
from meltano.core.state_store.base import MeltanoState, MissingStateBackendSettingsError, StateIDLockedError

from conftest import free_port
from meltano_state_backend_statehouse import backend, lease
from meltano_state_backend_statehouse.backend import StatehouseError, StatehouseStateStoreManager
from meltano_state_backend_statehouse.service import Address, Service, ServiceError, now

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Stub
    from proxy import Proxy

    Make = Callable[..., StatehouseStateStoreManager]
    Keep = Callable[[float], None]

DONE = {"singer_state": {"bookmarks": {"issues": {"since": "2026-11-01"}}}}
PART = {"singer_state": {"bookmarks": {"commits": {"since": "2026-11-02"}}}}


def state(state_id: str, completed: Any = None, partial: Any = None) -> MeltanoState:
    return MeltanoState(state_id, partial_state=partial, completed_state=completed)


# --- set, get, overwrite, missing, delete


def test_what_is_set_is_got(manager: StatehouseStateStoreManager, state_id: str, http: httpx.Client) -> None:
    manager.set(state(state_id, DONE, PART))
    assert manager.get(state_id) == state(state_id, DONE, PART)
    assert http.get(f"/states/{state_id}").json()["completed_state"] == DONE


def test_set_overwrites_both_halves(manager: StatehouseStateStoreManager, state_id: str) -> None:
    manager.set(state(state_id, DONE, PART))
    manager.set(state(state_id, PART, {}))
    assert manager.get(state_id) == state(state_id, PART, {})


def test_a_state_that_is_not_there_is_none(manager: StatehouseStateStoreManager, state_id: str) -> None:
    assert manager.get(state_id) is None


def test_null_halves_are_empty_in_meltano_and_null_in_the_service(
    manager: StatehouseStateStoreManager, state_id: str, http: httpx.Client
) -> None:
    manager.set(state(state_id, DONE, {}))
    assert http.get(f"/states/{state_id}").json()["partial_state"] is None
    manager.set(state(state_id, None, PART))
    assert http.get(f"/states/{state_id}").json()["completed_state"] is None
    assert manager.get(state_id) == state(state_id, {}, PART)


@pytest.mark.parametrize("nothing", [None, {}])
def test_a_state_of_nothing_clears(manager: StatehouseStateStoreManager, state_id: str, nothing: Any) -> None:
    manager.set(state(state_id, DONE))
    manager.set(state(state_id, nothing, nothing))
    assert manager.get(state_id) is None


def test_delete(manager: StatehouseStateStoreManager, state_id: str) -> None:
    manager.set(state(state_id, DONE))
    manager.delete(state_id)
    assert manager.get(state_id) is None
    manager.delete(state_id)


def test_clear_then_set_again(manager: StatehouseStateStoreManager, state_id: str) -> None:
    manager.set(state(state_id, DONE))
    manager.clear(state_id)
    manager.set(state(state_id, None, PART))
    assert manager.get(state_id) == state(state_id, {}, PART)


@pytest.mark.parametrize(
    "suffix",
    [
        "/",
        "a/b",
        "50%",
        "a%2Fb",
        "%",
        "?x=1",
        "#x",
        ";v=1",
        " ",
        "+",
        "&",
        "*",
        "[a]",
        "\\",
        '"',
        "ä€😀",
        "a//b",
        "..",
        "=",
        "~|^",
    ],
)
def test_ids_of_all_kinds(manager: StatehouseStateStoreManager, state_id: str, suffix: str, http: httpx.Client) -> None:
    full = f"{state_id}:{suffix}"
    with manager.acquire_lock(full, retry_seconds=1):
        manager.set(state(full, DONE))
        assert http.get("/locks/" + quote(full, safe="")).json()["state_id"] == full
    assert manager.get(full) == state(full, DONE, {})
    assert full in list(manager.get_state_ids(state_id + "*"))
    manager.clear(full)
    assert manager.get(full) is None


@pytest.mark.parametrize("bad", ["", ".", "..", "a\nb", "x" * 1025])
def test_what_is_no_id_is_refused(manager: StatehouseStateStoreManager, bad: str) -> None:
    with pytest.raises(StatehouseError, match="state id"):
        manager.get(bad)


def test_values_of_all_kinds(manager: StatehouseStateStoreManager, state_id: str) -> None:
    values: dict[str, Any] = {
        "n": 9007199254740993,
        "f": 1.5,
        "z": None,
        "b": False,
        "l": [1, {"x": []}],
        "e": {},
        "t": "ä\u0000😀\ud800",
    }
    manager.set(state(state_id, {"singer_state": values}))
    found = manager.get(state_id)
    assert found
    assert found.completed_state == {"singer_state": values}


def test_what_is_no_json_is_refused(manager: StatehouseStateStoreManager, state_id: str) -> None:
    with pytest.raises(StatehouseError, match="cannot be written as JSON"):
        manager.set(state(state_id, {"singer_state": float("nan")}))
    assert manager.get(state_id) is None


def test_what_is_no_object_is_refused(manager: StatehouseStateStoreManager, state_id: str) -> None:
    with pytest.raises(StatehouseError, match="not-an-object"):
        manager.set(state(state_id, ["a", "list"]))


# --- update


def test_update_with_a_partial_state_merges(manager: StatehouseStateStoreManager, state_id: str) -> None:
    manager.update(state(state_id, DONE))
    manager.update(state(state_id, {}, PART))
    manager.update(state(state_id, {}, {"singer_state": {"bookmarks": {"x": 1}}}))
    merged = {"singer_state": {"bookmarks": {"commits": {"since": "2026-11-02"}, "x": 1}}}
    assert manager.get(state_id) == state(state_id, DONE, merged)


def test_update_with_a_completed_state_replaces(manager: StatehouseStateStoreManager, state_id: str) -> None:
    manager.update(state(state_id, {}, PART))
    manager.update(state(state_id, DONE, {}))
    assert manager.get(state_id) == state(state_id, DONE, {})


@pytest.mark.parametrize("half", ["completed", "partial"])
def test_one_state_message_that_is_waited_for_is_one_request(
    proxy: Proxy, manager_at: Make, state_id: str, half: str, keep: Keep
) -> None:
    keep(30)
    manager = manager_at(proxy.url, linger_seconds=0)
    manager.update(state(state_id, **{half: {"singer_state": {"n": 0}}}))
    proxy.requests.clear()
    for n in range(1, 31):
        manager.update(state(state_id, **{half: {"singer_state": {"n": n, f"k{n}": n}}}))
    # A renewal of the lease may come in between.
    assert proxy.calls("PUT /locks/") == [("PUT", f"/states/{quote(state_id, safe='')}")] * 30
    stored = httpx.get(f"{proxy.url}/states/{state_id}").json()[f"{half}_state"]["singer_state"]
    assert stored == {"n": 30, **({f"k{n}": n for n in range(1, 31)} if half == "partial" else {"k30": 30})}


def test_a_kept_lease_is_let_go_after_a_while(
    service: str, manager_at: Make, state_id: str, http: httpx.Client, keep: Keep
) -> None:
    keep(3)
    manager_at(service).update(state(state_id, DONE))
    assert http.get(f"/locks/{state_id}").status_code == 200
    until(lambda: http.get(f"/locks/{state_id}").status_code == 404, 15)


def test_a_kept_lease_is_let_go_by_close(
    service: str, manager_at: Make, state_id: str, http: httpx.Client, keep: Keep
) -> None:
    keep(30)
    with manager_at(service) as manager:
        manager.update(state(state_id, DONE))
        assert http.get(f"/locks/{state_id}").status_code == 200
    assert http.get(f"/locks/{state_id}").status_code == 404


def test_a_kept_lease_is_let_go_when_the_process_ends(service: str, state_id: str, http: httpx.Client) -> None:
    code = (
        "import sys; from meltano.core.state_store.base import MeltanoState as S\n"
        "from meltano_state_backend_statehouse.backend import StatehouseStateStoreManager as M\n"
        f"m = M(uri={service.replace('http:', 'statehouse:')!r}, lock_timeout_seconds=600)\n"
        f"m.update(S({state_id!r}, completed_state={{'a': 1}}))\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert http.get(f"/states/{state_id}").is_success
    assert http.get(f"/locks/{state_id}").status_code == 404


def test_a_kept_lease_is_let_go_at_once_when_somebody_waits(
    service: str, manager_at: Make, state_id: str, keep: Keep
) -> None:
    keep(60)
    first, second = manager_at(service), manager_at(service)
    first.update(state(state_id, DONE))
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(second.update, state(state_id, {}, PART))
        until(lambda: any(lock["waiting"] for lock in locks(second, state_id)), 10)
        assert not waiting.done()
        first.update(state(state_id, {"singer_state": {}}))
        waiting.result(20)
    assert second.get(state_id) == state(state_id, {"singer_state": {}}, PART)


def test_those_who_only_ask_now_and_then_have_their_chance(
    proxy: Proxy, manager_at: Make, state_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "LONGEST_KEEP", 0.5)
    calls: list[tuple[str, float]] = []

    def plan(method: str, path: str) -> str | None:
        calls.append((method, time.monotonic()))
        # As with `settle`, where a lock takes a second.
        return "late" if method == "POST" and path.startswith("/locks") else None

    proxy.plan = plan
    manager = manager_at(proxy.url)
    end = time.monotonic() + 20
    while [method for method, _ in calls].count("POST") < 3:
        assert time.monotonic() < end, calls
        manager.update(state(state_id, {"n": len(calls)}))
    released = [at for method, at in calls if method == "DELETE"]
    taken = [at for method, at in calls if method == "POST"]
    assert all(again - before > 0.5 for before, again in zip(released, taken[1:], strict=False))
    # And it was kept in between.
    assert [method for method, _ in calls].count("PUT") > len(taken)


def test_a_kept_lease_that_was_broken_is_taken_anew(
    service: str, manager_at: Make, state_id: str, http: httpx.Client, keep: Keep
) -> None:
    keep(30)
    manager = manager_at(service)
    manager.update(state(state_id, {}, {"singer_state": {"a": 1}}))
    break_lock(http, state_id)
    manager.update(state(state_id, {}, {"singer_state": {"b": 2}}))
    assert manager.get(state_id) == state(state_id, {}, {"singer_state": {"a": 1, "b": 2}})


def test_a_kept_lease_that_was_broken_does_not_write_over_others(
    service: str, manager_at: Make, state_id: str, http: httpx.Client, keep: Keep
) -> None:
    keep(30)
    manager = manager_at(service)
    manager.update(state(state_id, {}, {"singer_state": {"a": 1}}))
    break_lock(http, state_id)
    assert http.put(f"/states/{state_id}", json={"partial_state": {"singer_state": {"other": 1}}}).is_success
    with pytest.raises(StateIDLockedError, match="was lost"):
        manager.update(state(state_id, {}, {"singer_state": {"b": 2}}))
    assert manager.get(state_id) == state(state_id, {}, {"singer_state": {"other": 1}})
    manager.update(state(state_id, {}, {"singer_state": {"b": 2}}))
    assert manager.get(state_id) == state(state_id, {}, {"singer_state": {"other": 1, "b": 2}})


def test_what_was_read_under_a_kept_lease_that_was_broken_is_not_written_over(
    proxy: Proxy, manager_at: Make, state_id: str, http: httpx.Client, keep: Keep
) -> None:
    keep(30)
    manager = manager_at(proxy.url)
    http.put(f"/states/{state_id}", json={"partial_state": {"singer_state": {"a": 1}}})
    # Taken without reading, so the next one who takes it has to read.
    with manager.acquire_lock(state_id):
        pass
    break_lock(http, state_id)

    def plan(method: str, path: str) -> None:
        if method == "PUT" and path.startswith("/states"):
            proxy.plan = lambda _method, _path: None
            assert http.put(f"/states/{state_id}", json={"partial_state": {"singer_state": {"other": 1}}}).is_success

    proxy.plan = plan
    with pytest.raises(StateIDLockedError, match="was lost"):
        manager.update(state(state_id, {}, {"singer_state": {"b": 2}}))
    assert manager.get(state_id) == state(state_id, {}, {"singer_state": {"other": 1}})


def test_a_kept_lease_that_lived_on_and_then_was_lost_is_not_taken_anew(
    proxy: Proxy, manager_at: Make, state_id: str, http: httpx.Client, keep: Keep
) -> None:
    keep(60)
    manager = manager_at(proxy.url, lock_timeout_seconds=6)
    manager.update(state(state_id, DONE))
    with manager.acquire_lock(state_id):
        before = len(renewals(proxy))
        # Written by the thread that renews once the answer is there.
        until(lambda: len(renewals(proxy)) > before + 1, 30)
        break_lock(http, state_id)
        with pytest.raises(StateIDLockedError, match="was lost"):
            manager.set(state(state_id, PART))
    assert manager.get(state_id) == state(state_id, DONE, {})


def test_a_lease_that_is_lost_twice_is_lost(
    proxy: Proxy, manager_at: Make, state_id: str, http: httpx.Client, keep: Keep
) -> None:
    keep(30)
    manager = manager_at(proxy.url)
    manager.update(state(state_id, DONE))

    def plan(method: str, path: str) -> None:
        if method == "PUT" and path.startswith("/states"):
            break_lock(http, state_id)

    proxy.plan = plan
    with pytest.raises(StateIDLockedError, match="was lost"):
        manager.update(state(state_id, PART))
    assert manager.get(state_id) == state(state_id, DONE, {})


# --- locks


def test_lock_round_trip(manager: StatehouseStateStoreManager, state_id: str, http: httpx.Client) -> None:
    with manager.acquire_lock(state_id, retry_seconds=1):
        assert f"process {os.getpid()}" in http.get(f"/locks/{state_id}").json()["owner"]
        refused = http.put(f"/states/{state_id}", json={"completed_state": DONE})
        assert refused.status_code == 423
        manager.set(state(state_id, DONE))
        assert manager.get(state_id) == state(state_id, DONE, {})
        manager.delete(state_id)
        assert manager.get(state_id) is None
    manager.close()
    assert http.get(f"/locks/{state_id}").status_code == 404


def test_the_lock_can_be_taken_again_by_its_thread(manager: StatehouseStateStoreManager, state_id: str) -> None:
    with manager.acquire_lock(state_id, retry_seconds=1):
        manager.update(state(state_id, {}, {"singer_state": {"a": 1}}))
        with manager.acquire_lock(state_id, retry_seconds=1):
            manager.update(state(state_id, {}, {"singer_state": {"b": 1}}))
        manager.update(state(state_id, {}, {"singer_state": {"c": 1}}))
    assert manager.get(state_id) == state(state_id, {}, {"singer_state": {"a": 1, "b": 1, "c": 1}})


def test_a_refused_lock_names_holder_and_expiry(service: str, manager_at: Make, state_id: str) -> None:
    first, second = manager_at(service), manager_at(service, lock_wait_seconds=1)
    with first.acquire_lock(state_id, retry_seconds=1):
        first.set(state(state_id, PART))
        expected = rf"{state_id} is locked by 'meltano on .*process {os.getpid()}' until 20\d\d-.*Z"
        for refused in (
            lambda: second.update(state(state_id, DONE)),
            lambda: second.clear(state_id),
            lambda: second.set(state(state_id, DONE)),
            lambda: second.set_all([state(state_id, DONE)]),
            second.clear_all,
        ):
            with pytest.raises(StateIDLockedError, match=expected):
                refused()
        assert second.get(state_id) == state(state_id, PART, {})


def test_a_lock_is_renewed_while_it_is_held(service: str, manager_at: Make, state_id: str, http: httpx.Client) -> None:
    manager = manager_at(service, lock_timeout_seconds=6)
    with manager.acquire_lock(state_id, retry_seconds=1):
        token = http.get(f"/locks/{state_id}").json()["fencing_token"]
        time.sleep(8)
        assert http.get(f"/locks/{state_id}").json()["fencing_token"] == token
        manager.set(state(state_id, DONE))


def test_a_lost_lock_refuses_writes_and_says_who_has_it(
    manager: StatehouseStateStoreManager, state_id: str, http: httpx.Client
) -> None:
    with manager.acquire_lock(state_id, retry_seconds=1):
        manager.set(state(state_id, DONE))
        break_lock(http, state_id)
        assert http.post(f"/locks/{state_id}", json={"owner": "thief"}).is_success
        for _ in range(2):
            with pytest.raises(StateIDLockedError, match=r"was lost.*held by 'thief' until 20\d\d-.*Z"):
                manager.set(state(state_id, PART))
    assert manager.get(state_id) == state(state_id, DONE, {})
    assert http.get(f"/locks/{state_id}").json()["owner"] == "thief"
    break_lock(http, state_id)


def test_the_thread_that_renews_survives_what_it_did_not_expect(proxy: Proxy, manager_at: Make, state_id: str) -> None:
    manager = manager_at(proxy.url, lock_timeout_seconds=6)
    proxy.once((200, "no lease"), "PUT", "/locks")
    with manager.acquire_lock(state_id, retry_seconds=1):
        until(lambda: len(renewals(proxy)) > 1, 20)
        manager.set(state(state_id, DONE))


def test_a_place_in_the_queue_outlasts_what_the_service_waits_at_most(
    service: str, manager_at: Make, state_id: str, http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lease, "LONGEST_WAIT", 3)
    monkeypatch.setattr(lease, "ASK_AGAIN", 1.5)
    manager = manager_at(service, lock_wait_seconds=60)
    first = http.post(f"/locks/{state_id}", json={"owner": "first", "ttl_seconds": 60}).json()
    with ThreadPoolExecutor() as pool:
        second = pool.submit(manager.update, state(state_id, DONE))
        until(lambda: http.get(f"/locks/{state_id}").json()["waiting"] == 1, 20)
        late = {"owner": "third", "ttl_seconds": 60, "wait_seconds": 60}
        third = pool.submit(httpx.post, f"{service}/locks/{state_id}", json=late, timeout=90)
        time.sleep(5)
        assert http.delete(f"/locks/{state_id}", headers={"Lock-Token": first["lock_id"]}).is_success
        second.result(30)
        assert third.result(30).is_success
    assert manager.get(state_id) == state(state_id, DONE, {})
    break_lock(http, state_id)


@pytest.mark.parametrize(("asked", "told"), [(0, 0), (1, 1), (0.4, 1), (59.5, 60)])
def test_the_service_waits_as_long_as_was_asked(
    proxy: Proxy, manager_at: Make, state_id: str, asked: float, told: int
) -> None:
    manager = manager_at(proxy.url, lock_wait_seconds=asked)
    manager.update(state(state_id, DONE))
    assert [json.loads(body)["wait_seconds"] for body in proxy.bodies if b"wait_seconds" in body] == [told]


def test_a_lease_is_counted_from_when_it_was_asked_for(proxy: Proxy, state_id: str) -> None:
    proxy.plan = lambda method, _path: "late" if method in {"POST", "PUT"} else None
    with contextlib.closing(Service(Address.from_url(proxy.url))) as client:
        client.call("GET", "/states")
        asked = now()
        taken = lease.acquire(client, state_id, owner="me", ttl=60, wait=0)
        assert asked + 59 < taken.ends < asked + 60.5
        asked = now()
        lease.renew(client, taken)
        assert asked + 59 < taken.ends < asked + 60.5
        lease.release(client, taken)


def test_a_renewal_gives_up_while_the_lease_lasts(proxy: Proxy, state_id: str) -> None:
    with contextlib.closing(Service(Address.from_url(proxy.url))) as client:
        taken = lease.acquire(client, state_id, owner="me", ttl=3, wait=0)
        proxy.plan = lambda _method, _path: "hang"
        with pytest.raises(ServiceError, match="does not answer"):
            lease.renew(client, taken)
        # So that there is time to try again, or to end what needs the lease.
        assert now() < taken.ends - 0.5


def test_a_stale_lock_is_reclaimed(service: str, manager_at: Make, state_id: str) -> None:
    code = (
        "import os, signal; from meltano_state_backend_statehouse.backend import StatehouseStateStoreManager as M\n"
        f"m = M(uri={service.replace('http:', 'statehouse:')!r}, lock_timeout_seconds=2)\n"
        f"with m.acquire_lock({state_id!r}, retry_seconds=1): os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -signal.SIGKILL
    started = time.monotonic()
    manager_at(service).update(state(state_id, DONE))
    assert time.monotonic() - started < 10


def count_up(service: str, state_id: str, file: Path, rounds: int) -> None:
    manager = StatehouseStateStoreManager(
        uri=service.replace("http:", "statehouse:"), lock_wait_seconds=120, lock_timeout_seconds=20
    )
    with manager:
        for _ in range(rounds):
            with manager.acquire_lock(state_id, retry_seconds=1):
                number = int(file.read_text())
                found = manager.get(state_id)
                assert (found.completed_state["n"] if found and found.completed_state else 0) == number
                time.sleep(0.002)
                file.write_text(str(number + 1))
                manager.set(state(state_id, {"n": number + 1}))


def test_four_processes_exclude_each_other(service: str, state_id: str, tmp_path: Path) -> None:
    file = tmp_path / "number"
    file.write_text("0")
    spawn = multiprocessing.get_context("spawn")
    processes = [spawn.Process(target=count_up, args=(service, state_id, file, 10)) for _ in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
        assert process.exitcode == 0
    assert file.read_text() == "40"


def test_threads_of_one_manager_exclude_each_other(manager: StatehouseStateStoreManager, state_id: str) -> None:
    inside: list[int] = []

    def work(_: int) -> None:
        with manager.acquire_lock(state_id, retry_seconds=1):
            inside.append(1)
            assert len(inside) == 1
            time.sleep(0.002)
            inside.pop()
            manager.update(state(state_id, {}, {"n": {threading.current_thread().name: 1}}))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(40)))


# --- many at once


def test_patterns(manager: StatehouseStateStoreManager, state_id: str) -> None:
    ids = [f"{state_id}:{x}" for x in ("a", "a_b", "axb", "b%", "B", "sub/a")]
    manager.set_all([state(x, DONE) for x in ids])
    assert list(manager.get_state_ids(f"{state_id}:*")) == sorted(ids, key=str.encode)
    assert list(manager.get_state_ids(f"{state_id}:a*")) == [ids[0], ids[1], ids[2]]
    assert list(manager.get_state_ids(f"{state_id}:a_b")) == [ids[1]]
    assert list(manager.get_state_ids(f"{state_id}:?")) == [ids[4], ids[0]]
    assert list(manager.get_state_ids(f"{state_id}:[!a-z]")) == [ids[4]]
    assert list(manager.get_state_ids(f"{state_id}:none*")) == []
    assert set(ids) <= set(manager.get_state_ids())
    assert [x.state_id for x in manager.get_all(f"*{state_id}:a*")] == [ids[0], ids[1], ids[2]]


def test_many_states_take_one_request_a_page(proxy: Proxy, manager_at: Make, state_id: str) -> None:
    manager = manager_at(proxy.url)
    many = [state(f"{state_id}:{n:04}", {"singer_state": {"n": n}}, {} if n % 2 else PART) for n in range(1200)]
    assert manager.set_all(many) == 1200
    assert [method for method, _ in proxy.calls()] == ["POST"]
    proxy.requests.clear()
    assert list(manager.get_all(f"{state_id}:*")) == many
    assert [method for method, _ in proxy.calls()] == ["GET", "GET"]
    proxy.requests.clear()
    # As `meltano state list` does it.
    assert [manager.get(x) for x in manager.get_state_ids(f"{state_id}:*")] == many
    assert [method for method, _ in proxy.calls()] == ["GET", "GET"]


def test_a_state_that_was_changed_while_ids_are_listed_is_read_anew(
    manager: StatehouseStateStoreManager, state_id: str
) -> None:
    manager.set_all([state(f"{state_id}:a", DONE), state(f"{state_id}:b", DONE)])
    for one in manager.get_state_ids(f"{state_id}:*"):
        manager.set(state(one, PART))
        assert manager.get(one) == state(one, PART, {})


def test_set_all_replaces_and_clears(manager: StatehouseStateStoreManager, state_id: str) -> None:
    a, b = f"{state_id}:a", f"{state_id}:b"
    manager.set_all([state(a, DONE, PART), state(b, DONE)])
    assert manager.set_all(iter([state(a, None, PART), state(b, {}, {})])) == 2
    assert manager.get(a) == state(a, {}, PART)
    assert manager.get(b) is None
    assert manager.set_all([]) == 0


def test_set_all_in_several_requests(
    proxy: Proxy, manager_at: Make, state_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend, "IMPORT_BYTES", 1000)
    manager = manager_at(proxy.url)
    # Two bytes each.
    many = [state(f"{state_id}:{n}", {"singer_state": {"text": "ä" * 150}}, {}) for n in range(7)]
    assert manager.set_all(many) == 7
    assert len(proxy.calls()) == 4
    assert list(manager.get_all(f"{state_id}:*")) == many


def test_what_is_too_large_for_one_request_goes_in_two(proxy: Proxy, manager_at: Make, state_id: str) -> None:
    manager = manager_at(proxy.url)
    many = [state(f"{state_id}:{n}", DONE, {}) for n in range(5)]
    proxy.once((413, {"code": "too-large"}), "POST", "/import", times=2)
    assert manager.set_all(many) == 5
    # 5, 2, 1, 1, 3
    assert len(proxy.calls()) == 5
    assert list(manager.get_all(f"{state_id}:*")) == many
    proxy.once((413, {"code": "too-large"}), "POST", "/import")
    with pytest.raises(StatehouseError, match="too-large"):
        manager.set_all(many[:1])


def test_what_was_skipped_is_done_by_itself(proxy: Proxy, manager_at: Make, state_id: str, http: httpx.Client) -> None:
    manager = manager_at(proxy.url)
    both = [state(f"{state_id}:{n}", DONE, PART) for n in "ab"]
    proxy.once((200, {"imported": 1, "skipped": [f"{state_id}:b"]}), "POST", "/import")
    assert manager.set_all(both) == 2
    assert list(manager.get_all(f"{state_id}:*")) == [both[1]]
    proxy.once((200, {"deleted": 4, "skipped": [f"{state_id}:b"]}), "DELETE", "/states")
    assert manager.clear_all() == 5
    assert http.get(f"/states/{state_id}:b").status_code == 404


def test_what_is_no_state_is_said_as_such(proxy: Proxy, manager_at: Make, state_id: str) -> None:
    manager = manager_at(proxy.url)
    manager.set(state(state_id, DONE))
    row = {"state_id": state_id, "readable": False, "partial_state": None, "completed_state": None}
    proxy.plan = lambda _method, path: (200, {"states": [row], "next": None}) if path.startswith("/states?") else None
    with pytest.raises(StatehouseError, match=f"{state_id} is no state.*`meltano state clear`"):
        list(manager.get_all())
    # It is listed, and not taken for an empty one: that it is none is for the service to say.
    assert [manager.get(x) for x in manager.get_state_ids()] == [state(state_id, DONE, {})]


def test_what_came_with_the_ids_answers_for_a_moment_only(
    manager: StatehouseStateStoreManager, state_id: str, http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend, "FRESH_SECONDS", 1.0)
    manager.set_all([state(f"{state_id}:{n}", DONE) for n in "ab"])
    ids = manager.get_state_ids(f"{state_id}:*")
    next(ids)
    time.sleep(1.1)
    last = next(ids)
    http.put(f"/states/{last}", json={"completed_state": PART})
    assert manager.get(last) == state(last, PART, {})


def test_set_all_names_what_is_no_state(manager: StatehouseStateStoreManager, state_id: str) -> None:
    with pytest.raises(StatehouseError, match=f"{state_id}:bad"):
        manager.set_all([state(f"{state_id}:good", DONE), state(f"{state_id}:bad", "text")])
    assert manager.get(f"{state_id}:good") is None


def test_bulk_calls_under_a_lock_of_our_own(manager: StatehouseStateStoreManager, state_id: str) -> None:
    with manager.acquire_lock(state_id, retry_seconds=1):
        manager.set(state(state_id, DONE))
        manager.set_all([state(state_id, PART)])
        assert manager.get(state_id) == state(state_id, PART, {})
        manager.clear_all()
        assert manager.get(state_id) is None


def test_bulk_calls_under_the_lock_of_another_id(manager: StatehouseStateStoreManager, state_id: str) -> None:
    with manager.acquire_lock(state_id, retry_seconds=1):
        manager.set_all([state(f"{state_id}:other", PART)])
        manager.set(state(state_id, DONE))
    assert manager.get(f"{state_id}:other") == state(f"{state_id}:other", PART, {})


def test_bulk_calls_do_not_write_past_the_lock_of_another_thread(service: str, manager_at: Make, state_id: str) -> None:
    manager = manager_at(service, lock_wait_seconds=0.5)
    manager.set(state(state_id, DONE))
    bulks: list[Callable[[], int]] = [lambda: manager.set_all([state(state_id, PART)]), manager.clear_all]
    with ThreadPoolExecutor() as pool, manager.acquire_lock(state_id, retry_seconds=1):
        for bulk in bulks:
            with pytest.raises(StateIDLockedError, match=f"{state_id} is locked by"):
                pool.submit(bulk).result(30)
        assert manager.get(state_id) == state(state_id, DONE, {})


def test_bulk_calls_under_a_lost_lock(manager: StatehouseStateStoreManager, state_id: str, http: httpx.Client) -> None:
    bulks: list[Callable[[], int]] = [lambda: manager.set_all([state(state_id, PART)]), manager.clear_all]
    for bulk in bulks:
        with manager.acquire_lock(state_id, retry_seconds=1):
            manager.set(state(state_id, DONE))
            break_lock(http, state_id)
            with pytest.raises(StateIDLockedError, match="lock-lost"):
                bulk()
        assert manager.get(state_id) == state(state_id, DONE, {})


def test_after_a_bulk_call_that_broke_off_a_state_is_read_anew(proxy: Proxy, manager_at: Make, state_id: str) -> None:
    manager = manager_at(proxy.url)
    with manager.acquire_lock(state_id, retry_seconds=1):
        manager.set(state(state_id, DONE))
        proxy.once("drop", "POST", "/import")
        with pytest.raises(StatehouseError, match="it may have written all"):
            manager.set_all([state(state_id, PART)])
        assert manager.get(state_id) == state(state_id, PART, {})


@pytest.mark.parametrize(("retry", "times"), [(0.1, range(4, 12)), (0.5, range(2, 4))])
def test_bulk_calls_ask_again_at_the_pace_that_was_set(
    proxy: Proxy, manager_at: Make, state_id: str, retry: float, times: range
) -> None:
    manager_at(proxy.url).get(state_id)
    assert httpx.post(f"{proxy.url}/locks/{state_id}", json={"owner": "other", "ttl_seconds": 30}).is_success
    manager = manager_at(proxy.url, lock_wait_seconds=1.1, lock_retry_seconds=retry)
    with pytest.raises(StateIDLockedError):
        manager.set_all([state(state_id, DONE)])
    assert len([path for _, path in proxy.calls() if path.startswith("/import")]) in times


def test_clear_all_counts(manager: StatehouseStateStoreManager, state_id: str) -> None:
    manager.clear_all()
    manager.set_all([state(f"{state_id}:{n}", DONE) for n in range(5)])
    assert manager.clear_all() == 5
    assert list(manager.get_state_ids()) == []
    assert manager.clear_all() == 0


def test_bulk_calls_wait_for_a_lock(manager: StatehouseStateStoreManager, state_id: str, http: httpx.Client) -> None:
    held = http.post(f"/locks/{state_id}", json={"owner": "other", "ttl_seconds": 2}).json()
    assert held["owner"] == "other"
    assert manager.set_all([state(state_id, DONE)]) == 1
    assert manager.get(state_id) == state(state_id, DONE, {})


# --- when the service is away


def test_an_address_where_nobody_is_is_named(manager_at: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("meltano_state_backend_statehouse.service.PATIENCE_AT_FIRST", 0.5)
    port = free_port()
    with pytest.raises(StatehouseError, match=f"http://127.0.0.1:{port} does not answer"):
        manager_at(f"http://127.0.0.1:{port}").get("x")


@pytest.mark.parametrize("what", ["503", "cut", "drop"])
@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_a_call_is_repeated_when_it_was_not_answered(
    proxy: Proxy, manager_at: Make, state_id: str, what: str, method: str
) -> None:
    manager = manager_at(proxy.url)
    manager.set(state(state_id, DONE))
    proxy.once(what, method, "/states", times=2)
    if method == "GET":
        assert manager.get(state_id) == state(state_id, DONE, {})
    elif method == "PUT":
        manager.set(state(state_id, PART))
        assert manager.get(state_id) == state(state_id, PART, {})
    else:
        manager.clear(state_id)
        assert manager.get(state_id) is None


@pytest.mark.parametrize("what", ["503", "cut", "drop"])
def test_a_lock_is_taken_once_when_the_answer_was_lost(
    proxy: Proxy, manager_at: Make, state_id: str, what: str, http: httpx.Client
) -> None:
    manager = manager_at(proxy.url)
    proxy.once(what, "POST", "/locks", times=2)
    with manager.acquire_lock(state_id, retry_seconds=1):
        assert http.get(f"/locks/{state_id}").json()["waiting"] == 0
        manager.set(state(state_id, DONE))


def test_a_repeated_write_does_not_undo_what_others_wrote(
    proxy: Proxy, manager_at: Make, state_id: str, http: httpx.Client
) -> None:
    manager = manager_at(proxy.url)
    sendings: list[str] = []

    def plan(method: str, path: str) -> str | None:
        if method == "PUT" and path.startswith("/states"):
            sendings.append(path)
            if len(sendings) == 1:
                return "drop"
            # By the time of the second sending the lease was broken and somebody else has written.
            break_lock(http, state_id)
            assert http.put(f"/states/{state_id}", json={"completed_state": {"other": 1}}).is_success
        return None

    manager.update(state(state_id, {"first": 1}))
    proxy.plan = plan
    with pytest.raises(StateIDLockedError, match="was lost"):
        manager.update(state(state_id, {"second": 1}))
    assert len(sendings) == 2
    assert manager.get(state_id) == state(state_id, {"other": 1}, {})


@pytest.mark.parametrize("what", ["503", "drop"])
def test_a_bulk_call_is_not_repeated_when_it_may_have_counted(
    proxy: Proxy, manager_at: Make, state_id: str, what: str
) -> None:
    manager = manager_at(proxy.url)
    manager.get(state_id)
    proxy.once(what, "POST", "/import")
    with pytest.raises(StatehouseError, match="it may have written all"):
        manager.set_all([state(state_id, DONE)])
    assert [path for method, path in proxy.calls() if method == "POST"] == ["/import?allow_empty=true"]


@pytest.mark.parametrize(
    ("version", "said"), [("0.0.9", "too old.*update the service"), ("2.0.0", "too new.*update the add-on")]
)
def test_another_contract_is_said_as_such(manager_at: Make, state_id: str, version: str, said: str, stub: Stub) -> None:
    with pytest.raises(StatehouseError, match=said):
        manager_at(stub.serve(f"openapi: 3.1.0\ninfo:\n  title: Statehouse\n  version: {version}\n")).get(state_id)


def test_what_is_no_statehouse_is_said_as_such(manager_at: Make, state_id: str, stub: Stub) -> None:
    with pytest.raises(StatehouseError, match="is no Statehouse"):
        manager_at(stub.serve("<html>Welcome to nginx</html>")).get(state_id)


def test_migrate_only_looks(proxy: Proxy, manager_at: Make, stub: Stub) -> None:
    manager_at(proxy.url).migrate()
    assert proxy.calls() == [("GET", "/states?limit=1")]
    with pytest.raises(StatehouseError, match="too old"):
        manager_at(stub.serve("openapi: 3.1.0\ninfo:\n  title: Statehouse\n  version: 0.0.9\n")).migrate()


@pytest.mark.parametrize("answer", [b"<html>", b"\xff\x00"])
def test_an_answer_that_is_no_json_is_said_as_such(stub: Stub, answer: bytes) -> None:
    contract = "openapi: 3.1.0\ninfo:\n  title: Statehouse\n  version: 1.0.0\n"
    with contextlib.closing(Service(Address.from_url(stub.serve(contract)))) as client:
        client.call("GET", "/states")
        stub.text = answer
        with pytest.raises(ServiceError, match=f"{client.url}/states does not answer as Statehouse does"):
            client.call("GET", "/states").body  # noqa: B018


# --- settings


def test_the_parts_of_the_uri_are_overridden_by_settings() -> None:
    full = "statehouse://secret%21@one:1234/deep/path?secure=true&verify=false"
    assert StatehouseStateStoreManager(uri=full).label == "Statehouse at https://one:1234/deep/path"
    other = StatehouseStateStoreManager(
        uri=full, host="two", port=99, secure=False, path="/p/", token="t", verify="true"
    )
    assert other.label == "Statehouse at http://two:99/p"
    assert StatehouseStateStoreManager(uri="statehouse://h").label == "Statehouse at http://h:8080"
    assert StatehouseStateStoreManager(uri="statehouse://h?secure=1").label == "Statehouse at https://h:443"
    assert StatehouseStateStoreManager(uri="statehouse://[::1]:81").label == "Statehouse at http://[::1]:81"
    assert StatehouseStateStoreManager(uri="statehouse://", host="h").label == "Statehouse at http://h:8080"


def test_a_missing_host_is_meltanos_own_error() -> None:
    with pytest.raises(MissingStateBackendSettingsError, match=r"state_backend\.statehouse\.host"):
        StatehouseStateStoreManager(uri="statehouse://")


@pytest.mark.parametrize(
    "uri", ["statehouse://h:port", "statehouse://h:99999", "statehouse://h?secure=maybe", "statehouse://h?secrue=true"]
)
def test_a_wrong_uri_is_refused(uri: str) -> None:
    with pytest.raises(StatehouseError, match="settings of the state backend"):
        StatehouseStateStoreManager(uri=uri)


@pytest.mark.parametrize("setting", ["lock_wait_seconds", "linger_seconds"])
def test_a_setting_that_is_no_number_is_refused(setting: str) -> None:
    settings: dict[str, Any] = {setting: "soon"}
    with pytest.raises(StatehouseError, match=r"settings of the state backend are wrong.*soon"):
        StatehouseStateStoreManager(uri="statehouse://h", **settings)


def test_the_token_is_sent_and_never_shown(manager_at: Make, state_id: str, stub: Stub) -> None:
    from meltano_state_backend_statehouse.settings import TOKEN, address_of  # noqa: PLC0415

    assert TOKEN.is_redacted
    url = stub.serve("").replace("http://", "http://s3cret@")
    assert "s3cret" not in repr(address_of(url.replace("http", "statehouse")))
    with pytest.raises(StatehouseError) as caught:
        manager_at(url).get(state_id)
    assert "s3cret" not in str(caught.value)
    assert stub.seen[-1] == "Bearer s3cret"
    with pytest.raises(StatehouseError):
        manager_at(url, token="0ther").get(state_id)
    assert stub.seen[-1] == "Bearer 0ther"


@pytest.mark.parametrize("url", ["http://s3cret@h:port", "ftp://me:s3cret@h", "me:s3cret@h", "http://me:s3cret@"])
def test_a_token_in_a_wrong_url_is_not_shown(url: str) -> None:
    with pytest.raises(ValueError, match="is no URL") as caught:
        Address.from_url(url)
    assert "s3cret" not in str(caught.value)


# --- helpers


def until(true: Callable[[], bool], seconds: float = 10, pause: float = 0.05) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(pause)


def renewals(proxy: Proxy) -> list[str]:
    return [path for method, path in proxy.calls() if method == "PUT" and path.startswith("/locks")]


def locks(manager: StatehouseStateStoreManager, state_id: str) -> list[dict[str, Any]]:
    body = manager._service.call("GET", "/locks", params={"pattern": state_id}).body  # noqa: SLF001
    return list(body["locks"])


def break_lock(http: httpx.Client, state_id: str) -> None:
    token = http.get(f"/locks/{state_id}").json()["fencing_token"]
    assert http.delete(f"/locks/{state_id}?force=true&fencing_token={token}").status_code == 204
