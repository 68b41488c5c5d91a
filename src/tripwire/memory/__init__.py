"""What a session knows: a fold over its journal."""
