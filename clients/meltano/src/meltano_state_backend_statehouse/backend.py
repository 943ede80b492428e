"""The state store manager that Meltano loads for `statehouse://`."""

from __future__ import annotations

import functools
import json
import logging
import os
import sys
import time
import weakref
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, cast

from meltano.core.error import MeltanoError
from meltano.core.state_store.base import (
    MeltanoState,
    StateIDLockedError,
    StateStoreManager,
)

from meltano_state_backend_statehouse.lease import (
    UNKNOWN,
    Keeper,
    LeaseLostError,
    LockedError,
    describe,
    owner_name,
)
from meltano_state_backend_statehouse.service import Problem, Service, ServiceError, dump, now
from meltano_state_backend_statehouse.settings import address_of
from meltano_state_backend_statehouse.turns import Turns

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

    from typing_extensions import override
elif sys.version_info >= (3, 12):
    from typing import override
else:

    def override(method: T) -> T:
        """Stand in for what is there from Python 3.12 on."""
        return method


P = ParamSpec("P")
T = TypeVar("T")

DEFAULT_LOCK_WAIT_SECONDS = 60.0
DEFAULT_LINGER_SECONDS = 0.05
PAGE = 1000
# An import of the service takes 64 MiB by default; above that it says so and the chunk is halved.
IMPORT_BYTES = 32 * 1024 * 1024
# How long a document that came with a list of ids may answer for the `get` that follows.
FRESH_SECONDS = 5.0
# A call on many states may take its time.
BULK_READ_TIMEOUT = 300.0


# httpx tells of each request, and a run makes one for each STATE message. Who wants to see them sets the level himself.
if logging.getLogger("httpx").level == logging.NOTSET:
    logging.getLogger("httpx").setLevel(logging.WARNING)


class StatehouseError(MeltanoError):
    """Statehouse could not do what Meltano asked for."""


def _in_meltanos_words(
    method: Callable[Concatenate[StatehouseStateStoreManager, P], T],
) -> Callable[Concatenate[StatehouseStateStoreManager, P], T]:
    @functools.wraps(method)
    def call(self: StatehouseStateStoreManager, *args: P.args, **kwargs: P.kwargs) -> T:
        with _meltanos_words():
            return method(self, *args, **kwargs)

    return cast("Callable[Concatenate[StatehouseStateStoreManager, P], T]", call)


@contextmanager
def _meltanos_words() -> Iterator[None]:
    try:
        yield
    except (LockedError, LeaseLostError) as err:
        raise StateIDLockedError(str(err)) from err
    except ServiceError as err:
        raise StatehouseError(str(err)) from err


class StatehouseStateStoreManager(StateStoreManager):
    """Keeps Meltano's state in Statehouse.

    A write is always made under a lease, so sending it twice does what sending it once does. `update`, which takes the
    lock, reads, writes and gives the lock back, is at most one request in a row of updates: the lease is kept for a
    second after use (`Keeper`), and as long as it is, nobody else can have changed what was last read or written under
    it. From the third in a row on, writes are left to the background (`Behind`); whatever reads in this process waits
    for them.
    """

    def __init__(
        self,
        uri: str,
        *,
        host: str | None = None,
        port: int | None = None,
        secure: bool | None = None,
        token: str | None = None,
        path: str | None = None,
        verify: bool | str | None = None,
        lock_wait_seconds: float | None = None,
        linger_seconds: float | None = None,
        lock_timeout_seconds: float = 10,
        lock_retry_seconds: float = 1,
        **kwargs: Any,
    ) -> None:
        """Take the settings; nothing is asked of the service yet.

        Args:
            uri: `statehouse://[token@]host[:port][/path][?secure=…&verify=…]`.
            host: overrides the host in the URI; so do the others with their parts.
            port: 1 to 65535.
            secure: HTTPS.
            token: the bearer token.
            path: what stands in front of `/states`.
            verify: true, false, or a file of certificates.
            lock_wait_seconds: how long to wait for a lock that somebody else holds.
            linger_seconds: the shortest time between two writes of a state that is updated again and again, up to 1;
                0: every update waits for its own write.
            lock_timeout_seconds: how long a lease lasts without being renewed; a run that died leaves it that long.
            lock_retry_seconds: pause before a bulk call that met a lock is tried again.
            kwargs: what else Meltano may hand over.

        Raises:
            MissingStateBackendSettingsError: there is no host.
            StatehouseError: a setting is not what it should be.
        """
        super().__init__(**kwargs)
        try:
            address = address_of(uri, host=host, port=port, secure=secure, token=token, path=path, verify=verify)
            self._service = Service(address)
            self._lock_wait = DEFAULT_LOCK_WAIT_SECONDS if lock_wait_seconds is None else float(lock_wait_seconds)
            linger = DEFAULT_LINGER_SECONDS if linger_seconds is None else float(linger_seconds)
        except (ValueError, OSError) as err:
            raise StatehouseError(f"The settings of the state backend are wrong: {err}") from err
        self._lock_retry = max(0.05, float(lock_retry_seconds))
        self._keeper = Keeper(
            self._service, owner=owner_name("meltano"), ttl=max(1, round(float(lock_timeout_seconds)))
        )
        self._turns = Turns(
            self._service,
            self._keeper,
            wait=self._lock_wait,
            retry=self._lock_retry,
            linger=linger,
            owner=weakref.ref(self),
        )
        self._fresh: tuple[MeltanoState, float] | None = None
        # Meltano closes some of its managers, and not the one of a run. What is not written would be lost, and a lease
        # that is left be waited for.
        self._at_exit = weakref.finalize(self, _close, self._turns, self._keeper, self._service, os.getpid())

    @property
    @override
    def label(self) -> str:
        """Where the state is, for people."""
        return f"Statehouse at {self._service.url}"

    @override
    def close(self) -> None:
        """Write what is not written yet; let go of the locks that are still kept, and of the connections."""
        self._at_exit()

    @override
    @_in_meltanos_words
    def get(self, state_id: str) -> MeltanoState | None:
        """Read a state.

        Returns:
            The state, with `{}` for a half that is not there; None if there is no state.
        """
        turn = self._turns.own(state_id)
        if turn is not None:
            return _state(state_id, self._turns.record(turn))
        Turns.settle_everywhere(self._service.url, state_id)
        fresh, self._fresh = self._fresh, None
        if fresh and fresh[0].state_id == state_id and now() < fresh[1]:
            return fresh[0]
        return _state(state_id, self._turns.read(state_id)[0])

    @override
    @_in_meltanos_words
    def set(self, state: MeltanoState) -> None:
        """Replace a state.

        A state with neither half is no state: it is cleared.

        Raises:
            StateIDLockedError: somebody else holds its lock.
        """
        halves = _halves(state)
        if halves is None:
            self._write(state.state_id, "DELETE", None)
        else:
            self._write(state.state_id, "PUT", _dump(state.state_id, halves))

    @override
    @_in_meltanos_words
    def delete(self, state_id: str) -> None:
        """Clear a state; it is no error if there is none.

        Raises:
            StateIDLockedError: somebody else holds its lock.
        """
        self._write(state_id, "DELETE", None)

    @override
    def get_state_ids(self, pattern: str | None = None) -> Iterator[str]:
        """List the ids, in the order of their bytes.

        Args:
            pattern: `*` any text, `?` one character, `[…]` one of; None and empty are all.
        """
        # Meltano asks for each state right after its id: it has come with the page.
        for entry, fetched in self._pages(pattern):
            if entry["readable"]:
                state = MeltanoState(
                    entry["state_id"],
                    partial_state=entry["partial_state"] or {},
                    completed_state=entry["completed_state"] or {},
                )
                self._fresh = (state, fetched + FRESH_SECONDS)
            yield entry["state_id"]
        self._fresh = None

    @override
    def get_all(self, pattern: str | None = None) -> Iterator[MeltanoState]:
        """Read all states, page by page.

        Args:
            pattern: as in `get_state_ids`.

        Raises:
            StatehouseError: another program left something in the table that is no state.
        """
        for entry, _ in self._pages(pattern):
            if not entry["readable"]:
                raise StatehouseError(
                    f"What is stored under {entry['state_id']} is no state; "
                    f"`meltano state clear` or `meltano state set` repairs it ({self._service.url})"
                )
            yield MeltanoState(
                entry["state_id"],
                partial_state=entry["partial_state"] or {},
                completed_state=entry["completed_state"] or {},
            )

    @override
    @_in_meltanos_words
    def set_all(self, states: Iterable[MeltanoState]) -> int:
        """Replace many states, 32 MiB in one request, which is checked whole before it is written.

        Returns:
            How many states there were.

        Raises:
            StateIDLockedError: somebody else holds the lock of one of them. Nothing of that request was written, or
                the text names the ids that were not.
        """
        count = 0
        chunk: dict[str, str] = {}
        size = 0
        for state in states:
            completed, partial = state.completed_state or {}, state.partial_state or {}
            text = _dump(state.state_id, {"completed": completed, "partial": partial})
            length = len(text.encode()) + len(state.state_id.encode())
            if chunk and size + length > IMPORT_BYTES:
                self._import(chunk)
                chunk, size = {}, 0
            chunk[state.state_id] = text
            size += length
            count += 1
        if chunk:
            self._import(chunk)
        return count

    @override
    @_in_meltanos_words
    def clear_all(self) -> int:
        """Clear all states in one request.

        Returns:
            How many were cleared.

        Raises:
            StateIDLockedError: somebody else holds the lock of one of them; then nothing was cleared.
        """
        self._fresh = None
        body = self._unless_locked("DELETE", "/states", {"pattern": "*"})
        for state_id in body["skipped"]:
            # Locked after the others had been looked at: wait for it.
            self._write(state_id, "DELETE", None)
        return int(body["deleted"]) + len(body["skipped"])

    @override
    @_in_meltanos_words
    def migrate(self) -> None:
        """Look whether the service is there and speaks the same contract. It keeps its tables up to date itself."""
        self._service.call("GET", "/states", params={"limit": 1})

    @override
    @contextmanager
    def acquire_lock(self, state_id: str, *, retry_seconds: float = 1) -> Iterator[None]:
        """Hold the lock of a state id. It is renewed in the background.

        Args:
            state_id: the id. A thread that holds it may take it again.
            retry_seconds: pause between two requests, where one is not enough for the whole wait; those who wait are
                served in the order in which they came.

        Raises:
            StateIDLockedError: somebody else holds it, and did so until `lock_wait_seconds` were over.
        """
        with ExitStack() as held:
            with _meltanos_words():
                held.enter_context(self._turns.hold(state_id, wait=self._lock_wait, retry=float(retry_seconds)))
            yield

    def _write(self, state_id: str, method: str, text: str | None) -> None:
        self._fresh = None
        self._turns.write(state_id, method, text)

    def _pages(self, pattern: str | None) -> Iterator[tuple[dict[str, Any], float]]:
        """Give each entry and when, at the latest, it was so."""
        params: dict[str, str | int] = {"pattern": pattern or "*", "limit": PAGE, "include": "documents"}
        with _meltanos_words():
            Turns.settle_everywhere(self._service.url)
        while True:
            fetched = now()
            with _meltanos_words():
                page = self._service.call("GET", "/states", params=params).body
            for entry in page["states"]:
                yield entry, fetched
            if page["next"] is None:
                return
            params["after"] = page["next"]

    def _import(self, entries: dict[str, str]) -> None:
        body = "{" + ",".join(f"{dump(state_id)}:{text}" for state_id, text in entries.items()) + "}"
        self._fresh = None
        try:
            skipped = self._unless_locked("POST", "/import", {"allow_empty": "true"}, body, entries)["skipped"]
        except Problem as err:
            if err.code != "too-large" or len(entries) == 1:
                raise
            half = len(entries) // 2
            items = list(entries.items())
            self._import(dict(items[:half]))
            self._import(dict(items[half:]))
            return
        for state_id in skipped:
            # Locked after the others had been looked at: wait for it.
            halves = json.loads(entries[state_id])
            self.set(MeltanoState(state_id, halves["partial"], halves["completed"]))

    def _unless_locked(
        self,
        method: str,
        path: str,
        params: dict[str, str | int],
        text: str | None = None,
        ids: Container[str] | None = None,
    ) -> dict[str, Any]:
        """Ask for something that touches many states, or these, and again while one of them is locked."""
        Turns.settle_everywhere(self._service.url)
        leases = self._turns.own_leases(ids)
        for lease in leases:
            lease.record = UNKNOWN
        end = now() + self._lock_wait
        while True:
            self._keeper.release_unused()
            try:
                body: dict[str, Any] = self._service.call(
                    method,
                    path,
                    params=params,
                    json_text=text,
                    tokens=[lease.lock_id for lease in leases],
                    repeatable=False,
                    read_timeout=BULK_READ_TIMEOUT,
                ).body
            except Problem as err:
                if err.code == "lock-lost":
                    raise LeaseLostError(str(err)) from err
                if err.code != "locked":
                    raise
                if now() + self._lock_retry > end:
                    held = ", ".join(h["state_id"] for h in err.holders)
                    raise LockedError(
                        f"{held} is locked by {describe(err.holders)}; nothing was written ({self._service.url})"
                    ) from err
                time.sleep(self._lock_retry)
            else:
                self._turns.replaced(ids)
                return body


def _close(turns: Turns, keeper: Keeper, service: Service, process: int) -> None:
    if os.getpid() != process:
        # A process that was forked from the one whose locks they are.
        return
    try:
        turns.close()
    finally:
        keeper.close()
        service.close()


def _state(state_id: str, record: str | None) -> MeltanoState | None:
    if record is None:
        return None
    halves = json.loads(record)
    return MeltanoState(
        state_id,
        partial_state=halves.get("partial_state") or {},
        completed_state=halves.get("completed_state") or {},
    )


def _halves(state: MeltanoState) -> dict[str, Any] | None:
    halves = {"completed_state": state.completed_state or None, "partial_state": state.partial_state or None}
    return halves if any(halves.values()) else None


def _dump(state_id: str, value: dict[str, Any]) -> str:
    try:
        return dump(value)
    except (ValueError, TypeError) as err:
        raise StatehouseError(f"The state of {state_id} cannot be written as JSON: {err}") from err
