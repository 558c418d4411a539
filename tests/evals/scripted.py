"""A model that answers from a script, in the shape lm-eval's vLLM model class has."""

from types import SimpleNamespace

from lm_eval.api.model import TemplateLM

from stages.evals.guarded_model import guarded_model

BOS = "\0"
"""What the tokenizer of the script begins a text with, unless told not to."""


class Parameters(SimpleNamespace):
    """What vLLM's SamplingParams carry, as far as the harness looks."""


class ScriptedEngine(TemplateLM):
    """``write(prompt, seed)`` gives (text, finish). Tokens are characters."""

    max_length = 200
    tokenizer_name = "scripted"
    rank = 0
    world_size = 1
    before, after = "<user>", "<reply>"

    def __init__(self, write) -> None:
        super().__init__()
        self.write = write
        self.asked: list[dict] = []
        self.prompts: list[list[int]] = []
        self.tokenizer = SimpleNamespace(bos_token_id=ord(BOS), unk_token_id=ord("?"))

    @property
    def eot_token_id(self) -> int:
        return 0

    def tok_encode(self, string, add_special_tokens=None, **kwargs):
        texts = [string] if isinstance(string, str) else string
        extra = [] if add_special_tokens is False else [ord(BOS)]
        encoded = [extra + [ord(char) for char in text] for text in texts]
        return encoded[0] if isinstance(string, str) else encoded

    def apply_chat_template(self, chat_history, add_generation_prompt=True) -> str:
        turns = [turn["content"] for turn in chat_history]
        return self.before + "<then>".join(turns) + self.after

    def chat_template(self, chat_template=False) -> str:
        return "scripted"

    def generate_until(self, requests, disable_tqdm=False) -> list[str]:
        asked = [Parameters(**request.args[1]) for request in requests]
        prompts = self.tok_encode([request.args[0] for request in requests])
        self.asked += [vars(one) for one in asked]
        self.prompts += prompts
        order = sorted(range(len(requests)), key=lambda at: -len(prompts[at]))
        made = self._model_generate(
            [prompts[at] for at in order], True, [asked[at] for at in order]
        )
        texts = dict(zip(order, (output.outputs[0].text for output in made), strict=True))
        return [texts[at] for at in range(len(requests))]

    def _model_generate(self, requests, generate=False, sampling_params=None):
        outputs = []
        for tokens, asked in zip(requests, sampling_params, strict=True):
            text = "".join(map(chr, tokens)).removeprefix(BOS)
            prompt = text.removeprefix(self.before).removesuffix(self.after)
            text, finish = self.write(prompt, asked.seed)
            final = SimpleNamespace(text=text, finish_reason=finish, token_ids=text.split())
            outputs.append(SimpleNamespace(outputs=[] if finish == "lost" else [final]))
        return outputs

    def _loglikelihood_tokens(self, requests, **kwargs):
        raise NotImplementedError

    def loglikelihood_rolling(self, requests, disable_tqdm=False):
        raise NotImplementedError


def scripted(write, kind=ScriptedEngine):
    return guarded_model(kind)(write)
