"""Leases: taking them, keeping them alive, letting them go.

`Keeper` keeps a lease for a moment after use, because Meltano takes and gives back the lock for each STATE message:

1. `take` gives a lease: the one that is kept, if it is still live, at no cost; else it asks the service.
2. While it is used, a thread renews it after each third of its time.
3. `give_back` keeps it for a second. It releases it at once if an answer said that somebody waits, or if it has been
   held for five seconds: of those who only ask now and then, as under `settle`, no answer can tell. After such a
   release the next `take` leaves a gap as long as it took to get the lease, so that they have a chance.
4. When the second is over and nobody took it again, the thread releases it.

What is written in the background (`Behind`) uses the lease too, so it is kept until that is done.
"""

from __future__ import annotations

import logging
import math
import os
import socket
import threading
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from meltano_state_backend_statehouse.service import (
    PATIENCE,
    READ_TIMEOUT,
    Problem,
    Service,
    ServiceError,
    dump,
    lock_path,
    now,
)

logger = logging.getLogger(__name__)

KEEP_SECONDS = 1.0
LONGEST_KEEP = 5.0
LONGEST_GAP = 1.5
# The service takes a place out of the queue when the waiting time that it was told is over, and leaves it there for a
# few seconds when the connection breaks. So who waits for longer breaks off before, and asks again.
LONGEST_WAIT = 300
ASK_AGAIN = 290.0
# How long to wait for the answer to a renewal before it is sent again.
RENEW_TIMEOUT = 10.0
LONGEST_TTL = 86_400

# A lease with less time than this left is not used again without asking.
MARGIN = 0.5


class UnknownRecord:
    """Stands for a record that has not been read under the lease."""


UNKNOWN = UnknownRecord()


@dataclass
class Lease:
    """One acquisition of the lock of a state id."""

    state_id: str
    lock_id: str
    ttl: int
    fencing_token: int
    ends: float
    """When it ends, by `now()`, unless it is renewed: counted from when the last request for it was sent, or, as that
    one may have waited for the lock, from a tenth of the lease before its answer came."""
    taken: float = 0.0
    """When it was taken, by `now()`."""
    cost: float = 0.0
    """How many seconds it took to take it."""
    renewals: int = 0
    """How often it was renewed."""
    trouble: str = ""
    """Why the last renewal failed; empty if it did not."""
    waiting: int = 0
    """How many waited for the lock when the service last said so."""
    writes: int = 0
    """How many writes were made under it."""
    users: int = 0
    """Who uses it now: a turn, writes in the background."""
    over: bool = False
    """It was let go, or lost."""
    record: Any = UNKNOWN
    """The record as JSON text, None for no record: nobody else can have changed it since it was read or written."""
    version: str | None = None
    """The ETag of the record."""
    renew_at: float = field(default=0.0)
    release_at: float | None = None
    """When the keeper lets it go; None while it is used."""

    @property
    def live(self) -> bool:
        """Whether it is not over and has time left, as far as one can tell from here."""
        return not self.over and now() < self.ends

    @property
    def usable(self) -> bool:
        """Whether it may be used again without asking."""
        return not self.over and now() + MARGIN < self.ends


class LockedError(ServiceError):
    """Somebody else holds the lock."""


class LeaseLostError(ServiceError):
    """A lease ended before its holder let it go."""


def owner_name(what: str) -> str:
    """What a holder calls itself."""
    return f"{what} on {socket.gethostname()}, process {os.getpid()}"[:256]


def acquire(service: Service, state_id: str, *, owner: str, ttl: int, wait: float, retry: float = 1.0) -> Lease:
    """Take a lock.

    Args:
        service: where.
        state_id: the id whose lock it is.
        owner: what the holder calls itself.
        ttl: seconds that the lease lasts unless it is renewed.
        wait: seconds to wait at the most. The place in the queue is kept while connections break.
        retry: seconds between two calls, where one is not enough for the whole wait.

    Raises:
        LockedError: somebody else holds it, and did so until the wait was over.
        ServiceError: the service could not be asked.
    """
    asked = sent = now()
    end = asked + wait
    lock_id = str(uuid.uuid4())
    ttl = max(1, min(ttl, LONGEST_TTL))

    def body() -> str:
        # Written anew for each sending: a proxy may cut a long wait, and the rest of it is shorter.
        nonlocal sent
        sent = now()
        rest = min(LONGEST_WAIT, max(0, math.ceil(end - sent)))
        return dump({"owner": owner, "ttl_seconds": ttl, "wait_seconds": rest, "lock_id": lock_id})

    try:
        while True:
            left = max(0.0, end - now())
            try:
                answer = service.call(
                    "POST",
                    lock_path(state_id),
                    json_text=body,
                    patience=left + PATIENCE,
                    read_timeout=ASK_AGAIN if left > LONGEST_WAIT else left + READ_TIMEOUT,
                )
            except Problem as err:
                if err.code == "lock-lost":
                    # It was granted, but the answer was lost and the lease over before it could be asked for again.
                    lock_id = str(uuid.uuid4())
                elif err.code != "locked":
                    raise
                elif now() + min(retry, 1.0) >= end:
                    raise LockedError(f"{state_id} is locked by {describe(err.holders)} ({service.url})") from err
                time.sleep(min(retry, max(0.0, end - now())))
                continue
            granted = answer.body
            lease = Lease(state_id, lock_id, ttl, granted["fencing_token"], 0.0, taken=now(), cost=now() - asked)
            seconds = granted["expires_in_ms"] / 1000
            _last(lease, seconds, since=max(sent, now() - seconds / 10))
            return lease
    except BaseException:
        # Also when interrupted: nobody should wait for one that has gone.
        with suppress(ServiceError):
            service.call("DELETE", lock_path(state_id), tokens=[lock_id], patience=1.0, read_timeout=2.0)
        raise


def renew(service: Service, lease: Lease) -> None:
    """Make a lease last for its whole time again. Gives up when half of the rest is over, to be called again.

    Raises:
        LeaseLostError: it has ended.
        ServiceError: the service could not be asked; the lease may live until `ends`.
    """
    sent = now()
    try:
        answer = service.call(
            "PUT",
            lock_path(lease.state_id),
            json_text=dump({"ttl_seconds": lease.ttl}),
            tokens=[lease.lock_id],
            read_timeout=RENEW_TIMEOUT,
            until=sent + (lease.ends - sent) / 2,
        )
    except Problem as err:
        if err.code != "lock-lost":
            raise
        lease.over = True
        raise LeaseLostError(f"The lock of {lease.state_id} was lost") from err
    lease.waiting = answer.waiting
    lease.renewals += 1
    _last(lease, answer.body["expires_in_ms"] / 1000, since=sent)


def release(service: Service, lease: Lease) -> None:
    """Let a lease go. If the service cannot be asked, the lease ends by itself."""
    lease.over = True
    try:
        with suppress(ServiceError):
            service.call("DELETE", lock_path(lease.state_id), tokens=[lease.lock_id], patience=2.0, read_timeout=5.0)
    except Exception:
        logger.exception("The lock of %s could not be given back", lease.state_id)


def describe(holders: list[dict[str, Any]]) -> str:
    """Name the holders of locks and when their leases end."""
    return "; ".join(f"'{h['owner']}' until {h['expires_at']}" for h in holders) or "somebody else"


def lost_text(service: Service, state_id: str) -> str:
    """Say that the lock of an id was lost, and to whom."""
    who = "nobody holds it now"
    try:
        holder = service.call("GET", lock_path(state_id), patience=2.0, read_timeout=5.0).body
        who = f"it is now held by {describe([holder])}"
    except Problem as err:
        if err.code != "not-locked":
            who = str(err)
    except ServiceError as err:
        who = str(err)
    return f"The lock of {state_id} was lost before the work under it was done; {who} ({service.url})"


def _last(lease: Lease, seconds: float, *, since: float) -> None:
    lease.ends = since + seconds
    lease.renew_at = since + seconds / 3


class Keeper:
    """Keeps leases alive while they are used, and for a moment afterwards."""

    def __init__(self, service: Service, *, owner: str, ttl: int, keep: float = KEEP_SECONDS) -> None:
        self._service = service
        self._owner = owner
        self._ttl = ttl
        self._keep = keep
        self._leases: dict[str, Lease] = {}
        self._not_before: dict[str, float] = {}
        self._changed = threading.Condition()
        self._wakes_at = 0.0
        self._thread: threading.Thread | None = None
        self._closed = False

    def take(self, state_id: str, *, wait: float, retry: float) -> tuple[Lease, bool]:
        """Give a lease, and whether it is one that was kept.

        Raises:
            LockedError: somebody else holds the lock.
            ServiceError: the service could not be asked.
        """
        with self._changed:
            kept = self._leases.get(state_id)
            if kept and kept.usable:
                kept.release_at = None
                kept.users += 1
                return kept, True
            self._leases.pop(state_id, None)
            gap = self._not_before.pop(state_id, 0.0) - now()
        if kept and not kept.over:
            release(self._service, kept)
        if gap > 0.0:
            time.sleep(gap)
        lease = acquire(self._service, state_id, owner=self._owner, ttl=self._ttl, wait=wait, retry=retry)
        lease.users = 1
        with self._changed:
            self._leases[state_id] = lease
            self._watch(lease.renew_at)
        return lease, False

    def wanted(self, lease: Lease) -> bool:
        """Whether a lease is to be let go as soon as it is not used."""
        return lease.waiting > 0 or self._closed or now() - lease.taken >= LONGEST_KEEP

    def give_back(self, lease: Lease) -> None:
        """The lease is not used any more, for now, by the one who took it."""
        with self._changed:
            lease.users -= 1
            if lease.users > 0:
                return
            if not lease.over and not self.wanted(lease):
                lease.release_at = now() + self._keep
                self._watch(lease.release_at)
                return
            self._leave_a_gap(lease)
            self._forget(lease)
        if not lease.over:
            release(self._service, lease)

    def used_behind(self, lease: Lease, busy: bool) -> None:  # noqa: FBT001
        """The lease is used in the background from now on, or not any more. Asks nothing of the service."""
        with self._changed:
            if busy:
                lease.users += 1
                return
            lease.users -= 1
            if lease.users > 0 or lease.over:
                return
            lease.release_at = now()
            if self.wanted(lease):
                self._leave_a_gap(lease)
            else:
                lease.release_at += self._keep
            self._watch(lease.release_at)

    def forget(self, lease: Lease) -> None:
        """The lease is lost."""
        lease.over = True
        with self._changed:
            self._forget(lease)

    def release_unused(self) -> None:
        """Let go of what is only kept."""
        with self._changed:
            unused = [lease for lease in self._leases.values() if lease.release_at is not None]
            for lease in unused:
                self._forget(lease)
        for lease in unused:
            release(self._service, lease)

    def close(self) -> None:
        """Let go of everything and end the thread."""
        with self._changed:
            self._closed = True
            leases = list(self._leases.values())
            self._leases.clear()
            self._changed.notify_all()
            thread = self._thread
        for lease in leases:
            if not lease.over:
                release(self._service, lease)
        if thread and thread is not threading.current_thread():
            thread.join(timeout=1.0)

    def _leave_a_gap(self, lease: Lease) -> None:
        if not lease.waiting and not lease.over and not self._closed:
            self._not_before[lease.state_id] = now() + min(lease.cost, LONGEST_GAP)

    def _forget(self, lease: Lease) -> None:
        if self._leases.get(lease.state_id) is lease:
            del self._leases[lease.state_id]

    def _watch(self, at: float) -> None:
        # The thread is woken only if it would sleep for too long: most uses cost it nothing.
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="statehouse-leases", daemon=True)
            self._thread.start()
        elif at < self._wakes_at:
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                if self._closed:
                    return
                due = now()
                old = [x for x in self._leases.values() if x.renew_at <= due]
                # Renewing is urgent, and letting go may take its time: one in a round.
                ripe = next(
                    (x for x in self._leases.values() if x.release_at is not None and x.release_at <= due), None
                )
                if not ripe and not old:
                    self._wakes_at = min(
                        [due + 3600.0] + [min(x.renew_at, x.release_at or x.renew_at) for x in self._leases.values()]
                    )
                    self._changed.wait(self._wakes_at - due)
                    continue
                for lease in old:
                    lease.renew_at = due + max(0.2, lease.ttl / 10)
                if ripe:
                    self._forget(ripe)
            for lease in old:
                if lease is not ripe:
                    self._renew(lease)
            if ripe:
                release(self._service, ripe)

    def _renew(self, lease: Lease) -> None:
        try:
            renew(self._service, lease)
            lease.trouble = ""
        except LeaseLostError:
            self.forget(lease)
        except Exception as err:
            # Tried again at `renew_at`; what is written meanwhile is judged by the service.
            lease.trouble = str(err)
            if not isinstance(err, ServiceError) and not self._closed:
                logger.exception("The lock of %s could not be renewed", lease.state_id)
            if not lease.live:
                self.forget(lease)
