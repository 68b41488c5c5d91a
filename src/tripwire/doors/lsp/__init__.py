"""The language server: what the project knows about the file in front of a person, in an editor.

Shows what an agent would be shown and what lint finds. Decides nothing and records nothing.
"""
