"""A state and a lock through the generated Python client: python roundtrip.py URL TOKEN."""

import sys
import uuid
from collections.abc import Callable
from typing import Any

from statehouse_client import ApiClient, ApiException, Configuration, LocksApi, Problem, StatesApi, TransferApi
from statehouse_client.models import ExportValue, ImportValue, LeaseRequest, RenewRequest, StateHalves, StateRecord

DOCUMENT: dict[str, Any] = {
    "singer_state": {"bookmarks": {"orders": {"id": 9007199254740993, "sum": 10**30, "none": None, "list": [None, {}]}}}
}
# They differ in what is encoded alone; all of them are other ids.
IDS = ["py:a/b", "py:a%2Fb", "py:a%252Fb", "py:a b;c?d#e&f=g+h", "py:a+b", "py:\N{SNOWMAN} \N{PILE OF POO}\"'<>"]


def problem(status: int, failure: ApiException) -> Problem:
    """What a refused call was answered, as its type."""
    assert failure.status == status, failure
    assert isinstance(failure.data, Problem), failure
    return failure.data


def refused(status: int, code: str, call: Callable[..., object], *arguments: Any, **options: Any) -> Problem:
    """Make a call that must be refused."""
    try:
        call(*arguments, **options)
    except ApiException as failure:
        found = problem(status, failure)
        assert found.code == code, found
        return found
    raise AssertionError(f"not refused: {arguments}")


def states(api: StatesApi, transfer: TransferApi) -> None:
    """Write, read, list, export and import."""
    for number, state_id in enumerate(IDS):
        partial = {"singer_state": {"number": number}}
        made = api.put_state_with_http_info(state_id, StateHalves(completed_state=DOCUMENT, partial_state=partial))
        assert (made.status_code, made.data.state_id) == (201, state_id), made
    for number, state_id in enumerate(IDS):
        view = api.get_state(state_id).actual_instance
        assert isinstance(view, StateRecord)
        assert (view.completed_state, view.partial_state) == (DOCUMENT, {"singer_state": {"number": number}}), view
        merged = api.get_state(state_id, view="merged").actual_instance
        assert merged == {"singer_state": {**DOCUMENT["singer_state"], "number": number}}, merged

    replaced = api.put_state(IDS[0], StateHalves(completed_state=DOCUMENT, partial_state=None))
    assert replaced.partial_state is None, replaced
    assert api.put_state(IDS[0], StateHalves(completed_state=DOCUMENT)).partial_state is None
    refused(412, "version-mismatch", api.delete_state, IDS[0], if_match=f'"{replaced.version}"')
    missing = refused(404, "state-not-found", api.get_state, "py:none")
    assert missing.request_id, missing

    page = api.list_states(pattern="py:*", include="documents")
    assert page.next is None
    assert sorted(entry.state_id for entry in page.states) == sorted(IDS), page
    first = next(entry for entry in page.states if entry.state_id == IDS[0])
    assert (first.completed_state, first.partial_state) == (DOCUMENT, None), first
    plain = api.list_states(pattern="py:*", limit=2)
    assert (plain.next, plain.states[0].has_completed, plain.states[0].completed_state) == (IDS[2], True, None), plain

    exported = transfer.export_states(pattern="py:a/b")
    assert exported == {"py:a/b": ExportValue(completed=DOCUMENT, partial={})}, exported
    result = transfer.import_states({"py:imported": ImportValue(completed=DOCUMENT, partial=None)})
    assert (result.imported, result.skipped) == (1, []), result


def locks(api: LocksApi, store: StatesApi) -> None:
    """Take, write under, renew, release."""
    state_id, lock_id = IDS[1], uuid.uuid4()
    lease = api.acquire_lock(state_id, LeaseRequest(owner="round trip", ttl_seconds=60, lock_id=lock_id))
    assert (lease.state_id, lease.lock_id) == (state_id, lock_id), lease
    halves = StateHalves(completed_state={"a": 1})
    held = refused(423, "locked", store.put_state, state_id, halves)
    assert held.holder
    assert held.holder.owner == "round trip", held
    assert (held.holder.fencing_token, held.waiting) == (lease.fencing_token, 0), held
    assert store.put_state(state_id, halves, lock_token=str(lock_id)).completed_state == {"a": 1}
    assert api.renew_lock(state_id, str(lock_id), RenewRequest(ttl_seconds=90)).expires_at > lease.expires_at
    api.release_lock(state_id, lock_token=str(lock_id))
    refused(404, "not-locked", api.get_lock, state_id)
    refused(409, "lock-lost", store.put_state, state_id, halves, lock_token=str(lock_id))


def main() -> None:
    """Try it all."""
    url, token = sys.argv[1:]
    with ApiClient(Configuration(host=url)) as stranger:
        refused(401, "unauthenticated", StatesApi(stranger).get_state, "py:none")
    with ApiClient(Configuration(host=url, access_token=token)) as client:
        states(StatesApi(client), TransferApi(client))
        locks(LocksApi(client), StatesApi(client))
    print(f"Python: {len(IDS)} states and a lock went round")


if __name__ == "__main__":
    main()
