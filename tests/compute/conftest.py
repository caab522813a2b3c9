"""Fixtures that the tests of the GPU's programs share."""

import shutil
import sys

import pytest

from tests.compute.host_device import HostDevice


@pytest.fixture(scope="session")
def device() -> HostDevice:
    """Return a device that runs the GPU's programs on the CPU. Programs that several tests need are compiled once."""
    compiler = shutil.which("g++") or shutil.which("c++")
    if not compiler or sys.platform != "linux":  # the threads of a warp are fibers of glibc
        pytest.skip("no C++ compiler on Linux")
    return HostDevice(compiler)
