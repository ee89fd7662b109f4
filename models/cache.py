"""The call cache: one SQLite file, addressed by what was asked.

The key is the sha256 of everything that shapes a reply and of nothing else, so the same request is never paid
for twice, whoever asks, in whatever order, under whatever file name. A row is the reply as it came: it is read
and validated anew at each hit. Requests are not stored, nor are keys of providers.

WAL mode with a commit per reply: several processes may share the file, and a process killed at any moment
loses the calls in flight and nothing else.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..schemas.errors import UsageError
from .outcome import KEPT, LevelOdds, Status, Usage
from .request import Question

LAYOUT = 1
APPLICATION_ID = 0x65326263  # "e2bc": tells `file` and a second opener what this is
CHUNK = 500
BUSY_SECONDS = 60.0

TABLES = """
CREATE TABLE IF NOT EXISTS calls (
    key BLOB PRIMARY KEY, asked TEXT NOT NULL, status TEXT NOT NULL, reported TEXT NOT NULL, stop TEXT NOT NULL,
    text TEXT NOT NULL, odds TEXT, refusal TEXT NOT NULL, usage TEXT NOT NULL, seconds REAL NOT NULL,
    created INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS batches (
    token TEXT PRIMARY KEY, asked TEXT NOT NULL, batch TEXT, state TEXT NOT NULL, keys BLOB NOT NULL,
    created INTEGER NOT NULL
);
"""
COLUMNS = "key, asked, status, reported, stop, text, odds, refusal, usage, seconds, created"


@dataclass(frozen=True)
class StoredReply:
    """One row. `asked` is the model's name as the user wrote it, `reported` what the provider called it."""

    status: Status
    asked: str
    text: str = ""
    odds: LevelOdds | None = None
    refusal: str = ""
    reported: str = ""
    stop: str = ""
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    created: int = 0


def call_key(identity: Mapping[str, Any], question: Question) -> str:
    """Hex sha256 of the canonical JSON of the model's identity and the question's."""
    canonical = json.dumps(
        {"v": LAYOUT, "model": identity, "question": question.identity()},
        sort_keys=True,
        ensure_ascii=False,
        separators=(",", ":"),
        allow_nan=False,
    )
    # a lone surrogate in a paper's text has no UTF-8 form, yet must have a key
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def default_path() -> Path:
    from platformdirs import user_cache_path

    return user_cache_path("exam2bench") / "calls.sqlite"


class CallCache:
    """Replies by key. Use as a context manager, or `close()` it. Raises UsageError where the file is no cache."""

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)
            self._prepare()
        except (sqlite3.DatabaseError, OSError) as error:
            raise UsageError(f"{self.path} cannot be used as a call cache: {error}") from None

    def _prepare(self) -> None:
        if not self._is_cache():
            # whoever holds the write lock creates the tables; whoever waited for it finds them there
            self._db.execute("BEGIN IMMEDIATE")
            if not self._is_cache():
                for statement in TABLES.split(";"):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA application_id={APPLICATION_ID}")
                self._db.execute(f"PRAGMA user_version={LAYOUT}")
            self._db.execute("COMMIT")
        self._use_wal()
        # NORMAL: a killed process loses nothing; a power cut may lose the last replies but never corrupts
        self._db.execute("PRAGMA synchronous=NORMAL")
        # the index of a million keys fits: they are random, so every lookup touches another page
        self._db.execute("PRAGMA cache_size=-131072")

    def _is_cache(self) -> bool:
        """False for an empty file. One statement, so that all three figures are of one moment: another process may
        be creating the tables just now."""
        tables, mine, layout = self._db.execute(
            "SELECT (SELECT count(*) FROM sqlite_master), (SELECT application_id FROM pragma_application_id), "
            "(SELECT user_version FROM pragma_user_version)"
        ).fetchone()
        if tables and mine != APPLICATION_ID:
            raise UsageError(f"{self.path} is a database of another program: name another file with --cache")
        if layout > LAYOUT:
            raise UsageError(f"{self.path} was written by a newer version (layout {layout}): upgrade exam2bench")
        return bool(tables)

    def _use_wal(self) -> None:
        """SQLite does not wait for the lock by itself where the journal's mode is changed."""
        deadline = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                self._db.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def __enter__(self) -> CallCache:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        self._db.close()

    def get(self, key: str) -> StoredReply | None:
        return self.get_many([key]).get(key)

    def get_many(self, keys: Iterable[str]) -> dict[str, StoredReply]:
        """The stored replies among these keys."""
        wanted = list(dict.fromkeys(keys))
        found: dict[str, StoredReply] = {}
        for start in range(0, len(wanted), CHUNK):
            chunk = [bytes.fromhex(key) for key in wanted[start : start + CHUNK]]
            marks = ",".join("?" * len(chunk))
            for row in self._db.execute(f"SELECT {COLUMNS} FROM calls WHERE key IN ({marks})", chunk):
                found[row[0].hex()] = _reply(row)
        return found

    def put(self, key: str, reply: StoredReply) -> StoredReply:
        """Keep a reply and return the one that counts: where another process was first, its reply does, so that
        all runs agree. Raises ValueError for a status that is not kept."""
        if reply.status not in KEPT:
            raise ValueError(f"{reply.status} is not kept in the cache")
        cursor = self._db.execute(f"INSERT OR IGNORE INTO calls ({COLUMNS}) VALUES ({_marks()})", _row(key, reply))
        if cursor.rowcount:
            return reply
        return self.get(key) or reply

    def forget(self, key: str) -> None:
        """Drop a reply that can no longer be read, so that it is asked for anew."""
        self._db.execute("DELETE FROM calls WHERE key = ?", (bytes.fromhex(key),))

    def put_many(self, replies: Iterable[tuple[str, StoredReply]]) -> tuple[int, int]:
        """(new, already there), all or nothing."""
        new = seen = 0
        self._db.execute("BEGIN IMMEDIATE")
        try:
            for key, reply in replies:
                seen += 1
                sql = f"INSERT OR IGNORE INTO calls ({COLUMNS}) VALUES ({_marks()})"
                new += self._db.execute(sql, _row(key, reply)).rowcount
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")
        return new, seen - new

    def rows(self, model: str | None = None) -> Iterator[tuple[str, StoredReply]]:
        """All rows in the order of their keys; `model`: only those asked under this name."""
        where, values = ("WHERE asked = ?", (model,)) if model else ("", ())
        for row in self._db.execute(f"SELECT {COLUMNS} FROM calls {where} ORDER BY key", values):
            yield row[0].hex(), _reply(row)

    def stats(self) -> dict[str, Any]:
        """Counts and tokens per model, and the size of the file in bytes."""
        models: dict[str, dict[str, Any]] = {}
        sql = """SELECT asked, status, count(*), sum(usage ->> 'input'), sum(usage ->> 'output'), min(created),
                 max(created) FROM calls GROUP BY asked, status ORDER BY asked, status"""
        for asked, status, count, tokens_in, tokens_out, first, last in self._db.execute(sql):
            row = models.setdefault(asked, {"ok": 0, "refused": 0, "input": 0, "output": 0, "first": first, "last": 0})
            row[status] += count
            row["input"] += tokens_in or 0
            row["output"] += tokens_out or 0
            row["first"], row["last"] = min(first, row["first"]), max(last, row["last"])
        size = sum(f.stat().st_size for f in (self.path, Path(f"{self.path}-wal")) if f.exists())
        replies = sum(row["ok"] + row["refused"] for row in models.values())
        return {"path": str(self.path), "bytes": size, "replies": replies, "models": models}

    def prune(self, *, before: float | None = None, model: str | None = None) -> int:
        """Delete the replies stored before a Unix time and/or asked of one model; gives the room back."""
        clauses, values = [], []
        if before is not None:
            clauses.append("created < ?")
            values.append(before)
        if model is not None:
            clauses.append("asked = ?")
            values.append(model)
        if not clauses:
            raise UsageError("prune needs a limit: --older-than DAYS or --model NAME")
        gone = self._db.execute(f"DELETE FROM calls WHERE {' AND '.join(clauses)}", values).rowcount
        self._db.execute("VACUUM")
        return gone

    def remember_batch(self, token: str, asked: str, keys: Iterable[str]) -> None:
        """Before a batch is submitted: a crash between submission and the id is found again by `token`."""
        blob = b"".join(bytes.fromhex(key) for key in keys)
        sql = "INSERT OR REPLACE INTO batches VALUES (?, ?, NULL, 'submitting', ?, ?)"
        self._db.execute(sql, (token, asked, blob, int(time.time())))

    def name_batch(self, token: str, batch: str) -> None:
        self._db.execute("UPDATE batches SET batch = ?, state = 'open' WHERE token = ?", (batch, token))

    def close_batch(self, token: str) -> None:
        self._db.execute("UPDATE batches SET state = 'collected' WHERE token = ?", (token,))

    def open_batches(self, asked: str) -> list[OpenBatch]:
        sql = (
            "SELECT token, batch, keys, created FROM batches WHERE asked = ? AND state != 'collected' ORDER BY created"
        )
        return [
            OpenBatch(token, batch, tuple(blob[i : i + 32].hex() for i in range(0, len(blob), 32)), created)
            for token, batch, blob, created in self._db.execute(sql, (asked,))
        ]


@dataclass(frozen=True, slots=True)
class OpenBatch:
    """A batch that was submitted and not yet collected. `batch` is None where the program died in between."""

    token: str
    batch: str | None
    keys: tuple[str, ...]
    created: int


def _marks() -> str:
    return ", ".join("?" * 11)


def _row(key: str, reply: StoredReply) -> tuple[Any, ...]:
    odds = None if reply.odds is None else json.dumps(reply.odds.as_dict(), ensure_ascii=False)
    return (
        bytes.fromhex(key),
        reply.asked,
        reply.status,
        _utf8(reply.reported),
        _utf8(reply.stop),
        _utf8(reply.text),
        odds,
        _utf8(reply.refusal),
        json.dumps(reply.usage.as_dict()),
        reply.seconds,
        reply.created or int(time.time()),
    )


def _utf8(text: str) -> str:
    # SQLite stores UTF-8: a lone surrogate from a reply's \\ud800 becomes a replacement character
    return text.encode("utf-8", "replace").decode()


def _reply(row: tuple[Any, ...]) -> StoredReply:
    _, asked, status, reported, stop, text, odds, refusal, usage, seconds, created = row
    return StoredReply(
        status=status,
        asked=asked,
        text=text,
        odds=LevelOdds.of(json.loads(odds)) if odds else None,
        refusal=refusal,
        reported=reported,
        stop=stop,
        usage=Usage(**json.loads(usage)),
        seconds=seconds,
        created=created,
    )
