import enum
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from tripwire.doors.opened import MAX_DEPTH, opened


class Colour(enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


@dataclass
class Mail:
    to: str
    body: bytes


class Model(BaseModel):
    model_config = ConfigDict(extra="allow")
    url: str


class Plain:
    def __init__(self):
        self.to = "a@b.example"


class Hostile:
    @property
    def __dict__(self):
        raise RuntimeError("no")


class Slots:
    __slots__ = ("hidden",)


def test_record_like_objects_are_opened():
    value = {
        "mail": Mail("a@b.example", b"hi"),
        "model": Model(url="https://x.example", more="extra"),
        "plain": Plain(),
        "path": Path("/tmp/x"),
        "colour": Colour.RED,
        "level": Level.HIGH,
        "sum": Decimal("1.10"),
        "tags": {"one"},
    }
    answer = opened(value)
    assert answer.value == {
        "mail": {"to": "a@b.example", "body": "hi"},
        "model": {"url": "https://x.example", "more": "extra"},
        "plain": {"to": "a@b.example"},
        "path": "/tmp/x",
        "colour": "red",
        "level": 3,
        "sum": "1.10",
        "tags": ["one"],
    }
    assert answer.unopened == []


def test_what_cannot_be_opened_is_named():
    answer = opened({"a": Slots(), "b": Hostile(), "c": object()})
    assert [name.rsplit(".", 1)[-1] for name in answer.unopened] == ["Slots", "Hostile", "object"]


def test_bytes_that_are_no_text_keep_every_byte():
    assert opened(b"ok\xff").value == "ok\\xff"


def test_a_cycle_ends():
    loop = []
    loop.append(loop)
    answer = opened(loop)
    assert answer.unopened == ["builtins.list"]


def test_depth_is_bounded_and_said():
    value = "leaf"
    for _ in range(MAX_DEPTH + 5):
        value = [value]
    assert opened(value).unopened


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_json_is_itself(value):
    answer = opened(value)
    assert answer.value == value
    assert not answer.unopened
