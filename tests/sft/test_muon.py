"""Muon orthogonalises matrices, stacked or not, and leaves the rest to AdamW."""

from __future__ import annotations

from copy import deepcopy

import pytest
import torch
from torch import nn

from stages.sft.muon import Muon, orthogonalise


class Small(nn.Module):
    """Embedding, a matrix, stacked experts, a norm, a head."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.embedding = nn.Embedding(7, 8)
        self.matrix = nn.Linear(8, 8, bias=False)
        self.experts = nn.Parameter(torch.randn(3, 8, 8))
        self.norm = nn.Parameter(torch.ones(8))
        self.head = nn.Linear(8, 7, bias=False)

    def get_input_embeddings(self) -> nn.Module:
        return self.embedding

    def get_output_embeddings(self) -> nn.Module:
        return self.head

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        hidden = self.matrix(self.embedding(tokens)) * self.norm
        return self.head(torch.einsum("btd,edf->btf", hidden, self.experts))


def make(model: Small) -> Muon:
    return Muon(
        model, learning_rate=0.01, matrix_learning_rate=0.02, betas=(0.9, 0.95), weight_decay=0.1
    )


@pytest.mark.parametrize("shape", [(2, 16, 4), (1, 4, 16), (3, 8, 8)])
def test_singular_values_come_close_to_one(shape: tuple[int, int, int]) -> None:
    torch.manual_seed(1)
    values = torch.linalg.svdvals(orthogonalise(torch.randn(shape)))
    assert values.min() > 0.4
    assert values.max() < 1.3


def test_groups_split_matrices_from_the_rest() -> None:
    model = Small()
    rest, matrices = make(model).param_groups
    assert {p.shape for p in matrices["params"]} == {model.matrix.weight.shape, model.experts.shape}
    assert len(rest["params"]) == 3


def test_a_copy_restored_from_the_state_goes_on_to_the_same_bytes() -> None:
    tokens = torch.arange(7)[None]

    def steps(model: Small, optimizer: Muon, count: int) -> None:
        for _ in range(count):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(tokens)[0], tokens[0]).backward()
            optimizer.step()

    model = Small()
    optimizer = make(model)
    steps(model, optimizer, 3)
    twin = Small()
    twin.load_state_dict(model.state_dict())
    twin_optimizer = make(twin)
    twin_optimizer.load_state_dict(deepcopy(optimizer.state_dict()))
    steps(model, optimizer, 3)
    steps(twin, twin_optimizer, 3)
    assert all(
        torch.equal(a, b) for a, b in zip(model.parameters(), twin.parameters(), strict=True)
    )


def test_it_learns() -> None:
    model, tokens = Small(), torch.arange(7)[None]
    optimizer = make(model)
    losses = []
    for _ in range(40):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(tokens)[0], tokens[0])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.2 * losses[0]
