"""The settings `state_backend.statehouse.*` of Meltano, and the address that they and the URI come to."""

from __future__ import annotations

from urllib.parse import parse_qs, unquote, urlsplit

from meltano.core.setting_definition import SettingDefinition
from meltano.core.state_store.base import MissingStateBackendSettingsError

from meltano_state_backend_statehouse.service import Address

PREFIX = "state_backend.statehouse"

HOST = SettingDefinition(
    name=f"{PREFIX}.host",
    label="Statehouse host",
    description="Host of the Statehouse service; overrides the one in the URI.",
    kind="string",
    env_specific=True,
)
PORT = SettingDefinition(
    name=f"{PREFIX}.port",
    label="Statehouse port",
    description="Port of the service. Without one here and in the URI: 8080, or 443 if secure.",
    kind="integer",
    env_specific=True,
)
SECURE = SettingDefinition(
    name=f"{PREFIX}.secure",
    label="Statehouse over TLS",
    description="Speak HTTPS to the service; without it, plain HTTP.",
    kind="boolean",
    env_specific=True,
)
TOKEN = SettingDefinition(
    name=f"{PREFIX}.token",
    label="Statehouse token",
    description="Sent as a bearer token with every request.",
    kind="string",
    sensitive=True,
    env_specific=True,
)
PATH = SettingDefinition(
    name=f"{PREFIX}.path",
    label="Statehouse path",
    description="Path in front of the calls, where a proxy serves Statehouse under one.",
    kind="string",
    env_specific=True,
)
VERIFY = SettingDefinition(
    name=f"{PREFIX}.verify",
    label="Statehouse certificate check",
    description="true (default), false, or a file with the certificates of the authorities to trust.",
    kind="string",
    env_specific=True,
)
LOCK_WAIT_SECONDS = SettingDefinition(
    name=f"{PREFIX}.lock_wait_seconds",
    label="Statehouse lock wait",
    description="How long to wait for a lock that somebody else holds before giving up (default 60).",
    kind="integer",
    env_specific=True,
)
LINGER_SECONDS = SettingDefinition(
    name=f"{PREFIX}.linger_seconds",
    label="Statehouse linger",
    description=(
        "The shortest time between two writes of a state for which STATE messages come one after the other (default "
        "0.05, at most 1): only the newest is written. 0: the run waits until each message is written."
    ),
    kind="decimal",
    env_specific=True,
)

_WORDS = {
    "1": True, "true": True, "yes": True, "on": True,
    "0": False, "false": False, "no": False, "off": False,
}  # fmt: skip


def address_of(
    uri: str,
    *,
    host: str | None = None,
    port: int | None = None,
    secure: bool | None = None,
    token: str | None = None,
    path: str | None = None,
    verify: bool | str | None = None,
) -> Address:
    """Say where the service is.

    Args:
        uri: `statehouse://[token@]host[:port][/path][?secure=…&verify=…]`.
        host: overrides the host of the URI; so do the others. None and an empty text override nothing.
        port: 1 to 65535.
        secure: HTTPS.
        token: the bearer token.
        path: what stands in front of `/states`.
        verify: true, false, or a file of certificates.

    Raises:
        MissingStateBackendSettingsError: there is no host.
        ValueError: a part of the URI, or a setting, is not what it should be.
    """
    parts = urlsplit(uri)
    query = parse_qs(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
    unknown = set(query) - {"secure", "verify"}
    if unknown or parts.fragment:
        raise ValueError(
            f"The URI of the state backend has a part that is not known: {', '.join(sorted(unknown)) or '#'}"
        )
    host = host or parts.hostname
    if not host:
        raise MissingStateBackendSettingsError(
            f"The host of Statehouse is missing: set state_backend.uri to statehouse://HOST:PORT, or {HOST.name}"
        )
    if secure is None and "secure" in query:
        secure = _truth(query["secure"][-1], "secure")
    if verify is None or verify == "":
        verify = query["verify"][-1] if "verify" in query else True
    if isinstance(verify, str):
        verify = _WORDS.get(verify.lower(), verify)
    # A user name alone is a token too, so that both statehouse://TOKEN@host and //user:TOKEN@host work.
    token = token or unquote(parts.password or parts.username or "") or None
    return Address(
        host=host,
        port=port or parts.port or (443 if secure else 8080),
        secure=bool(secure),
        path=unquote(parts.path) if path is None or path == "" else path,
        token=token,
        verify=verify,
    )


def _truth(word: str, name: str) -> bool:
    if word.lower() not in _WORDS:
        raise ValueError(f"'{name}' in the URI of the state backend is true or false, not '{word}'")
    return _WORDS[word.lower()]
