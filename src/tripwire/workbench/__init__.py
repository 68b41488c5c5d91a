"""Offline study of what was recorded."""
