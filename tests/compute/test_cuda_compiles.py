"""The programs for a GPU compile with the GPU's own compiler. Without a GPU the result cannot be run."""

import ctypes
from dataclasses import replace

import numpy as np
import pytest

from blockfall.agents import Agent, BoardNetwork, WeightedFeatures, agent
from blockfall.compute import Request
from blockfall.compute.cuda import CudaBackend, afterstates
from blockfall.features import feature_list
from blockfall.rulesets import rules
from tests.compute.host_device import HostDevice
from tests.compute.host_seats import HostSeats
from tests.compute.nvrtc import CompileError, CompilingDevice, compiled, find_nvrtc


@pytest.fixture(scope="module")
def nvrtc() -> ctypes.CDLL:
    found = find_nvrtc()
    if found is None:
        pytest.skip("the wheel nvidia-cuda-nvrtc is not installed")
    return found


@pytest.fixture
def gpu(nvrtc: ctypes.CDLL, device: HostDevice) -> CompilingDevice:
    return CompilingDevice(nvrtc, device)


def test_afterstates(gpu: CompilingDevice) -> None:
    afterstates("standard", np.zeros((1, 10), np.uint32), np.zeros(1, np.uint8), device=gpu)
    assert b"find_afterstates" in gpu.code["afterstates.cu"]


def test_seats(gpu: CompilingDevice) -> None:
    HostSeats(gpu, rules("standard"), seats=1, seed=1, first_number=0, pieces_known=1)
    for kernel in (b"start_seats", b"read_seats", b"count_seat_successors", b"write_seat_successors", b"play_seats"):
        assert kernel in gpu.code["seats.cu"]


@pytest.mark.parametrize(("known", "threads"), [(1, 1), (1, 32), (2, 1), (2, 8)])
def test_games(known: int, threads: int, gpu: CompilingDevice) -> None:
    plays = replace(agent("dellacherie"), pieces_known=known)
    CudaBackend(gpu, threads_per_game=threads).play(Request(rules("standard"), plays, games=1, seed=1, max_pieces=1))
    for kernel in (b"find_sizes", b"prepare", b"take_seats", b"play_slice", b"clear_list", b"look"):
        assert kernel in gpu.code["play.cu"]


def test_games_by_one_program_for_many_agents(gpu: CompilingDevice) -> None:
    backend = CudaBackend(gpu).prepared_for(feature_list("soster-3"))
    plays = Agent("wells", WeightedFeatures({"well-cells": -1}), 2)
    backend.play(Request(rules("nes-no-rotation"), plays, games=1, seed=1, max_pieces=1))
    assert b"SomeFeatures" in gpu.code["play.cu"]


def test_games_by_board_networks(gpu: CompilingDevice) -> None:
    network = BoardNetwork.zeros(columns=10, rows=20, channels=8, kernel=3, blocks=1, hidden=16, outputs=7)
    plays = Agent("network", network, 2, plies=2)
    CudaBackend(gpu).play(Request(rules("nes-no-rotation-drop"), plays, games=1, seed=1, max_pieces=1))
    for kernel in (b"branch_out", b"branch_further", b"value_leaves", b"weigh_parents", b"play_step", b"list_seats"):
        assert kernel in gpu.code["board_network.cu"]


def test_a_source_that_does_not_compile_is_reported(nvrtc: ctypes.CDLL) -> None:
    """This shows that the tests above can fail."""
    with pytest.raises(CompileError, match='identifier "nowhere" is undefined'):
        compiled(nvrtc, 'extern "C" __global__ void kernel(int* out) { *out = nowhere; }', ["-arch=sm_90"])
