"""Disks that fail: a shim between a program and its files, and what a power cut leaves of them."""
