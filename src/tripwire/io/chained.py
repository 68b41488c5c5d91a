"""A chained file that all sessions of one state directory share: heads.jsonl, approvals.jsonl.

Appends under a lock of its own. Its last line is verified before each append; the whole file is
verified by `verify-log`. A file whose end was changed is set aside, and the new one says so.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tripwire.errors import EvidenceUnavailable, JournalTampered
from tripwire.io.files import AppendFile, FileLock, make_private_dir
from tripwire.ledger.chain import Tip

Check = Callable[[bytes], Tip]
"""The tip after a line; raises JournalTampered for a line that was not written with our key."""
Make = Callable[[Tip], tuple[bytes, Tip]]
"""The next line after a tip, and the tip after it."""


class ChainedFile:
    """One shared file; cheap to open, safe between processes."""

    def __init__(self, path: Path, check: Callable[[], Check]) -> None:
        make_private_dir(path.parent)
        self.path = path
        self._lock = FileLock(path.with_name(path.name + ".lock"))
        self._make_check = check
        self._check: Check | None = None
        self._file: AppendFile | None = None
        self._tip = Tip()

    def append(self, make: Make) -> Tip:
        """Write the line that `make` builds. Raises EvidenceUnavailable."""
        with self._lock.held():
            file = self._current()
            line, tip = make(self._tip)
            before = file.size
            try:
                file.append(line)
            except OSError as error:
                self._undo(file, before)
                raise EvidenceUnavailable(
                    f"cannot be written ({error.strerror})",
                    where=str(self.path),
                    fix="Make room on the disk or make the directory writable.",
                ) from None
            self._tip = tip
        return tip

    def last_line(self, holding: bytes) -> bytes | None:
        """The last line that holds these bytes, whole and with its newline."""
        with self._lock.held():
            try:
                content = self.path.read_bytes()
            except OSError:
                return None
        found = content.rfind(holding)
        if found < 0:
            return None
        start, end = content.rfind(b"\n", 0, found) + 1, content.find(b"\n", found)
        return content[start : end + 1] if end >= 0 else content[start:] + b"\n"

    def content(self) -> bytes:
        """The whole file as of now, b"" if there is none."""
        with self._lock.held():
            try:
                return self.path.read_bytes()
            except OSError:
                return b""

    def lines_from(self, size: int) -> list[bytes]:
        """The whole lines after the first `size` bytes; an unfinished one is left for later."""
        with self._lock.held():
            try:
                with self.path.open("rb") as file:
                    file.seek(size)
                    content = file.read()
            except OSError:
                return []
        return content[: content.rfind(b"\n") + 1].splitlines(keepends=True)

    def tip_of(self, line: bytes) -> Tip:
        """The tip after a line. Raises JournalTampered."""
        return self._checker()(line)

    def close(self) -> None:
        """Let the files go."""
        if self._file is not None:
            self._file.close()
        self._lock.close()

    def _checker(self) -> Check:
        if self._check is None:
            self._check = self._make_check()
        return self._check

    def _current(self) -> AppendFile:
        """The open file, `_tip` at its end."""
        file = self._file
        if file is None or file.length() < file.size:
            if file is not None:
                file.close()
            file = self._file = AppendFile(self.path)
            self._tip = Tip()
        if file.length() > file.size:
            whole, _, rest = file.tail().rpartition(b"\n")
            if rest:
                self._set_aside(file, rest)
            if not whole:
                return file
            try:
                self._tip = self.tip_of(whole[whole.rfind(b"\n") + 1 :] + b"\n")
            except JournalTampered:
                return self._begin_again(file)
            file.size += len(whole) + 1
        return file

    def _set_aside(self, file: AppendFile, rest: bytes) -> None:
        """Move what a dying writer left unfinished to `<file>.torn`. Raises EvidenceUnavailable."""
        torn = AppendFile(self.path.with_name(f"{self.path.name}.torn"))
        try:
            torn.append(rest + b"\n")
            torn.sync()
            file.cut_tail(len(rest))
        except OSError as error:
            raise EvidenceUnavailable(
                f"cannot be mended ({error.strerror})",
                where=str(self.path),
                fix="Make room on the disk or make the directory writable.",
            ) from None
        finally:
            torn.close()

    def _begin_again(self, file: AppendFile) -> AppendFile:
        file.close()
        number = 1
        while (beside := self.path.with_name(f"{self.path.name}.aside-{number}")).exists():
            number += 1
        self.path.rename(beside)
        self._file = AppendFile(self.path)
        self._tip = Tip()
        return self._file

    @staticmethod
    def _undo(file: AppendFile, size: int) -> None:
        try:
            file.cut(size)
        except OSError:
            file.size = size
