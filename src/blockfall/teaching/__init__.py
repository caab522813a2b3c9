"""Courses: assignments for students, and the grading of what they hand in."""
