"""Whether the files in deploy/ say the same thing, and what they promise: nobody is root, and nothing writes to the root.

Run from the root of the repository by scripts/check-deploy.
"""

import json
import pathlib
import re
import sys
import tomllib

import yaml

DEPLOY = pathlib.Path("deploy")
problems = []


def must(holds, problem):
    if not holds:
        problems.append(problem)


def documents(path):
    return [document for document in yaml.safe_load_all(path.read_text()) if document]


def last_stage(dockerfile):
    return dockerfile.rsplit("\nFROM ", 1)[1]


def image(stage):
    must(re.search(r"^USER 10001:10001$", stage, re.M), "Dockerfile: the last stage does not end as user 10001")
    must(re.search(r"^HEALTHCHECK .*(\n .*)*/health/ready", stage, re.M), "Dockerfile: no HEALTHCHECK of /health/ready")
    must(re.search(r"^COPY --from=runtime .*/opt/tidegate", stage, re.M), "Dockerfile: the runtime is not in the image")
    variables = dict(re.findall(r"(TIDEGATE_\w+)=(\S+)", stage))
    must(variables.get("TIDEGATE_CACHE") == "/opt/tidegate", "Dockerfile: TIDEGATE_CACHE is not where the runtime is")
    return variables


def compose(variables):
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    gateway = services["gateway"]
    must(gateway.get("read_only") is True, "compose.yaml: the gateway can write to its root")
    for name, service in services.items():
        must(service.get("cap_drop") == ["ALL"], f"compose.yaml: {name} keeps capabilities")
        must("privileged" not in service, f"compose.yaml: {name} is privileged")
        for port in service.get("ports", []):
            must(port.startswith("127.0.0.1:"), f"compose.yaml: {name} listens to other machines at {port}")
        for volume in service.get("volumes", []):
            source = volume.split(":")[0]
            if source.startswith("."):
                must((DEPLOY / source).is_file(), f"compose.yaml: {name} mounts {source}, which is not there")
    mounted = {volume.split(":")[1] for volume in gateway["volumes"]}
    for name in ["TIDEGATE_CONFIG", "TIDEGATE_DATA"]:
        must(variables.get(name) in mounted, f"compose.yaml: nothing is mounted where the image has {name}")
    target = yaml.safe_load((DEPLOY / "prometheus.yml").read_text())["scrape_configs"][0]["static_configs"][0]["targets"]
    shares = services["prometheus"].get("network_mode") == "service:gateway"
    must(shares and target == ["127.0.0.1:8030"], "compose.yaml: Prometheus does not reach the gateway where prometheus.yml says")
    json.loads((DEPLOY / "grafana-dashboard.json").read_text())


def kubernetes(variables):
    everything = [one for path in sorted(DEPLOY.glob("kubernetes/*.yaml")) for one in documents(path)]
    kinds = {one["kind"]: one for one in everything}
    told = tomllib.loads(kinds["ConfigMap"]["data"]["tidegate.toml"])
    ours = tomllib.loads((DEPLOY / "tidegate.toml").read_text())
    must(told == ours, "kubernetes: the ConfigMap has another configuration than deploy/tidegate.toml")
    pod = kinds["StatefulSet"]["spec"]["template"]["spec"]
    must(pod["securityContext"].get("runAsNonRoot") and pod["securityContext"].get("runAsUser") == 10001, "kubernetes: not user 10001")
    must(kinds["StatefulSet"]["spec"]["replicas"] == 1, "kubernetes: two gateways cannot share one state")
    (container,) = pod["containers"]
    own = container["securityContext"]
    must(own.get("readOnlyRootFilesystem") is True, "kubernetes: the gateway can write to its root")
    must(own.get("allowPrivilegeEscalation") is False and own["capabilities"]["drop"] == ["ALL"], "kubernetes: privileges remain")
    mounted = {mount["mountPath"] for mount in container["volumeMounts"]}
    must({variables.get("TIDEGATE_DATA"), "/tmp", "/etc/tidegate"} <= mounted, "kubernetes: a folder that is written or read is not mounted")
    labels = kinds["StatefulSet"]["spec"]["template"]["metadata"]["labels"].items()
    for name, selector in [
        ("Service", kinds["Service"]["spec"]["selector"]),
        ("StatefulSet", kinds["StatefulSet"]["spec"]["selector"]["matchLabels"]),
        ("NetworkPolicy", kinds["NetworkPolicy"]["spec"]["podSelector"]["matchLabels"]),
    ]:
        must(selector.items() <= labels, f"kubernetes: {name} chooses other pods than the gateway's")


def servers():
    """Whether the servers are those of the example, with the same data."""
    ours = tomllib.loads((DEPLOY / "tidegate.toml").read_text())["servers"]
    example = tomllib.loads(pathlib.Path("examples/home/tidegate.toml").read_text())["servers"]
    must(ours.keys() == example.keys(), f"tidegate.toml: its servers are {sorted(ours)}, those of examples/home {sorted(example)}")
    for name in ours.keys() & example.keys():
        seeded = example[name]["args"]
        at = seeded.index("--seed")
        without = seeded[:at] + seeded[at + 2 :]
        must(ours[name]["args"] == without, f"tidegate.toml: {name} starts with {ours[name]['args']}, in examples/home with {without}")
        must(ours[name].get("startup") == "eager", f"tidegate.toml: {name} is not started with the gateway")


def named():
    """Whether every page and file that is named is there."""
    for path in sorted(one for one in DEPLOY.rglob("*") if one.is_file()):
        for name in re.findall(r"\b(?:docs|deploy|examples|scripts)/[\w./-]*\w", path.read_text()):
            must(pathlib.Path(name).exists(), f"{path}: names {name}, which is not there")


def unit():
    text = (DEPLOY / "tidegate.service").read_text()
    for line in ["DynamicUser=yes", "ProtectSystem=strict", "NoNewPrivileges=yes", "CapabilityBoundingSet="]:
        must(f"\n{line}\n" in text, f"tidegate.service: {line} is not there")


variables = image(last_stage((DEPLOY / "Dockerfile").read_text()))
compose(variables)
kubernetes(variables)
servers()
named()
unit()
if problems:
    sys.exit("\n".join(problems))
print("all of them: nobody is root, nothing writes to the root, they agree on paths, ports and configuration, and what they name is there")
