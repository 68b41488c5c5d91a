"""Which texts and documents a tool's result holds: MCP results, strings, any JSON (gateway.md P-1).

Does not judge them. What cannot be read as text is named, never skipped in silence.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator
from decimal import Decimal

MAX_DEPTH = 128
"""Levels of nesting that are opened (gateway.md §2 `limits.depth`)."""


def documents(result: object) -> Iterator[object]:
    """Each document of a result: parsed JSON where a text block is JSON, else the string.

    `_meta` is never evidence. `structuredContent` follows the text blocks; a caller that counts
    leaves counts the same leaf once.
    """
    if not (isinstance(result, dict) and isinstance(result.get("content"), list)):
        yield from _document(result)
        return
    for block in result["content"]:
        yield from _block(block)
    if "structuredContent" in result:
        yield result["structuredContent"]


def texts(result: object) -> Iterator[str]:
    """Every string of a result, keys included, as it stands."""
    for document in documents(result):
        yield from strings(document)


def strings(value: object, depth: int = MAX_DEPTH) -> Iterator[str]:
    """Every string leaf and key of a JSON value; numbers as their JSON text."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, bool) or value is None:
        return
    elif isinstance(value, int | float):
        yield json.dumps(value)
    elif isinstance(value, Decimal):
        yield str(value)
    elif depth <= 0:
        yield json.dumps(value, default=str)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            if isinstance(item, str):
                yield item
            elif item is not None:
                yield from strings(item, depth - 1)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings(item, depth - 1)


def not_scanned(result: object) -> tuple[str, ...]:
    """Names of parts that hold no readable text (images, audio, binary resources)."""
    if not (isinstance(result, dict) and isinstance(result.get("content"), list)):
        return ()
    return tuple(
        f"{block.get('type', 'unknown')} block" for block in result["content"] if _is_opaque(block)
    )


def _is_opaque(block: object) -> bool:
    if not isinstance(block, dict):
        return False
    if block.get("type") in ("image", "audio"):
        return True
    resource = block.get("resource")
    return isinstance(resource, dict) and "blob" in resource and _blob_text(resource) is None


def _block(block: object) -> Iterator[object]:
    if not isinstance(block, dict):
        yield from _document(block)
        return
    if isinstance(block.get("text"), str):
        yield from _document(block["text"])
    resource = block.get("resource")
    if isinstance(resource, dict):
        text = resource.get("text")
        yield from _document(text if isinstance(text, str) else _blob_text(resource))
    for key in ("uri", "name", "title", "description"):  # resource_link
        if isinstance(block.get(key), str):
            yield block[key]


def _blob_text(resource: dict[str, object]) -> str | None:
    mime = str(resource.get("mimeType", ""))
    if not (mime.startswith("text/") or "json" in mime or "xml" in mime or "yaml" in mime):
        return None
    try:
        return base64.b64decode(str(resource.get("blob", "")), validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return None


def _document(value: object) -> Iterator[object]:
    if not isinstance(value, str):
        if value is not None:
            yield value
        return
    stripped = value.lstrip()
    if stripped[:1] in ("{", "["):
        try:
            # Decimal: a float would let 0.1 + 0.2 differ from what the text says (P-3).
            yield json.loads(value, parse_float=Decimal)
        except (ValueError, RecursionError):
            yield value
        return
    yield value
