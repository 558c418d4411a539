"""Guards around lm-eval's model: what is asked, what may not be, and how an answer ended."""

from pathlib import Path

import pytest

from stages.base.errors import ConfigError, EngineError
from stages.base.protocols import Sandbox
from stages.base.records import Problem, Verdict
from stages.evals.guarded_model import Frame, check_window
from stages.evals.lm_harness import Assignment, Response, Sampling, request_rows, respond
from stages.evals.published.benchmark import verified
from stages.rewards.judge import only_answered
from tests.evals.scripted import BOS, ScriptedEngine, scripted
from tests.problems.runs import Broken

SUMS = [
    Problem(f"sum-{n}", "", "maths", f"{n} + 1 = ", str(n + 1), f"{n}", meta={"verifier": "maths"})
    for n in range(5)
]


def asked(samples: int = 1, max_tokens: int | None = 9, window: int | None = None) -> Assignment:
    return Assignment("sums", SUMS, Sampling(samples, max_tokens, 1.0, window))


def ask(model, folder: Path, assignment: Assignment) -> list[Response]:
    return respond(model, folder, [assignment], 0)["sums"]


def echo(prompt: str, seed: int) -> tuple[str, str]:
    return f"{prompt} {seed}", "stop"


@pytest.mark.field_bug("E1", "E36")
def test_k_repeats_are_k_requests_with_k_seeds_and_k_texts(tmp_path: Path) -> None:
    """A fixed request seed gave k equal samples, a cache served one k times, a filter kept one."""
    model = scripted(echo)
    found = ask(model, tmp_path, asked(samples=6))
    assert len(model.asked) == len({request["seed"] for request in model.asked}) == 30
    assert len({response.text for response in found}) == 30
    by_problem = {p.id: [r.repeat for r in found if r.problem == p.id] for p in SUMS}
    assert set(map(tuple, by_problem.values())) == {tuple(range(6))}


@pytest.mark.field_bug("E35")
def test_nothing_is_answered_from_a_cache(tmp_path: Path) -> None:
    """The same folder, the same requests: the model is asked again, and its new texts are kept."""
    first, second = scripted(echo), scripted(lambda prompt, seed: ("new", "stop"))
    ask(first, tmp_path, asked(samples=2))
    assert {response.text for response in ask(second, tmp_path, asked(samples=2))} == {"new"}
    assert len(second.asked) == 10


def test_other_problems_under_the_same_name_are_read_anew(tmp_path: Path) -> None:
    ask(scripted(echo), tmp_path, asked())
    other = [Problem("sum-0", "", "maths", "say a word", "", "a")]
    found = ask(scripted(echo), tmp_path, Assignment("sums", other, Sampling(1, 9, 1.0)))
    assert [response.text.rpartition(" ")[0] for response in found] == ["say a word"]


@pytest.mark.field_bug("E9", "E10")
@pytest.mark.parametrize("begin", ["", BOS])
def test_a_prompt_begins_with_one_bos(begin: str, tmp_path: Path) -> None:
    """Whether the chat template writes it or leaves it to the tokenizer."""

    class Engine(ScriptedEngine):
        before = begin + "<user>"

    model = scripted(echo, Engine)
    ask(model, tmp_path, asked())
    assert all(tokens.count(ord(BOS)) == 1 and tokens[0] == ord(BOS) for tokens in model.prompts)
    assert model.record()["bos"] == ord(BOS)


@pytest.mark.field_bug("E10")
def test_two_bos_are_refused(tmp_path: Path) -> None:
    class Engine(ScriptedEngine):
        before = BOS + BOS

    model = scripted(echo, Engine)
    with pytest.raises(EngineError, match="two BOS"):
        ask(model, tmp_path, asked())
    assert not model.asked


def test_a_tokenizer_without_bos_gets_none(tmp_path: Path) -> None:
    class Engine(ScriptedEngine):
        def tok_encode(self, string, add_special_tokens=None, **kwargs):
            return super().tok_encode(string, add_special_tokens=False)

    model = scripted(echo, Engine)
    ask(model, tmp_path, asked())
    assert model.bos is None
    assert all(ord(BOS) not in tokens for tokens in model.prompts)


@pytest.mark.field_bug("E38")
def test_the_window_is_all_the_prompt_leaves_unless_a_limit_says_otherwise(tmp_path: Path) -> None:
    for limit, rooms in ((None, {100 - len(BOS + "<user>0 + 1 = <reply>")}), (7, {7})):
        model = scripted(echo)
        ask(model, tmp_path, asked(max_tokens=limit, window=100))
        assert {request["max_gen_toks"] for request in model.asked} == rooms


@pytest.mark.field_bug("E37")
@pytest.mark.parametrize(("limit", "window"), [(190, None), (90, 100), (None, 20)])
def test_a_prompt_that_would_be_cut_is_refused_before_the_run(
    limit: int | None, window: int | None, tmp_path: Path
) -> None:
    model = scripted(echo)
    with pytest.raises(ConfigError, match=r"sum-0/0: prompt of 22 tokens.*run_benchmarks\.context"):
        ask(model, tmp_path, asked(max_tokens=limit, window=window))
    assert not model.asked


@pytest.mark.field_bug("E37")
def test_the_window_may_be_filled_to_the_last_token() -> None:
    check_window("chain-0", 100, 92, 192)
    with pytest.raises(ConfigError, match="chain-0"):
        check_window("chain-0", 101, 92, 192)


def test_a_prompt_the_tokenizer_has_no_tokens_for_is_refused(tmp_path: Path) -> None:
    """A model with a small vocabulary would be asked a row of unknown tokens, and scored."""
    model = scripted(echo)
    model.tokenizer.unk_token_id = ord("+")
    with pytest.raises(ConfigError, match="no tokens for parts"):
        ask(model, tmp_path, asked())
    assert not model.asked


def test_a_conversation_is_dressed_turn_by_turn(tmp_path: Path) -> None:
    turns = [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "yes"},
        {"role": "user", "content": "go on"},
    ]
    talk = Problem("talk", "", "general", "the text of it", "", "t", meta={"messages": turns})
    seen: list[str] = []

    def note(prompt: str, seed: int) -> tuple[str, str]:
        seen.append(prompt)
        return "x", "stop"

    ask(scripted(note), tmp_path, Assignment("sums", [talk], Sampling(1, 9, 1.0)))
    assert seen == ["hello<then>yes<then>go on"]


@pytest.mark.field_bug("E6", "E42")
def test_what_the_template_writes_and_how_was_sampled_is_on_record(tmp_path: Path) -> None:
    class Engine(ScriptedEngine):
        before = "<system>Be brief.<user>"

    model = scripted(echo, Engine)
    ask(model, tmp_path, asked(samples=2))
    record = model.record()
    assert record["before_prompt"] == "<system>Be brief.<user>"  # nobody asked for it
    assert len(record["chat_template_sha256"]) == 64
    (settings,) = record["sampling"]
    assert settings["temperature"] == 1.0


@pytest.mark.parametrize("lost", ["abort", "lost", None])
def test_a_request_the_engine_failed_is_missing_not_wrong(lost: str | None, tmp_path: Path) -> None:
    def write(prompt: str, seed: int) -> tuple[str, str | None]:
        return "1 + 1 = 2", lost if prompt.startswith("3") else "stop"

    found = ask(scripted(write), tmp_path, asked())
    assert [one.finish for one in found] == ["stop", "stop", "stop", "error", "stop"]
    answers = [(problem, one.text, one.finish) for problem, one in zip(SUMS, found, strict=True)]
    sandbox: Sandbox = Broken()
    judged = only_answered(lambda given: verified(given, sandbox), answers)
    assert [one.verdict for one in judged].count(Verdict.ERROR) == 1
    assert (judged[3].reward, judged[3].reason[:17]) == (None, "the engine failed")
    assert [one.verdict for one in judged][1] is Verdict.PASS


@pytest.mark.field_bug("E2")
@pytest.mark.parametrize(
    ("text", "finish", "verdict"),
    [
        ("It is 1.</think>The answer is 1.", "stop", Verdict.PASS),
        ("The answer is 1.", "stop", Verdict.TRUNCATED),  # still thinking when it ended
        ("The answer is 1.", "length", Verdict.TRUNCATED),
        ("</think>The answer is 7.", "stop", Verdict.WRONG),
    ],
)
def test_thinking_that_the_template_opens_is_seen_when_it_never_ends(
    text: str, finish: str, verdict: Verdict, tmp_path: Path
) -> None:
    """Such a response has no opening tag of its own: unfinished thinking would pass as answer."""

    class Engine(ScriptedEngine):
        after = "<reply><think>\n"

    first = ask(scripted(lambda *_: (text, finish), Engine), tmp_path, asked())[0]
    assert first.text == f"<think>\n{text}"
    (found,) = verified([(SUMS[0], first.text, first.finish)], Broken())
    assert found.verdict is verdict


def test_a_template_that_closes_the_thinking_opens_none() -> None:
    assert Frame("", "<reply><think></think>").opened == ""
    assert Frame("<think>", "<reply>").opened == ""


def test_rows_carry_what_the_guards_need() -> None:
    (row, *_) = request_rows(asked(max_tokens=None, window=64), 0)
    assert (row["max_tokens"], row["window"], row["messages"]) == (0, 64, [])
