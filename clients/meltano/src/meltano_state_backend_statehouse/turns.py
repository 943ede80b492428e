"""Turns at a state: its lock, what was read and written under it, and what is written in the background."""

from __future__ import annotations

import json
import logging
import os
import threading
import weakref
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from meltano_state_backend_statehouse.behind import Behind, may_be_stored
from meltano_state_backend_statehouse.lease import UNKNOWN, Keeper, Lease, LeaseLostError, LockedError, lost_text
from meltano_state_backend_statehouse.service import (
    PATIENCE,
    READ_TIMEOUT,
    Answer,
    Problem,
    Service,
    ServiceError,
    state_path,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator

logger = logging.getLogger(__name__)

# So many writes under a lease are waited for before one is not: a command writes once, a run again and again.
WAITED_FOR = 2
# Seconds to look for the service once more at the end, where a write has already failed for want of it.
PATIENCE_AT_LAST = 5.0


@dataclass
class Turn:
    """The turns of one process at one state id: of its threads one at a time, and of one thread as deep as it likes."""

    state_id: str
    mutex: Any = field(default_factory=threading.RLock)
    thread: int | None = None
    depth: int = 0
    lease: Lease | None = None
    kept: bool = False
    """The lease is one that was kept, and no write of this turn has shown yet that it lives."""
    renewals: int = 0
    """How often the lease had been renewed when it was taken: a renewal since then shows that it lived in this turn."""
    read: bool = False
    """What is known of the record was handed out, so a write may build on it."""
    behind: Behind | None = None
    """What is written in the background, or could not be. It is given up only for what replaces it, or with a word."""

    @property
    def held(self) -> Lease:
        """The lease of the turn that is taken."""
        assert self.lease is not None  # noqa: S101
        return self.lease


class Turns:
    """The turns of one manager."""

    everywhere: ClassVar[weakref.WeakValueDictionary[int, Turns]] = weakref.WeakValueDictionary()

    def __init__(
        self,
        service: Service,
        keeper: Keeper,
        *,
        wait: float,
        retry: float,
        linger: float,
        owner: Callable[[], object],
    ) -> None:
        """Start with none.

        Args:
            service: where the states are.
            keeper: keeps the leases.
            wait: seconds to wait for a lock.
            retry: seconds between two calls for one, where a single one is not enough for the whole wait.
            linger: seconds between two writes in the background; 0: each write is waited for.
            owner: gives the manager, which must not be closed as garbage before all is written.
        """
        self._service = service
        self._keeper = keeper
        self._wait = wait
        self._retry = retry
        self._linger = linger
        self._owner = owner
        self._turns: dict[str, Turn] = {}
        # One may be closed as garbage by a thread that is in here.
        self._mutex = threading.RLock()
        self.everywhere[id(self)] = self

    def own(self, state_id: str) -> Turn | None:
        """The turn that this thread has at an id."""
        turn = self._turns.get(state_id)
        return turn if turn is not None and turn.thread == threading.get_ident() else None

    def own_leases(self, ids: Container[str] | None) -> list[Lease]:
        """The leases that this thread holds, of these ids or of all."""
        return [turn.lease for turn in self._own_turns(ids) if turn.lease]

    def replaced(self, ids: Container[str] | None) -> None:
        """The states whose locks this thread holds, of these ids or all, were replaced past their turns."""
        for turn in self._own_turns(ids):
            turn.behind = None

    @classmethod
    def settle_everywhere(cls, url: str, state_id: str | None = None) -> None:
        """Wait until what this process writes in the background is stored: at that service, of that id or all.

        Raises:
            ServiceError: it could not be written.
        """
        for turns in [reference() for reference in cls.everywhere.valuerefs()]:
            if turns is None or turns._service.url != url:  # noqa: SLF001
                continue
            for one in [state_id] if state_id is not None else turns._ids():  # noqa: SLF001
                turns._settle(one)  # noqa: SLF001

    def close(self) -> None:
        """Write what is left to be written. What cannot be is said in the log."""
        self.everywhere.pop(id(self), None)
        left = [turn for turn in map(self._turns.get, self._ids()) if turn and turn.behind]
        try:
            while left:
                self._last(left[0])
                del left[0]
        finally:
            for turn in left:
                _say(turn, "the end was broken off")

    @contextmanager
    def hold(self, state_id: str, *, wait: float, retry: float) -> Iterator[Turn]:
        """Hold the lock of an id. A thread that holds it may take it again.

        Raises:
            LockedError: somebody else holds it, and did so until the wait was over.
            LeaseLostError: a write in the background met a lost lease, and somebody else has written since.
            ServiceError: the service could not be asked.
        """
        with self._mutex:
            turn = self._turns.setdefault(state_id, Turn(state_id))
        if not turn.mutex.acquire(timeout=max(0.0, wait)):
            raise LockedError(f"{state_id} is locked by another thread of this process")
        try:
            if turn.depth == 0:
                self._begin(turn, wait, retry)
            turn.depth += 1
            try:
                yield turn
            finally:
                turn.depth -= 1
                if turn.depth == 0:
                    self._end(turn)
        finally:
            turn.mutex.release()

    def read(self, state_id: str, patience: float = PATIENCE) -> tuple[str | None, str | None]:
        """Ask for a record: its JSON, None if there is none, and its ETag."""
        try:
            response = self._service.call(
                "GET", state_path(state_id), patience=patience, read_timeout=min(patience, READ_TIMEOUT)
            ).response
        except Problem as err:
            if err.code == "state-not-found":
                return None, None
            raise
        return response.text, response.headers.get("ETag")

    def record(self, turn: Turn) -> str | None:
        """The record under a lock that is held. It is read once; nobody else can change it meanwhile."""
        lease = turn.held
        if lease.record is UNKNOWN or not lease.live:
            if turn.behind:
                turn.behind.settle()
                if turn.behind.error and lease.over:
                    raise LeaseLostError(lost_text(self._service, turn.state_id)) from turn.behind.error
                if turn.behind.error:
                    raise ServiceError(str(turn.behind.error)) from turn.behind.error
            lease.record, lease.version = self.read(turn.state_id)
        turn.read = True
        record: str | None = lease.record
        return record

    def write(self, state_id: str, method: str, text: str | None) -> None:
        """Write under the lease that this thread holds, or under one of its own.

        1. In a row of turns, from the third write on, it is left to the background.
        2. Else send it with the lease's token. Nobody else can write meanwhile, so it may be sent again.
        3. If the lease turns out to be lost, and is one that was only kept from an earlier use and has not been seen
           alive in this turn: take the lock anew, see that what this turn has read is still so, and write.
        4. In any other case what was done under the lock is no longer safe: LeaseLostError.
        """
        turn = self.own(state_id)
        if turn is None:
            with self.hold(state_id, wait=self._wait, retry=self._retry):
                self.write(state_id, method, text)
            return
        if method == "PUT" and text is not None and self._leave(turn, text):
            return
        if turn.behind:
            turn.behind.settle()
        lease = turn.held
        try:
            self._send(turn, lease, method, text)
        except LeaseLostError:
            if not turn.kept or lease.renewals != turn.renewals:
                raise
            before = lease
            lease, turn.kept = self._keeper.take(state_id, wait=self._wait, retry=self._retry)
            turn.lease = lease
            if turn.read and self._is_changed(turn, before):
                raise
            self._send(turn, lease, method, text)

    def _ids(self) -> list[str]:
        with self._mutex:
            return list(self._turns)

    def _own_turns(self, ids: Container[str] | None) -> list[Turn]:
        turns = [self.own(state_id) for state_id in self._ids()]
        return [turn for turn in turns if turn and (ids is None or turn.state_id in ids)]

    def _begin(self, turn: Turn, wait: float, retry: float) -> None:
        if turn.behind and not turn.behind.lease.usable:
            turn.behind.settle()
        self._take(turn, wait, retry)
        turn.thread = threading.get_ident()
        try:
            try:
                self._catch_up(turn)
            except LeaseLostError:
                if turn.behind is None:
                    raise
                # It was only kept, and lost meanwhile.
                self._take(turn, wait, retry)
                self._catch_up(turn)
        except BaseException:
            self._end(turn)
            raise

    def _take(self, turn: Turn, wait: float, retry: float) -> None:
        turn.lease, turn.kept = self._keeper.take(turn.state_id, wait=wait, retry=retry)
        turn.renewals, turn.read = turn.lease.renewals, False

    def _end(self, turn: Turn) -> None:
        lease, turn.lease, turn.thread = turn.lease, None, None
        if lease is None:
            return
        try:
            if turn.behind and self._keeper.wanted(lease):
                turn.behind.settle()
        finally:
            self._keeper.give_back(lease)

    def _leave(self, turn: Turn, text: str) -> bool:
        lease = turn.held
        if not (self._linger > 0 and turn.kept and lease.usable and lease.writes >= WAITED_FOR):
            return False
        if turn.behind is None:
            turn.behind = Behind(
                lease,
                pause=self._linger,
                send=partial(self._send_behind, lease),
                busy=partial(self._keeper.used_behind, lease),
                owner=self._owner(),
            )
        if not turn.behind.put(text):
            return False
        lease.record = text
        return True

    def _send_behind(self, lease: Lease, text: str) -> None:
        try:
            answer = self._call(lease, "PUT", text)
        except Problem as err:
            if err.code == "lock-lost":
                self._keeper.forget(lease)
            raise
        _written(lease, answer)

    def _settle(self, state_id: str) -> None:
        turn = self._turns.get(state_id)
        behind = turn.behind if turn else None
        if behind is None:
            return
        behind.settle()
        if behind.error and not self.own(state_id):
            with self.hold(state_id, wait=self._wait, retry=self._retry):
                pass

    def _catch_up(self, turn: Turn) -> None:
        """Write what could not be written in the background, unless somebody else has written since."""
        behind, lease = turn.behind, turn.held
        if behind is None or (behind.error is None and behind.lease is lease):
            return
        behind.settle()
        text = behind.unsent
        if text is not None:
            if behind.lease is not lease and self._is_changed(turn, behind.lease):
                lost = f"The lock of {turn.state_id} was lost, and somebody else has written since"
                _gave_up(turn, lost)
                raise LeaseLostError(f"{lost} ({self._service.url})") from behind.error
            try:
                self._send(turn, lease, "PUT", text)
            except Problem as err:
                if not err.refuses:
                    raise
                # It is told now, and the turn goes on from what is stored.
                _gave_up(turn, str(err))
                return
            logger.info("The newest state of %s is written now", turn.state_id)
        turn.behind = None

    def _is_changed(self, turn: Turn, before: Lease) -> bool:
        """Whether somebody else has written since a lease that is lost: what may be our own is not meant."""
        record, version = self.read(turn.state_id)
        behind = turn.behind
        ours = [*behind.perhaps, behind.unsent] if behind else []
        return version != before.version and not any(_is_same(record, text) for text in ours)

    def _last(self, turn: Turn) -> None:
        behind = turn.behind
        if behind is None:
            return
        behind.settle()
        try:
            if behind.error is not None:
                # It may be back by now, and the lease that is lost still stand.
                self.read(turn.state_id, PATIENCE_AT_LAST)
                wait = min(self._wait, behind.lease.ttl + 1.0)
                with self.hold(turn.state_id, wait=wait, retry=self._retry) as held:
                    self._catch_up(held)
        except ServiceError as err:
            _say(turn, str(err))

    def _send(self, turn: Turn, lease: Lease, method: str, text: str | None) -> None:
        if lease.over:
            raise LeaseLostError(lost_text(self._service, lease.state_id))
        try:
            answer = self._call(lease, method, text)
        except ServiceError as err:
            # Whether it was written is not known.
            lease.record = UNKNOWN
            if turn.behind and text is not None and may_be_stored(err):
                turn.behind.perhaps.append(text)
            if not isinstance(err, Problem) or err.code != "lock-lost":
                raise
            self._keeper.forget(lease)
            if err.unsure:
                turn.kept = False
            raise LeaseLostError(lost_text(self._service, lease.state_id)) from err
        _written(lease, answer)
        lease.record = text
        turn.kept = False
        # It says all that was to be said.
        turn.behind = None

    def _call(self, lease: Lease, method: str, text: str | None) -> Answer:
        return self._service.call(method, state_path(lease.state_id), json_text=text, tokens=[lease.lock_id])


def _written(lease: Lease, answer: Answer) -> None:
    lease.writes += 1
    lease.waiting = answer.waiting
    lease.version = answer.response.headers.get("ETag")


def _gave_up(turn: Turn, why: str) -> None:
    _say(turn, why)
    turn.behind = None


def _say(turn: Turn, why: str) -> None:
    """Nothing that was taken to be written is lost without a word."""
    if turn.behind and turn.behind.unsent is not None:
        logger.error("The last state of %s was not written: %s", turn.state_id, why)


def _is_same(record: str | None, text: str | None) -> bool:
    return record is not None and text is not None and _parts(record) == _parts(text)


def _parts(text: str) -> tuple[Any, Any]:
    halves = json.loads(text)
    return halves.get("partial_state") or None, halves.get("completed_state") or None


# What the parent writes is not for the child to wait for.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=Turns.everywhere.clear)
