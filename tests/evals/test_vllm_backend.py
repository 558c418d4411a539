from collections import defaultdict
from pathlib import Path

import pytest

from stages.base.params import resolve
from stages.evals.lm_harness import Assignment, Sampling, respond, vllm_model
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
