"""The Ling 2.0 mixture of experts (BailingMoeV2), written for training.

Grouped-query attention with QK norm and partial rotary embedding; first layers dense; sigmoid
router in float32 whose expert bias takes part in selection only; group-limited top-k; weights
renormalised and scaled; one shared expert; untied head computed in float32.

Experts are stacked, one ``[E, out, in]`` parameter a projection, and each expert sees its tokens in
one slice. Checkpoints hold one matrix an expert: see :mod:`stages.engines.checkpoints`.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from transformers import AutoConfig, PretrainedConfig, PreTrainedModel
from transformers.modeling_outputs import BaseModelOutput, CausalLMOutput
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from stages.base.errors import ConfigError
from stages.base.params import Architecture
from stages.engines.routing import Router, gather, scatter

MODEL_TYPE = "bailing_moe"
ARCHITECTURE = "BailingMoeV2ForCausalLM"


class BailingMoeV2Config(PretrainedConfig):  # type: ignore[misc]
    """Shape of a Ling 2.0 model in the field names vLLM's BailingMoeV2ForCausalLM reads."""

    model_type = MODEL_TYPE

    vocab_size: int = 192
    hidden_size: int = 128
    intermediate_size: int = 384
    moe_intermediate_size: int = 64
    num_hidden_layers: int = 4
    first_k_dense_replace: int = 1
    num_attention_heads: int = 4
    num_key_value_heads: int = 2
    head_dim: int = 32
    num_experts: int = 8
    num_experts_per_tok: int = 2
    num_shared_experts: int = 1
    n_group: int = 2
    topk_group: int = 1
    routed_scaling_factor: float = 2.5
    norm_topk_prob: bool = True
    score_function: str = "sigmoid"
    moe_router_enable_expert_bias: bool = True
    router_dtype: str = "fp32"
    head_dtype: str = "float32"
    max_position_embeddings: int = 512
    partial_rotary_factor: float = 0.5
    rope_parameters: dict[str, Any] | None = None
    rms_norm_eps: float = 1e-6
    hidden_act: str = "silu"
    use_qk_norm: bool = True
    use_rmsnorm: bool = True
    use_bias: bool = False
    use_qkv_bias: bool = False
    norm_head: bool = False
    embedding_dropout: float = 0.0
    tie_word_embeddings: bool = False
    initializer_range: float = 0.02
    pad_token_id: int | None = None
    eos_token_id: int | None = None

    def __post_init__(self, **kwargs: object) -> None:
        """Say the rotary share where each reader looks for it."""
        super().__post_init__(**kwargs)
        self.rotary["partial_rotary_factor"] = self.partial_rotary_factor

    @property
    def rotary(self) -> dict[str, Any]:
        """The rotary settings; the base class fills them in."""
        if self.rope_parameters is None:
            raise ConfigError("config.json: rope_parameters are missing.")
        return self.rope_parameters

    @classmethod
    def from_architecture(cls, shape: Architecture) -> BailingMoeV2Config:
        """The configuration of a profile's ``architecture`` section."""
        return cls(
            architectures=[ARCHITECTURE],
            vocab_size=shape.vocabulary,
            hidden_size=shape.hidden,
            intermediate_size=shape.dense_ffn,
            moe_intermediate_size=shape.expert_ffn,
            num_hidden_layers=shape.layers,
            first_k_dense_replace=shape.dense_layers,
            num_attention_heads=shape.heads,
            num_key_value_heads=shape.kv_heads,
            head_dim=shape.head_dim,
            num_experts=shape.experts,
            num_experts_per_tok=shape.experts_per_token,
            num_shared_experts=shape.shared_experts,
            n_group=shape.groups,
            topk_group=shape.top_groups,
            routed_scaling_factor=shape.routed_scaling,
            max_position_embeddings=shape.context,
            partial_rotary_factor=shape.rotary_share,
            rope_parameters={
                "rope_type": "default",
                "rope_theta": shape.rope_theta,
                "partial_rotary_factor": shape.rotary_share,
            },
        )


AutoConfig.register(MODEL_TYPE, BailingMoeV2Config, exist_ok=True)


class RMSNorm(nn.Module):
    """Root-mean-square norm over the last dimension, computed in float32."""

    def __init__(self, size: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        wide = F.rms_norm(x.float(), self.weight.shape, eps=self.eps).to(x.dtype)
        return wide * self.weight


def rotary_tables(config: BailingMoeV2Config, positions: Tensor) -> tuple[Tensor, Tensor]:
    """Cosine and sine ``[B, 1, L, rotary / 2]`` in float32 of position ids ``[B, L]``."""
    kind, scale = config.rotary["rope_type"], 1.0
    if kind == "default":
        size = int(config.head_dim * config.partial_rotary_factor)
        exponent = torch.arange(0, size, 2, dtype=torch.float32, device=positions.device) / size
        rates = config.rotary["rope_theta"] ** -exponent
    elif kind == "yarn":
        rates, scale = ROPE_INIT_FUNCTIONS[kind](config, positions.device)
    else:
        raise ConfigError(f"config.json: rope_type '{kind}' is not supported: default or yarn.")
    angles = positions[:, None, :, None].float() * rates
    return angles.cos() * scale, angles.sin() * scale


def rotate(x: Tensor, tables: tuple[Tensor, Tensor]) -> Tensor:
    """Rotate the first channels of each head, halves paired; ``x`` is ``[B, heads, L, head]``."""
    cos, sin = (table.to(x.dtype) for table in tables)
    half = cos.shape[-1]
    first, second, rest = torch.split(x, [half, half, x.shape[-1] - 2 * half], dim=-1)
    turned = [first * cos - second * sin, second * cos + first * sin, rest]
    return torch.cat(turned, dim=-1)


class Attention(nn.Module):
    """Grouped-query attention with QK norm per head."""

    def __init__(self, config: BailingMoeV2Config) -> None:
        super().__init__()
        self.heads, self.kv_heads = config.num_attention_heads, config.num_key_value_heads
        self.head_dim = config.head_dim
        width = (self.heads + 2 * self.kv_heads) * self.head_dim
        self.query_key_value = nn.Linear(config.hidden_size, width, bias=False)
        self.query_layernorm = RMSNorm(self.head_dim, config.rms_norm_eps)
        self.key_layernorm = RMSNorm(self.head_dim, config.rms_norm_eps)
        self.dense = nn.Linear(self.heads * self.head_dim, config.hidden_size, bias=False)

    def forward(self, x: Tensor, tables: tuple[Tensor, Tensor], mask: Tensor) -> Tensor:
        rows, length, _ = x.shape
        fused = self.query_key_value(x).view(rows, length, -1, self.head_dim)
        query, key, value = fused.split([self.heads, self.kv_heads, self.kv_heads], dim=2)
        query = rotate(self.query_layernorm(query).transpose(1, 2), tables)
        key = rotate(self.key_layernorm(key).transpose(1, 2), tables)
        value = value.transpose(1, 2)
        seen = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, enable_gqa=True)
        return self.dense(seen.transpose(1, 2).reshape(rows, length, -1))  # type: ignore[no-any-return]


class FeedForward(nn.Module):
    """SwiGLU, for dense layers and shared experts."""

    def __init__(self, hidden: int, width: int) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(hidden, width, bias=False)
        self.up_proj = nn.Linear(hidden, width, bias=False)
        self.down_proj = nn.Linear(width, hidden, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(F.silu(self.gate_proj(x)) * self.up_proj(x))  # type: ignore[no-any-return]


class Experts(nn.Module):
    """All routed experts of a layer, stacked: ``[E, out, in]``."""

    def __init__(self, config: BailingMoeV2Config) -> None:
        super().__init__()
        count, hidden, width = config.num_experts, config.hidden_size, config.moe_intermediate_size
        self.gate_proj = nn.Parameter(torch.empty(count, width, hidden))
        self.up_proj = nn.Parameter(torch.empty(count, width, hidden))
        self.down_proj = nn.Parameter(torch.empty(count, hidden, width))

    def forward(self, x: Tensor, counts: list[int]) -> Tensor:
        """Tokens sorted by expert ``[n, H]`` and how many each expert has -> ``[n, H]``."""
        stacks = (self.gate_proj.unbind(), self.up_proj.unbind(), self.down_proj.unbind())
        outputs = [
            F.linear(F.silu(F.linear(part, gate)) * F.linear(part, up), down)
            for part, gate, up, down in zip(torch.split(x, counts), *stacks, strict=True)
        ]
        return torch.cat(outputs)


class MixtureOfExperts(nn.Module):
    """Router, routed experts and shared experts."""

    def __init__(self, config: BailingMoeV2Config) -> None:
        super().__init__()
        self.gate = Router(
            hidden=config.hidden_size,
            experts=config.num_experts,
            chosen=config.num_experts_per_tok,
            groups=config.n_group,
            top_groups=config.topk_group,
            scaling=config.routed_scaling_factor,
        )
        self.experts = Experts(config)
        shared = config.num_shared_experts * config.moe_intermediate_size
        self.shared_experts = FeedForward(config.hidden_size, shared) if shared else None

    def forward(self, x: Tensor) -> Tensor:
        flat = x.reshape(-1, x.shape[-1])
        chosen, weights = self.gate(flat)
        order = chosen.flatten().argsort(stable=True)
        back = order.argsort(stable=True)
        counts = self.gate.count(chosen).tolist()
        by_expert = scatter(flat, order, back, chosen.shape[1])
        each = gather(self.experts(by_expert, counts), order, back)
        mixed = torch.einsum("nkh,nk->nh", each.view(*chosen.shape, -1), weights.to(x.dtype))
        if self.shared_experts is not None:
            mixed = mixed + self.shared_experts(flat)
        return mixed.view_as(x)


class Block(nn.Module):
    """One layer, norms before attention and before the feed-forward part."""

    def __init__(self, config: BailingMoeV2Config, index: int) -> None:
        super().__init__()
        self.input_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        self.attention = Attention(config)
        self.post_attention_layernorm = RMSNorm(config.hidden_size, config.rms_norm_eps)
        dense = index < config.first_k_dense_replace
        self.mlp = (
            FeedForward(config.hidden_size, config.intermediate_size)
            if dense
            else MixtureOfExperts(config)
        )

    def forward(self, x: Tensor, tables: tuple[Tensor, Tensor], mask: Tensor) -> Tensor:
        x = x + self.attention(self.input_layernorm(x), tables, mask)
        return x + self.mlp(self.post_attention_layernorm(x))  # type: ignore[no-any-return]


class Backbone(nn.Module):
    """Token ids to hidden states."""

    def __init__(self, config: BailingMoeV2Config) -> None:
        super().__init__()
        self.config = config
        self.word_embeddings = nn.Embedding(config.vocab_size, config.hidden_size)
        self.layers = nn.ModuleList(Block(config, i) for i in range(config.num_hidden_layers))
        self.norm = RMSNorm(config.hidden_size, config.rms_norm_eps)

    def forward(
        self, input_ids: Tensor, position_ids: Tensor, attention_mask: Tensor
    ) -> BaseModelOutput:
        x = self.word_embeddings(input_ids)
        tables = rotary_tables(self.config, position_ids)
        for layer in self.layers:
            x = layer(x, tables, attention_mask)
        return BaseModelOutput(last_hidden_state=self.norm(x))


class BailingMoeV2ForCausalLM(PreTrainedModel):  # type: ignore[misc]
    """The language model; :attr:`model` gives hidden states, :meth:`logits` the float32 head."""

    config_class = BailingMoeV2Config
    base_model_prefix = "model"
    _no_split_modules = ("Block",)
    _supports_sdpa = True

    def __init__(self, config: BailingMoeV2Config) -> None:
        super().__init__(config)
        self.model = Backbone(config)
        self.lm_head = nn.Linear(config.hidden_size, config.vocab_size, bias=False)

    def forward(
        self, input_ids: Tensor, position_ids: Tensor, attention_mask: Tensor
    ) -> CausalLMOutput:
        """Ids and positions ``[B, L]``, mask bool ``[B, 1, L, L]`` (True: may look)."""
        hidden = self.model(input_ids, position_ids, attention_mask).last_hidden_state
        return CausalLMOutput(logits=self.logits(hidden))

    def get_input_embeddings(self) -> nn.Embedding:
        """The token embedding."""
        return self.model.word_embeddings

    def get_output_embeddings(self) -> nn.Linear:
        """The language-model head."""
        return self.lm_head

    def logits(self, hidden: Tensor) -> Tensor:
        """Hidden states ``[..., H]`` to float32 logits ``[..., V]``."""
        return F.linear(hidden.float(), self.lm_head.weight.float())

    def routers(self) -> list[Router]:
        """The routers, first layer first."""
        return [module for module in self.modules() if isinstance(module, Router)]

    def expert_load(self) -> Tensor:
        """Tokens each expert got in training passes since the last bias step, ``[layers, E]``."""
        return torch.stack([router.load for router in self.routers()])

    def update_expert_bias(self, rate: float) -> None:
        """Move each bias by ``rate`` towards an even load (sign rule), then forget the load.

        On several ranks the caller sums ``router.load`` over them first.
        """
        for router in self.routers():
            router.step_bias(rate)


def active_parameters(model: nn.Module) -> int:
    """Parameters one token passes through; all of them without routed experts."""
    total = sum(parameter.numel() for parameter in model.parameters())
    for module in model.modules():
        if isinstance(module, MixtureOfExperts):
            routed = sum(parameter.numel() for parameter in module.experts.parameters())
            count = len(module.gate.expert_bias)
            total -= routed * (count - module.gate.chosen) // count
    return total


def initialise(shape: Architecture, seed: int) -> BailingMoeV2ForCausalLM:
    """A new float32 model, the same for the same seed."""
    _refuse_impossible(shape)
    config = BailingMoeV2Config.from_architecture(shape)
    model = BailingMoeV2ForCausalLM(config)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                parameter.normal_(0.0, config.initializer_range, generator=generator)
    return model


def _refuse_impossible(shape: Architecture) -> None:
    inside = shape.experts // shape.groups
    if inside < 2:
        raise ConfigError(
            f"architecture: {shape.groups} groups leave {inside} expert in each; a group is ranked "
            "by its two best experts. Lower `groups` or raise `experts`."
        )
    if shape.experts_per_token > inside * shape.top_groups:
        raise ConfigError(
            f"architecture: experts_per_token ({shape.experts_per_token}) exceeds the "
            f"{inside * shape.top_groups} experts of {shape.top_groups} top groups."
        )
