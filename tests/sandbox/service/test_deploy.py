"""The manifests fit Kubernetes' schema, and say what the service and its walls need."""

from __future__ import annotations

import ast
import copy
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from stages.sandbox.__main__ import arguments
from stages.sandbox.service.metrics import Metrics
from tests.sandbox.service.serving import TOKEN, served

pytestmark = pytest.mark.slow  # a server

ROOT = Path(__file__).resolve().parents[3]
DEPLOY = ROOT / "deploy"
VERSIONS = ("1.32", "1.37")
DISTRIBUTIONS = {"yaml": "pyyaml", "prometheus_client": "prometheus-client"}
"""Names of packages that are not those of their modules."""


def read(path):
    return yaml.safe_load((DEPLOY / "kubernetes" / path).read_text(encoding="utf-8"))


def built(folder):
    """The resources of a kustomization by kind, its JSON patches applied."""
    found = {}
    told = read(f"{folder}/kustomization.yaml")
    for name in told.get("resources", ()):
        if name.endswith(".yaml"):
            one = read(f"{folder}/{name}")
            found[one["kind"]] = one
        else:
            found |= built(f"{folder}/{name}")
    parts = [read(f"{folder}/{name}/kustomization.yaml") for name in told.get("components", ())]
    for part in (*parts, told):
        for patch in part.get("patches", ()):
            patched(found[patch["target"]["kind"]], yaml.safe_load(patch["patch"]))
    return found


def patched(resource, operations):
    for one in operations:
        *way, last = one["path"].lstrip("/").split("/")
        place = resource
        for step in way:
            place = place[int(step) if isinstance(place, list) else step]
        assert (last in place) == (one["op"] == "replace"), one["path"]
        place[last] = one["value"]


def pod(resources):
    return resources["Deployment"]["spec"]["template"]["spec"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("folder", ["gvisor", "kata"])
def test_every_resource_fits_the_schema(folder, version):
    schema = pytest.importorskip("kubernetes_validate", reason="Kubernetes' schemas are not here")
    found = built(folder)
    assert set(found) == {
        *("Deployment", "Service", "NetworkPolicy", "HorizontalPodAutoscaler"),
        "PodDisruptionBudget",
    }
    for resource in found.values():
        schema.validate(resource, version, strict=True)
    wrong = copy.deepcopy(found["Deployment"])
    wrong["spec"]["template"]["spec"]["containers"][0]["readinesProbe"] = {}
    with pytest.raises(schema.ValidationError):
        schema.validate(wrong, version, strict=True)


def test_every_file_is_part_of_a_kustomization():
    for folder in ("gvisor", "kata", "inner-root"):
        files = {path.name for path in (DEPLOY / "kubernetes" / folder).glob("*.yaml")}
        told = read(f"{folder}/kustomization.yaml")
        listed = told.get("resources", ())
        # kustomize would write such labels into the rules of a network policy
        assert "includeSelectors" not in str(told)
        assert "commonLabels" not in told
        assert files - {"kustomization.yaml"} == {one for one in listed if one.endswith(".yaml")}


def test_the_pod_has_walls_of_its_own_and_no_way_out():
    resources = built("gvisor")
    spec, (container,) = pod(resources), pod(resources)["containers"]
    assert spec["runtimeClassName"] == "gvisor"
    assert spec["automountServiceAccountToken"] is False
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert not {"hostNetwork", "hostPID", "hostIPC", "volumes"} & set(spec)
    assert {"cpu", "memory", "ephemeral-storage"} == set(container["resources"]["limits"])
    policy = resources["NetworkPolicy"]["spec"]
    assert (policy["policyTypes"], policy["egress"]) == (["Ingress", "Egress"], [])
    assert policy["podSelector"]["matchLabels"] == labels(resources)
    assert all(one for rule in policy["ingress"] for one in rule["from"])
    kata = pod(built("kata"))
    assert kata["runtimeClassName"] == "kata-qemu"
    assert kata["containers"][0]["securityContext"]["capabilities"] == {
        "drop": ["ALL"],
        "add": ["SYS_ADMIN", "SETUID", "SETGID"],
    }


def labels(resources):
    return resources["Deployment"]["spec"]["template"]["metadata"]["labels"]


def test_selectors_names_and_ports_agree():
    resources = built("gvisor")
    (container,) = pod(resources)["containers"]
    options = arguments().parse_args(["serve", *container["args"]])
    assert (options.workers, options.port) == (1, container["ports"][0]["containerPort"])
    (key,) = [one for one in container["env"] if one["name"] == options.key_variable]
    assert "secretKeyRef" in key["valueFrom"]
    assert options.grace < pod(resources)["terminationGracePeriodSeconds"] - 5
    for kind in ("Deployment", "PodDisruptionBudget"):
        assert resources[kind]["spec"]["selector"]["matchLabels"] == labels(resources)
    assert resources["Service"]["spec"]["selector"] == labels(resources)
    (port,) = resources["NetworkPolicy"]["spec"]["ingress"][0]["ports"]
    assert port["port"] == options.port
    scaler = resources["HorizontalPodAutoscaler"]["spec"]
    assert scaler["scaleTargetRef"]["name"] == resources["Deployment"]["metadata"]["name"]
    metric = scaler["metrics"][0]["pods"]["metric"]["name"]
    assert f"\n{metric} 0.0\n".encode() in Metrics().text()
    assert container["livenessProbe"]["httpGet"]["path"] == "/health"
    assert container["readinessProbe"]["exec"]["command"][-1] == str(options.port)


def test_the_image_brings_what_the_service_imports_and_nothing_else():
    code = "import sys, stages.sandbox.service.serve\nprint(*(getattr(m, '__file__', 0) or '' "
    code += "for n, m in sys.modules.items() if n.startswith('stages')))"
    files = subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True).split()
    needed = set()
    for file in files:
        for node in ast.parse(Path(file).read_text(encoding="utf-8")).body:
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            needed |= {name.split(".")[0] for name in names}
    needed -= {*sys.stdlib_module_names, "stages"}
    listed = (DEPLOY / "requirements.txt").read_text(encoding="utf-8").splitlines()[1:]
    assert sorted(DISTRIBUTIONS.get(name, name) for name in needed) == listed
    folders = {Path(file).relative_to(ROOT).parts[1] for file in files}
    copied = re.findall(r"^COPY stages/(\S+)", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    assert folders == set(copied)
    pinned = (ROOT / "requirements/cpu.txt").read_text(encoding="utf-8")
    assert all(re.search(rf"^{name}==", pinned, re.MULTILINE) for name in listed)


def test_the_probe_says_ready_and_why_not(monkeypatch):
    monkeypatch.setenv("EVERYSTEP_SANDBOX_KEY", f"{TOKEN} another-token-of-this-service")
    findings = ["", "the walls are down"]

    def probed(port):
        command = [sys.executable, "-I", str(DEPLOY / "probe.py"), str(port)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    for finding, status in zip(findings, (0, 1), strict=True):
        with served(tokens=(TOKEN,), test=lambda _, found=finding: found) as client:
            code, said = probed(client.base_url.port)
        assert (code, finding in said) == (status, True)
    code, said = probed(1)
    assert (code, "no answer" in said) == (1, True)
