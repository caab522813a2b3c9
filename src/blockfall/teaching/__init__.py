"""Assignments for students, and the grading of their submissions."""
