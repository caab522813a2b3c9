"""Playing on a GPU, for which the core's own headers are compiled at run time."""

from blockfall.compute.cuda.afterstates import DeviceAfterstates, afterstates, room_for_placements
from blockfall.compute.cuda.backend import CudaBackend
from blockfall.compute.cuda.device import Device, find_device

__all__ = ["CudaBackend", "Device", "DeviceAfterstates", "afterstates", "find_device", "room_for_placements"]
