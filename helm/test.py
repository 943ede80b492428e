#!/usr/bin/env python3
"""The chart over a matrix of values: python3 helm/test.py [HELM]

For each row: `helm lint --strict`, `helm template`, every manifest against the schemas of Kubernetes (kubernetes-validate,
except the ServiceMonitor, which is not one of Kubernetes' own), and what the row wants to see in it. Then values that must
be refused, each with the words that say why.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import kubernetes_validate
import yaml

if TYPE_CHECKING:
    from collections.abc import Callable

CHART = Path(__file__).resolve().parent / "statehouse"
HELM = sys.argv[1] if len(sys.argv) > 1 else "helm"
KUBERNETES = ("1.29", "1.33")
ALWAYS = {"Deployment", "Service", "ServiceAccount"}  # the last one unless another is named

Manifests = dict[str, dict[str, Any]]
BASE = {"clickhouse": {"existingSecret": "ch"}, "auth": {"tokens": {"existingSecret": "tok"}}}
NONE = {"clickhouse": {"existingSecret": "ch"}, "auth": {"mode": "none"}}


def helm(command: str, values: dict[str, Any], release: str = "state") -> subprocess.CompletedProcess[str]:
    """Run helm with these values."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(values, file)
        file.flush()
        arguments = {
            "lint": ["lint", "--strict", "--kube-version", "1.33.0", str(CHART)],
            "template": ["template", release, str(CHART), "--namespace", "data", "--kube-version", "1.33.0"],
        }[command]
        return subprocess.run([HELM, *arguments, "-f", file.name], check=False, capture_output=True, text=True)


def rendered(values: dict[str, Any], release: str = "state") -> Manifests:
    """Lint, render, hold against the schemas; the manifests by kind."""
    linted = helm("lint", values)
    assert linted.returncode == 0, linted.stdout + linted.stderr
    done = helm("template", values, release)
    assert done.returncode == 0, done.stderr
    manifests = [one for one in yaml.safe_load_all(done.stdout) if one]
    for manifest in manifests:
        if manifest["kind"] != "ServiceMonitor":
            for version in KUBERNETES:
                kubernetes_validate.validate(manifest, version, strict=True)
        assert manifest["metadata"]["labels"]["app.kubernetes.io/instance"] == release, manifest
    by_kind = {one["kind"]: one for one in manifests}
    assert len(by_kind) == len(manifests), by_kind.keys()
    assert by_kind.keys() >= ALWAYS - ({"ServiceAccount"} if "serviceAccount" in values else set()), by_kind.keys()
    selector = by_kind["Deployment"]["spec"]["selector"]["matchLabels"]
    assert by_kind["Service"]["spec"]["selector"] == selector
    assert selector.items() <= by_kind["Deployment"]["spec"]["template"]["metadata"]["labels"].items()
    return by_kind


def notes(values: dict[str, Any]) -> str:
    """Render what `helm install` says in the end; only that prints it, and only in a cluster."""
    with tempfile.TemporaryDirectory() as folder:
        chart = Path(folder) / "statehouse"
        shutil.copytree(CHART, chart)
        (chart / "templates" / "NOTES.txt").rename(chart / "notes.txt")
        (chart / "templates" / "notes.yaml").write_text(
            'kind: Notes\ntext: {{ tpl (.Files.Get "notes.txt") . | quote }}\n'
        )
        (chart / "own.json").write_text(json.dumps(values))
        done = subprocess.run(
            [HELM, "template", "state", str(chart), "--kube-version", "1.33.0", "--namespace", "data", "-f", str(chart / "own.json")],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        return next(str(one["text"]) for one in yaml.safe_load_all(done.stdout) if one and one["kind"] == "Notes")


def pod(manifests: Manifests) -> dict[str, Any]:
    """Return the specification of the pods."""
    spec: dict[str, Any] = manifests["Deployment"]["spec"]["template"]["spec"]
    return spec


def container(manifests: Manifests) -> dict[str, Any]:
    """Return the container."""
    first: dict[str, Any] = pod(manifests)["containers"][0]
    return first


def environment(manifests: Manifests) -> dict[str, Any]:
    """Return what the container has in its environment."""
    return {one["name"]: one.get("value", one.get("valueFrom")) for one in container(manifests)["env"]}


def mounts(manifests: Manifests) -> dict[str, str]:
    """Return where volumes are mounted; each one has to be there."""
    found = {one["name"]: one["mountPath"] for one in container(manifests)["volumeMounts"]}
    assert found.keys() == {one["name"] for one in pod(manifests)["volumes"]}
    return found


def defaults(m: Manifests) -> None:
    assert m.keys() == ALWAYS | {"PodDisruptionBudget"}
    assert m["Deployment"]["spec"]["replicas"] == 2
    assert pod(m)["enableServiceLinks"] is False
    assert pod(m)["automountServiceAccountToken"] is False
    assert pod(m)["securityContext"]["runAsUser"] == 10001
    assert container(m)["securityContext"]["readOnlyRootFilesystem"] is True
    assert container(m)["image"] == "statehouse:0.1.0-SNAPSHOT"
    env = environment(m)
    assert env["STATE_BACKEND_URI"] == {"secretKeyRef": {"name": "ch", "key": "uri"}}
    assert env["STATEHOUSE_AUTH_TOKENS_FILES"] == "/etc/statehouse/tokens/tokens.yaml"
    assert "STATEHOUSE_AUTH_MODE" not in env
    assert mounts(m) == {"tmp": "/tmp", "tokens": "/etc/statehouse/tokens"}
    assert container(m)["readinessProbe"]["httpGet"]["path"] == "/actuator/health/readiness"
    assert container(m)["livenessProbe"]["httpGet"]["scheme"] == "HTTP"
    # The delay, the calls in flight and a reserve fit into the time that the pod has.
    assert container(m)["lifecycle"]["preStop"]["exec"]["command"] == ["sleep", "5"]
    assert env["SPRING_LIFECYCLE_TIMEOUTPERSHUTDOWNPHASE"] == "25s"
    assert pod(m)["terminationGracePeriodSeconds"] == 45


def uri(m: Manifests) -> None:
    assert m["Secret"]["stringData"] == {"uri": "clickhouse://u:p%40@ch:8123/d"}
    assert environment(m)["STATE_BACKEND_URI"]["secretKeyRef"]["name"] == m["Secret"]["metadata"]["name"]
    assert environment(m)["STATEHOUSE_AUTH_MODE"] == "none"
    assert mounts(m) == {"tmp": "/tmp"}


def config(m: Manifests) -> None:
    assert yaml.safe_load(m["ConfigMap"]["data"]["application.yaml"]) == JWT["config"]
    assert mounts(m)["config"] == "/opt/statehouse/config"
    assert pod(m)["automountServiceAccountToken"] is True
    assert m["ServiceAccount"]["automountServiceAccountToken"] is True


def tls(m: Manifests) -> None:
    assert container(m)["startupProbe"]["httpGet"]["scheme"] == "HTTPS"
    assert environment(m)["SERVER_SSL_BUNDLE"] == "server"
    assert environment(m)["SPRING_SSL_BUNDLE_PEM_SERVER_KEYSTORE_CERTIFICATE"] == "file:/etc/statehouse/tls/tls.crt"
    assert mounts(m)["tls"] == "/etc/statehouse/tls"
    endpoint = m["ServiceMonitor"]["spec"]["endpoints"][0]
    assert endpoint["scheme"] == "https"
    assert endpoint["authorization"] == {"credentials": {"name": "mon", "key": "token"}}
    assert m["ServiceMonitor"]["metadata"]["labels"]["release"] == "prom"


def plain_monitor(m: Manifests) -> None:
    endpoint = m["ServiceMonitor"]["spec"]["endpoints"][0]
    assert endpoint["scheme"] == "http"
    assert endpoint["path"] == "/actuator/prometheus"
    assert "authorization" not in endpoint
    assert endpoint["interval"] == "15s"


def single(m: Manifests) -> None:
    assert "PodDisruptionBudget" not in m


def scaled(m: Manifests) -> None:
    assert "replicas" not in m["Deployment"]["spec"]
    spec = m["HorizontalPodAutoscaler"]["spec"]
    assert (spec["minReplicas"], spec["maxReplicas"]) == (3, 9)
    assert spec["scaleTargetRef"]["name"] == m["Deployment"]["metadata"]["name"]
    assert m["PodDisruptionBudget"]["spec"]["minAvailable"] == 2


def policy(m: Manifests) -> None:
    spec = m["NetworkPolicy"]["spec"]
    assert spec["podSelector"]["matchLabels"] == m["Service"]["spec"]["selector"]
    assert spec["ingress"][0]["from"] == [{"podSelector": {}}]
    assert [one["port"] for one in spec["egress"][1]["ports"]] == [8123, 8443]


def policy_of_others(m: Manifests) -> None:
    spec = m["NetworkPolicy"]["spec"]
    assert spec["ingress"][0]["from"] == [{"namespaceSelector": {"matchLabels": {"team": "data"}}}]
    assert spec["egress"][1]["ports"] == [{"port": 9999, "protocol": "TCP"}]
    assert spec["egress"][2] == {"ports": [{"port": 443, "protocol": "TCP"}]}


def ingress(m: Manifests) -> None:
    spec = m["Ingress"]["spec"]
    assert spec["ingressClassName"] == "nginx"
    assert spec["tls"] == [{"hosts": ["state.example.com"], "secretName": "cert"}]
    assert spec["rules"][0]["http"]["paths"][0]["backend"]["service"]["name"] == m["Service"]["metadata"]["name"]
    assert m["Service"]["spec"]["ports"][0]["port"] == 80


def own(m: Manifests) -> None:
    assert "ServiceAccount" not in m
    assert pod(m)["serviceAccountName"] == "mine"
    template = m["Deployment"]["spec"]["template"]
    assert template["metadata"]["annotations"]["a/b"] == "c"
    assert template["metadata"]["labels"]["team"] == "data"
    spec = pod(m)
    assert spec["nodeSelector"] == {"disk": "ssd"}
    assert spec["tolerations"] == [{"operator": "Exists"}]
    assert spec["priorityClassName"] == "high"
    assert spec["imagePullSecrets"] == [{"name": "pull"}]
    assert "podAntiAffinity" in spec["affinity"]
    assert environment(m)["JAVA_OPTS"] == "-Xmx200m"
    assert environment(m)["LOGGING_STRUCTURED_FORMAT_CONSOLE"] == "ecs"
    assert container(m)["image"] == "registry/x:1"
    assert m["Deployment"]["metadata"]["name"] == "other"
    assert environment(m)["SPRING_LIFECYCLE_TIMEOUTPERSHUTDOWNPHASE"] == "95s"
    assert container(m)["resources"] == {"limits": {"memory": "1Gi"}, "requests": {"cpu": "1", "memory": "320Mi"}}


JWT = {
    "clickhouse": {"existingSecret": "ch"},
    "config": {"statehouse.auth.jwt": {"issuer": "https://issuer", "audiences": "statehouse"}},
    "serviceAccount": {"automount": True},
}
MATRIX: list[tuple[str, dict[str, Any], Callable[[Manifests], None]]] = [
    ("defaults", BASE, defaults),
    ("uri in clear", {"clickhouse": {"uri": "clickhouse://u:p%40@ch:8123/d"}, "auth": {"mode": "none"}}, uri),
    ("jwt in config", JWT, config),
    (
        "tls and monitor",
        {
            **BASE,
            "tls": {"existingSecret": "pair"},
            "serviceMonitor": {"enabled": True, "labels": {"release": "prom"}, "tokenSecret": {"name": "mon"}},
        },
        tls,
    ),
    ("monitor without tokens", {**NONE, "serviceMonitor": {"enabled": True, "interval": "15s"}}, plain_monitor),
    ("one instance", {**BASE, "replicaCount": 1}, single),
    ("no budget", {**BASE, "podDisruptionBudget": {"enabled": False}}, single),
    ("scaled from one", {**BASE, "autoscaling": {"enabled": True, "minReplicas": 1}}, single),
    (
        "scaled",
        {
            **BASE,
            "autoscaling": {"enabled": True, "minReplicas": 3, "maxReplicas": 9},
            "podDisruptionBudget": {"minAvailable": 2},
        },
        scaled,
    ),
    ("policy", {**BASE, "networkPolicy": {"enabled": True}}, policy),
    (
        "policy of others",
        {
            **BASE,
            "networkPolicy": {
                "enabled": True,
                "from": [{"namespaceSelector": {"matchLabels": {"team": "data"}}}],
                "clickhousePorts": [9999],
                "egress": [{"ports": [{"port": 443, "protocol": "TCP"}]}],
            },
        },
        policy_of_others,
    ),
    (
        "ingress",
        {
            **BASE,
            "service": {"port": 80},
            "ingress": {"enabled": True, "className": "nginx", "host": "state.example.com", "tlsSecret": "cert"},
        },
        ingress,
    ),
    (
        "all of one's own",
        {
            **BASE,
            "image": {"repository": "registry/x", "tag": "1", "pullSecrets": [{"name": "pull"}]},
            "podAnnotations": {"a/b": "c"},
            "podLabels": {"team": "data"},
            "nodeSelector": {"disk": "ssd"},
            "tolerations": [{"operator": "Exists"}],
            "priorityClassName": "high",
            "affinity": {
                "podAntiAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": [
                        {"topologyKey": "zone", "labelSelector": {"matchLabels": {"a": "b"}}}
                    ]
                }
            },
            "javaOpts": "-Xmx200m",
            "extraEnv": [{"name": "LOGGING_STRUCTURED_FORMAT_CONSOLE", "value": "ecs"}],
            "fullnameOverride": "other",
            "serviceAccount": {"name": "mine"},
            "shutdown": {"delaySeconds": 10, "graceSeconds": 120},
            "resources": {"limits": {"memory": "1Gi"}, "requests": {"cpu": "1"}},
        },
        own,
    ),
]
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("no ClickHouse", {"auth": {"mode": "none"}}, "Name a ClickHouse"),
    ("nobody may call", {"clickhouse": {"existingSecret": "ch"}}, "Say who may call"),
    ("no token for metrics", {**BASE, "serviceMonitor": {"enabled": True}}, "Metrics are for operators"),
    ("ingress without host", {**BASE, "ingress": {"enabled": True}}, "ingress.host is needed"),
    ("unknown value", {**BASE, "replicas": 3}, "replicas"),
    ("no instance", {**BASE, "replicaCount": 0}, "replicaCount"),
    ("another scheme", {"clickhouse": {"uri": "http://x"}, "auth": {"mode": "none"}}, "uri"),
    ("unknown mode", {**NONE, "auth": {"mode": "open"}}, "mode"),
    ("too little time to end", {**BASE, "shutdown": {"graceSeconds": 5}}, "graceSeconds"),
]


def main() -> None:
    """Go through the matrix."""
    for name, values, check in MATRIX:
        check(rendered(values))
        print(f"ok: {name}")
    several = {one: rendered(BASE, one) for one in ("a", "b")}
    names = {release: {m["metadata"]["name"] for m in found.values()} for release, found in several.items()}
    assert not names["a"] & names["b"], names
    print("ok: two releases in one namespace share no name")
    for name, values, words in REFUSED:
        done = helm("template", values)
        assert done.returncode != 0, name
        assert words in done.stderr, f"{name}: {done.stderr}"
        print(f"ok, refused: {name}")
    assert "http://state-statehouse.data.svc:8080" in notes(BASE), notes(BASE)
    assert "WARNING: auth.mode is none" in notes(NONE)
    assert "WARNING" not in notes(BASE)
    print(f"{len(MATRIX) + len(REFUSED) + 2} passed, 0 failed")


if __name__ == "__main__":
    main()
