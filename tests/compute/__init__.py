"""Tests of where games are played."""
