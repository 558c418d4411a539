from collections import defaultdict
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from stages.base.params import resolve
from stages.evals.lm_harness import Assignment, Sampling, close, respond, vllm_model
from stages.evals.scoring import refuse_equal_samples, score_responses
from stages.evals.suite import Benchmark
from stages.evals.summary import summarise
from stages.problems.registry import compact_vocabulary, generate
from tests.problems.runs import Broken

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Ling-2.0-shaped model with random weights and its tokenizer."""
    from stages.engines.bailing_moe import initialise
    from stages.engines.checkpoints import save_model
    from stages.engines.tokenizer import train_tokenizer

    shape = resolve("tiny", {}, ROOT / "profiles").make_base_model.architecture
    tokenizer = train_tokenizer(compact_vocabulary(), "compact", shape.vocabulary)
    folder = tmp_path_factory.mktemp("base")
    save_model(initialise(shape, 0), tokenizer, folder)
    return folder


@pytest.mark.slow
def test_k_different_samples_from_the_real_engine_and_the_same_again(
    checkpoint: Path, tmp_path: Path
) -> None:
    engine = resolve("tiny", {}, ROOT / "profiles").engine
    problems = generate("chain", 24, 0, "compact", heldout=True, modulus=10)
    sampling = Sampling(samples=3, max_tokens=24, temperature=1.0)
    model = vllm_model(checkpoint, engine, seed=0)
    asked = [Assignment("chain", problems, sampling)]
    found = respond(model, tmp_path / "one", asked, seed=0)["chain"]
    texts = defaultdict(set)
    for response in found:
        texts[response.problem].add(response.text)
        assert response.finish in ("stop", "length")
        assert 1 <= response.tokens <= 24
    assert len(found) == 72
    assert sum(len(several) for several in texts.values()) >= 70  # two may end at once, alike

    benchmark = Benchmark("chain", "maths", "chain", "verify", Path("chain.jsonl"), 24, "")
    scored = score_responses(benchmark, problems, found, Broken())
    refuse_equal_samples(scored, 1.0)
    assert summarise(scored, 0.0)["counts"]["truncated"] > 0

    assert respond(model, tmp_path / "two", asked, seed=0)["chain"] == found


@pytest.mark.slow
def test_copies_on_a_cluster_answer_as_one_engine_does(checkpoint: Path, tmp_path: Path) -> None:
    from stages.base.cluster_params import Cluster
    from stages.evals.windows import Positions
    from stages.run_benchmarks import start_copies, start_model
    from tests.engines.cluster.here import cluster_here

    profile = resolve("tiny", {}, ROOT / "profiles")
    # Batches of other sizes round otherwise: in bfloat16 a token may then be another.
    engine = replace(profile.engine, dtype="float32", cache_gib=0.1, max_sequences=16)
    at, sampling = Positions(engine.context), Sampling(samples=2, max_tokens=24, temperature=1.0)
    asked = [
        Assignment(family, generate(family, 9, 0, "compact", True, 10), sampling)
        for family in ("chain", "charge")
    ]
    alone = start_model(checkpoint, profile.run, engine, at)
    expected = respond(alone, tmp_path / "one", asked, seed=0)
    told = alone.record()
    close(alone)
    with cluster_here(Cluster(engines=2, patience=120.0)) as cluster:
        run = replace(profile.run, cluster=cluster)
        start = partial(start_model, checkpoint, run, engine)
        copies = start_copies(start, run, engine.tensor_parallel, at)
        found = copies.respond(tmp_path / "two", asked, seed=0)
        assert copies.record() == told
        copies.close()
    assert found == expected
    assert sorted(path.name for path in (tmp_path / "two").iterdir()) == ["0", "1"]
