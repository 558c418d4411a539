"""The judge a command line names."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from stages.base.errors import ConfigError
from stages.base.params import Engine, load
from stages.evals.judges import command
from stages.evals.judges.command import KEPT, add_judge, panel_of, refuse_idle_judge
from stages.evals.judges.store import Store

URL = ["--judge-url", "http://localhost:1/v1"]


def named(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_judge(parser)
    return parser.parse_args(words)


def test_no_judge_is_a_panel_that_knows_nothing() -> None:
    panel = panel_of(named(), "hle")
    assert (panel.asker, panel.model, panel.store.path) == (None, "unnamed", None)


def test_a_judge_at_an_address_keeps_its_replies_by_benchmark(monkeypatch, tmp_path: Path) -> None:
    panel = panel_of(named(*URL, "--judge-model", "m"), "hle")
    assert (panel.model, panel.store.path) == ("m", KEPT / "hle.jsonl")
    warm = panel_of(named(*URL, "--judge-model", "m", "--judge-temperature", "1"), "hle")
    assert warm.model == "m at temperature 1"  # other keys, and told in scores.json
    path = tmp_path / "v.jsonl"
    assert (
        panel_of(named(*URL, "--judge-model", "m", "--verdicts", str(path)), "hle").store.path
        == path
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([*URL], "--judge-url without --judge-model"),
        ([*URL, "--judge-model", "m", "--judge-parallel", "0"], "--judge-parallel 0"),
        (["--judge-url", "localhost:1", "--judge-model", "m"], "no address of HTTP"),
        ([*URL, "--judge-model", "m", "--judge-checkpoint", "c"], "one model, not two"),
        ([*URL, "--judge-model", "m", "--judge-temperature", "-1"], "temperature -1"),
        (["--max-error-share", "2"], r"--max-error-share 2\.0: it is in"),
        (["--verdicts", "none.jsonl"], "none.jsonl: no such file"),
        (
            [*URL, "--judge-model", "m", "--judge-key-variable", "NO_SUCH_KEY"],
            "NO_SUCH_KEY holds no",
        ),
    ],
)
def test_what_cannot_be_is_refused(words: list[str], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        panel_of(named(*words), "hle")


def test_a_judge_that_runs_here_has_the_profiles_settings_and_its_own_window(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started = []
    heavy = "stages.engines.bailing_moe"
    monkeypatch.setitem(sys.modules, heavy, sys.modules.get(heavy, ModuleType(heavy)))
    monkeypatch.setattr(command, "vllm_model", lambda *args, **more: started.append((args, more)))
    words = ["--judge-checkpoint", "models/j", "--judge-context", "9000"]
    panel = panel_of(named(*words, "--verdicts", str(tmp_path / "v.jsonl")), "hle")
    (folder, settings, _), more = started[0]
    assert (folder, panel.model, more) == (Path("models/j"), "j", {"gpu": False})
    assert settings == replace(load(Engine, "engine"), context=9000)


def test_replies_brought_by_a_file_are_of_the_judge_that_is_named(tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl"
    store = Store(path)
    with store.open():
        store.add("a", "one")
    panel = panel_of(named("--verdicts", str(path), "--judge-model", "m"), "hle")
    assert (panel.asker, panel.model, panel.store.get("a")) == (None, "m", "one")


def test_a_judge_for_what_rules_score_is_refused() -> None:
    refuse_idle_judge(named(), "gsm8k")
    with pytest.raises(ConfigError, match=r"--judge-url: rules score gsm8k"):
        refuse_idle_judge(named(*URL), "gsm8k")
