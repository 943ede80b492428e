"""`statehouse lock ID -- COMMAND`: run any command while holding a lock."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from meltano_state_backend_statehouse.lease import (
    LONGEST_TTL,
    Keeper,
    Lease,
    LockedError,
    lost_text,
    owner_name,
)
from meltano_state_backend_statehouse.service import Address, Problem, Service, ServiceError, now, state_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# What the shell and sysexits.h say.
UNAVAILABLE = 69
LOCKED = 75
LOST = 76
FORBIDDEN = 77
NOT_EXECUTABLE = 126
NOT_FOUND = 127

# Seconds between two looks at the lease.
POLL = 0.1
# Seconds that a command has to end by itself after the lease was lost.
GRACE = 10.0
# The command is ended before the lease is over, not after: it needs time to end.
LONGEST_MARGIN = 5.0

PASSED_ON = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH", "SIGCONT")

DESCRIPTION = """\
Run a command while holding the lock of a state id. The lock is renewed while the command runs and given back when it
ends. Signals are passed on to the command, and its exit code comes back. If the lock is lost, the command is ended.
If this process itself is killed, the command runs on, and without the lock once --ttl is over.

The command finds in its environment STATEHOUSE_LOCK_TOKEN (for the header Lock-Token of its writes),
STATEHOUSE_FENCING_TOKEN (grows with every holder; for other systems), STATEHOUSE_STATE_URL (where its state is) and
STATEHOUSE_URL.
"""

EPILOG = f"""\
exit codes: the command's own, or 128 + n if signal n ended it; {LOCKED}: somebody else holds the lock; {LOST}: the lock
was lost; {FORBIDDEN}: the token is missing, wrong, or not enough; {UNAVAILABLE}: the service does not answer;
{NOT_EXECUTABLE}, {NOT_FOUND}: it cannot be run, or is missing.

The address is taken from STATEHOUSE_URL, a token from STATEHOUSE_TOKEN.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: the arguments; those of the process if None.

    Returns:
        The exit code.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    # What stands behind the first -- is the command's own, also another --.
    split = arguments.index("--") if "--" in arguments else len(arguments)
    parser = _parser()
    args = parser.parse_args(arguments[:split])
    args.command = arguments[split + 1 :]
    if not args.command:
        parser.error("the command is missing: statehouse lock ID -- COMMAND")
    try:
        address = Address.from_url(args.url, os.environ.get("STATEHOUSE_TOKEN"))
        service = Service(address)
    except (ValueError, OSError) as err:
        return _say(str(err), 2)
    try:
        return _lock(service, args, {"STATEHOUSE_TOKEN": address.token} if address.token else {})
    except LockedError as err:
        return _say(str(err), LOCKED)
    except ServiceError as err:
        denied = isinstance(err, Problem) and err.status in {401, 403}
        return _say(str(err), FORBIDDEN if denied else UNAVAILABLE)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    finally:
        service.close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="statehouse", description="Statehouse on the command line.")
    commands = parser.add_subparsers(dest="what", required=True, metavar="lock")
    lock = commands.add_parser(
        "lock",
        help="run a command while holding a lock",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="statehouse lock ID [--ttl 60] [--wait 300] [--owner TEXT] [--url URL] -- COMMAND [ARGUMENT ...]",
    )
    lock.add_argument("id", metavar="ID", help="the state id whose lock to take")
    lock.add_argument("--ttl", type=_between(1, LONGEST_TTL), default=60, help="seconds the lock lasts if we die (60)")
    lock.add_argument("--wait", type=_between(0, 7 * LONGEST_TTL), default=300, help="seconds to wait for it (300)")
    lock.add_argument("--owner", default=None, help="who to name as the holder")
    lock.add_argument(
        "--url",
        default=os.environ.get("STATEHOUSE_URL") or "http://localhost:8080",
        help="the service (STATEHOUSE_URL, or http://localhost:8080)",
    )
    return parser


def _between(least: int, most: int) -> Any:
    def number(text: str) -> int:
        value = int(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{value} is not from {least} to {most}")
        return value

    return number


def _lock(service: Service, args: argparse.Namespace, environment: dict[str, str]) -> int:
    keeper = Keeper(service, owner=args.owner or owner_name("statehouse lock"), ttl=args.ttl)
    # A SIGTERM while we wait must leave the queue, as Ctrl-C does.
    with _handled(["SIGTERM", "SIGHUP"], _stop):
        try:
            lease, _ = keeper.take(args.id, wait=args.wait, retry=1.0)
            environment = {
                **os.environ,
                **environment,
                "STATEHOUSE_URL": service.url,
                "STATEHOUSE_STATE_URL": service.url + state_path(args.id),
                "STATEHOUSE_LOCK_TOKEN": lease.lock_id,
                "STATEHOUSE_FENCING_TOKEN": str(lease.fencing_token),
            }
            return _run(service, keeper, lease, args.command, environment)
        finally:
            keeper.close()


def _run(service: Service, keeper: Keeper, lease: Lease, command: list[str], environment: dict[str, str]) -> int:
    # At a terminal the command stays in our process group: Ctrl-C and Ctrl-Z reach both of us, as anybody expects.
    # Elsewhere it has a group of its own, so that a signal reaches all of a pipeline.
    terminal = _at_terminal()
    early: list[int] = []
    process: subprocess.Popen[bytes] | None = None

    def pass_on(number: int, _frame: object) -> None:
        if process is None:
            early.append(number)
        elif not (terminal and number in {signal.SIGINT, signal.SIGQUIT, signal.SIGWINCH, signal.SIGCONT}):
            _signal(process, number, group=not terminal)

    with _handled(PASSED_ON, pass_on):
        try:
            process = subprocess.Popen(command, env=environment, start_new_session=not terminal)  # noqa: S603
        except FileNotFoundError:
            return _say(f"{command[0]}: not found", NOT_FOUND)
        except OSError as err:
            return _say(f"{command[0]}: {err.strerror}", NOT_EXECUTABLE)
        for number in early:
            pass_on(number, None)
        if _ended_in_time(lease, process):
            code = process.returncode
            return code if code >= 0 else 128 - code
        _signal(process, signal.SIGTERM, group=not terminal)
        killed_at = now() + GRACE
        # Asking who has the lock now may take a while, so that comes after.
        why = lost_text(service, lease.state_id) if lease.over else lease.trouble
        _say(f"{why or f'The lock of {lease.state_id} could not be renewed in time'}; ending the command", LOST)
        keeper.forget(lease)
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, killed_at - now()))
        _signal(process, signal.SIGKILL, group=not terminal)
        process.wait()
        return LOST


def _ended_in_time(lease: Lease, process: subprocess.Popen[bytes]) -> bool:
    """Wait for the command to end, while the keeper renews the lease; false if that comes to an end before."""
    margin = min(LONGEST_MARGIN, lease.ttl / 6)
    while not lease.over and now() < lease.ends - margin:
        with suppress(subprocess.TimeoutExpired):
            process.wait(POLL)
            return True
    return False


def _at_terminal() -> bool:
    try:
        return os.isatty(0) and os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False


def _signal(process: subprocess.Popen[bytes], number: int, *, group: bool) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if group:
            os.killpg(process.pid, number)
        elif process.poll() is None:
            os.kill(process.pid, number)


def _stop(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


@contextmanager
def _handled(names: Sequence[str], handler: Any) -> Iterator[None]:
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    # What nohup has had ignored stays ignored.
    numbers = [number for number in numbers if signal.getsignal(number) != signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def _say(text: str, code: int) -> int:
    print(f"statehouse: {text}", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
