from __future__ import annotations

import pytest
import torch

from stages.engines.threads import sampling_threads, set_threads, training_threads


def test_blocks_set_threads_and_put_them_back_even_on_errors():
    before = torch.get_num_threads()
    with training_threads(2):
        assert torch.get_num_threads() == 2
        with sampling_threads():
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 2
    with pytest.raises(RuntimeError), training_threads(2):
        raise RuntimeError
    assert torch.get_num_threads() == before


def test_the_setter_survives_being_rebound(monkeypatch):
    monkeypatch.setattr(torch, "set_num_threads", lambda count: None)
    with training_threads(2):
        assert torch.get_num_threads() == 2
    set_threads(1)
    assert torch.get_num_threads() == 1
