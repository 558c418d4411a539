"""Check a Ray cluster before a run: ``python -m stages.engines.doctor``.

On any node of the cluster, from the project's folder. One line a check: ok, or what is wrong where
and what to do. Ends with 0; 1 if anything is wrong; 2 if there is no cluster to look at. What a run
counts on (nodes, GPUs, memory, interface) is taken from the profile named in params.yaml.

A probe goes to every node and is asked, all at once, under a deadline of its own for each question:
a node that hangs is named, not waited for, and asked nothing more.
"""

from __future__ import annotations

import argparse
import json
import os
import secrets
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path

import ray

from stages.base.errors import ConfigError, EverystepError
from stages.base.events import say
from stages.base.params import Run, resolve
from stages.base.paths import PARAMS
from stages.base.yaml_file import read_yaml
from stages.engines.cluster import findings
from stages.engines.cluster.crew import Crew, Node, wait_for_nodes
from stages.engines.cluster.findings import EVERYWHERE, Facts, Finding
from stages.engines.cluster.placing import CONNECT, head_address, join

FOLDER = Path("data/interim")
PORTS = (10002, 19999)  # below 32768, where the kernel takes ports for outgoing connections
MIB = 32  # written by each node, and handed round the ring
CALLS = 5  # round trips a clock is asked for
BARRIERS = ("interface", "connections")
"""Checks without which a ring would only hang."""


class Examination:
    """All checks, in order, each told as soon as it is made."""

    def __init__(
        self, crew: Crew, nodes: Sequence[Node], run: Run, options: argparse.Namespace
    ) -> None:
        self.findings = list[Finding]()
        self.facts = dict[str, Facts]()
        self._crew = crew
        self._nodes = {node.name: node for node in nodes}
        self._run = run
        self._options = options
        self._patience = float(options.patience)

    def make(self, tell: Callable[[Finding], None]) -> None:
        """Make every check; ``tell`` is called with each finding."""
        checks = (self._look, self._connect, self._folder, self._clocks, self._rings)
        found = findings.check_nodes(list(self._nodes), self._options.nodes)
        for check in (None, *checks):
            found = check() if check else found
            lost, self._crew.lost = self._crew.lost, []
            for finding in (*lost, *found):
                self.findings.append(finding)
                tell(finding)

    def _look(self) -> list[Finding]:
        answers = self._crew.ask("facts", self._patience, "facts")
        for name, answer in answers.items():
            node = self._nodes[name]
            self.facts[name] = Facts(name, node.address, node.gpus, node.head, **answer)
        facts, hardware = list(self.facts.values()), self._run.hardware
        found = findings.check_versions(facts) + findings.check_code(facts)
        found += findings.check_interfaces(facts, self._options.interface)
        found += findings.check_files(facts) + findings.check_memory(facts, hardware)
        found += findings.check_gpus(facts, hardware)
        for one in facts:
            found += findings.check_access(one) + findings.check_health(one) if one.head else []
        return found

    def _address(self, name: str) -> str:
        return self.facts[name].address

    def _connect(self) -> list[Finding]:
        ports = self._options.ports
        ears = self._crew.ask(
            "connections", self._patience, "listen", lambda name: (self._address(name), *ports)
        )

        def others(name: str) -> list[str]:
            return [other for other in ears if other != name]

        def places(name: str) -> tuple[list[tuple[str, int]], float]:
            return [(self._address(other), ears[other]) for other in others(name)], CONNECT

        answers = self._crew.ask("connections", self._patience, "reach", places)
        reached = {
            (name, other): why
            for name, whys in answers.items()
            for other, why in zip(others(name), whys, strict=True)
        }
        return findings.check_connections(reached, ports)

    def _folder(self) -> list[Finding]:
        folder, token = str(self._options.folder), secrets.token_hex(8)
        names = {name: f".doctor-{token}-{at}" for at, name in enumerate(self._crew.names)}
        written = self._crew.ask(
            "folder", self._patience, "write", lambda name: (folder, names[name], MIB)
        )
        mine = {names[name]: name for name in written}
        found = self._crew.ask("folder", self._patience, "read", lambda _: (folder, list(mine)))
        self._crew.ask("folder", self._patience, "remove", lambda _: (folder, list(names.values())))
        seen = {name: {mine[file] for file in files} for name, files in found.items()}
        return findings.check_folder(folder, written, seen, MIB)

    def _clocks(self) -> list[Finding]:
        samples: dict[str, list[tuple[float, float, float]]] = {}
        for name in self._crew.names:
            for _ in range(CALLS):
                asked = time.time()
                answer = self._crew.ask("clocks", self._patience, "now", of=[name])
                if name not in answer:
                    break
                samples.setdefault(name, []).append((asked, answer[name], time.time()))
        return findings.check_clocks({name: findings.offset(s) for name, s in samples.items()})

    def _rings(self) -> list[Finding]:
        if any(one.state == "wrong" and one.check in BARRIERS for one in self.findings):
            todo = "Put right what is wrong above, and ask again."
            return [Finding("ring", "warning", EVERYWHERE, "not tried", todo)]
        devices = self._crew.ask("ring", self._patience * 2, "prepare")
        found = self._ring("gloo")
        if self._run.hardware.gpus_per_node and set(devices.values()) == {"cuda"}:
            found += self._ring("nccl")
        return found

    def _ring(self, backend: str) -> list[Finding]:
        names = self._crew.names
        found = self._crew.ask(
            "ring",
            self._patience,
            "meeting_place",
            lambda name: (self._address(name),),
            of=names[:1],
        )
        if not found:
            return []
        place = found[names[0]]
        common = (MIB, self._patience / 2)
        rates = self._crew.ask(
            "ring",
            self._patience,
            "ring",
            lambda name: (backend, names.index(name), len(names), place, *common),
        )
        if len(rates) < len(names):
            return []
        return findings.check_ring(backend, rates, MIB)


# --- the command


def as_line(finding: Finding) -> str:
    """A finding for people."""
    todo = f" -> {finding.todo}" if finding.todo else ""
    where = "" if finding.where == EVERYWHERE else f"{finding.where}: "
    return f"{finding.state:<8} {finding.check:<14} {where}{finding.what}{todo}"


def chosen_run() -> Run:
    """What the profile named in params.yaml says of the run."""
    values = read_yaml(PARAMS)
    return resolve(str(values.get("profile")), values.get("overrides") or {}).run


def port_range(text: str) -> tuple[int, int]:
    """``LOWEST-HIGHEST`` as two ports."""
    lowest, _, highest = text.partition("-")
    if not (lowest.isdigit() and highest.isdigit() and 0 < int(lowest) <= int(highest) < 65536):
        raise argparse.ArgumentTypeError(f"'{text}' is no range such as 10002-19999")
    return int(lowest), int(highest)


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m stages.engines.doctor",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--address",
        help="HOST:PORT of the head (default: run.cluster.address, "
        "RAY_ADDRESS, or the cluster this machine belongs to)",
    )
    parser.add_argument("--nodes", type=int, help="how many there must be (default: profile's)")
    parser.add_argument(
        "--interface",
        help="for gloo and NCCL (default: run.cluster.interface, "
        "or the one of each node's route to the head)",
    )
    parser.add_argument("--folder", type=Path, help=f"that all share (default: {FOLDER})")
    parser.add_argument(
        "--ports",
        type=port_range,
        default=PORTS,
        metavar="LOW-HIGH",
        help="of Ray's workers (default: 10002-19999)",
    )
    parser.add_argument(
        "--wait",
        type=float,
        default=0.0,
        metavar="SECONDS",
        help="for the nodes to come (default: 0)",
    )
    parser.add_argument(
        "--patience",
        type=float,
        default=60.0,
        metavar="SECONDS",
        help="for each answer of a node (default: 60)",
    )
    parser.add_argument("--json", action="store_true", help="all findings and facts as JSON")
    return parser.parse_args(arguments)


def examine(options: argparse.Namespace) -> list[Finding]:
    """Look at the cluster and tell; all findings. Options left out are the profile's."""
    run = chosen_run()
    cluster = run.cluster
    options.nodes = run.hardware.nodes if options.nodes is None else options.nodes
    options.interface = cluster.interface if options.interface is None else options.interface
    if options.nodes < 1 or options.patience <= 0:
        raise ConfigError("--nodes and --patience must be more than 0.")
    if options.folder is None:
        FOLDER.mkdir(parents=True, exist_ok=True)
    options.folder = (options.folder or FOLDER).resolve()
    join(options.address or cluster.address or os.environ.get("RAY_ADDRESS", "") or "auto")
    head = head_address()
    try:
        nodes = wait_for_nodes(options.nodes, options.wait)
        crew = Crew(nodes, head, options.interface)
        examination = Examination(crew, nodes, run, options)
        tell = _silent if options.json else _tell
        try:
            examination.make(tell)
        finally:
            crew.dismiss()
    finally:
        ray.shutdown()
    if options.json:
        whole = {
            "findings": [asdict(one) for one in examination.findings],
            "nodes": [asdict(one) for one in examination.facts.values()],
        }
        sys.stdout.write(json.dumps(whole, indent=2) + "\n")
    return examination.findings


def _tell(finding: Finding) -> None:
    sys.stdout.write(f"{as_line(finding)}\n")
    sys.stdout.flush()


def _silent(_: Finding) -> None:
    """With --json everything is told at the end."""


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if nothing is wrong, 1 if something is, 2 with one message if nothing was looked at."""
    options = parse_arguments(arguments)
    try:
        found = examine(options)
    except EverystepError as error:
        say(f"doctor: {error}")
        return 2
    states = [finding.state for finding in found]
    say(f"doctor: {states.count('wrong')} wrong, {states.count('warning')} warnings")
    return 1 if "wrong" in states else 0
