"""The faults of a configuration, collected while it is read, and what deserves a word."""

from __future__ import annotations

from dataclasses import dataclass, field

from tripwire.config.node import Place
from tripwire.errors import PolicyError, PolicyErrors

_LONGEST = 400
MOST = 200
"""More faults than anyone reads; further ones are not recorded, the file is refused anyway."""


@dataclass(slots=True)
class Problems:
    """Faults end the loading after everything was read; notices never do."""

    errors: list[PolicyError] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    _places: list[Place] = field(default_factory=list)

    def add(self, place: Place, path: str, what: str, fix: str = "") -> None:
        """Record one fault at a place of a file and a key path."""
        if len(self.errors) < MOST:
            shown = printable(what)
            self.errors.append(PolicyError(shown, where=_where(place, path), fix=printable(fix)))
            self._places.append(place)

    def notice(self, place: Place, path: str, words: str) -> None:
        """Record something that was ignored or deserves a look."""
        where = _where(place, path)
        self.notices.append(f"{where}: {words}" if where else words)

    def raise_if_any(self) -> None:
        """Raise PolicyErrors if a fault was recorded; those of one file in the file's order."""
        if self.errors:
            files = {place.shown: number for number, place in enumerate(reversed(self._places))}
            order = sorted(
                range(len(self.errors)),
                key=lambda n: (-files[self._places[n].shown], self._places[n].position),
            )
            raise PolicyErrors(tuple(self.errors[n] for n in order))


def printable(text: str) -> str:
    """The text on one line, cut, with what a terminal would obey or hide spelt out."""
    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    if cut.isprintable():
        return cut
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in cut)


def _where(place: Place, path: str) -> str:
    return ": ".join(printable(part) for part in (str(place), path) if part)
