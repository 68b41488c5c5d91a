"""Algorithms on strings, ignorant of tripwires."""
