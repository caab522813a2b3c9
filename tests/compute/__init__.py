"""Tests of the backends, which play games."""
