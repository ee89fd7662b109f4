"""A Hub of our own on 127.0.0.1: the endpoints that `huggingface_hub` and `datasets` use, with faults on demand.

It keeps commits as mappings of paths to contents, checks parents, sizes and hashes as the Hub does, and serves what
tests put there by hand, however hostile. Nothing in it is particular to this project.

    with HubServer() as hub:
        hub.put("user/exams", {"README.md": b"…"})
        hub.faults.append(Fault("lfs", times=1, status=429, after=0))
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

PAGE = 1000
LFS_FROM = 100_000
LFS_ENDINGS = (".parquet", ".zip", ".sealed", ".png", ".jpg")


@dataclass
class Fault:
    """The next `times` requests of a kind fail. Kinds: create, info, preupload, batch, upload, verify, commit, tree,
    paths, resolve, refs, tag, yaml. `status`: the reply; 0: the line breaks off, after half of a download. `corrupt`:
    a download with another content. `hook`: called before the request is served normally."""

    kind: str
    times: int = 1
    status: int = 500
    headers: dict[str, str] = field(default_factory=dict)
    corrupt: bool = False
    hook: Any = None
    match: str = ""


@dataclass
class Repository:
    private: bool = False
    gated: bool = False
    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)
    sizes: dict[str, int] = field(default_factory=dict)
    """By path: a size to be stated in place of the true one."""

    @property
    def head(self) -> str:
        return self.order[-1]

    def add(self, files: dict[str, bytes], message: str) -> str:
        previous = self.order[-1] if self.order else ""
        names = "".join(f"{path}{blob_id(data)}" for path, data in sorted(files.items()))
        commit = hashlib.sha1(f"{previous}{message}{len(self.order)}{names}".encode()).hexdigest()
        self.commits[commit] = files
        self.order.append(commit)
        self.messages.append(message)
        return commit


def blob_id(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def is_lfs(path: str, size: int) -> bool:
    return path.endswith(LFS_ENDINGS) or size >= LFS_FROM


class HubServer:
    """State and address. `requests`: (kind, path) of all that was asked; `seen_tokens`: Authorization headers."""

    def __init__(self, token: str = "hf_secret") -> None:
        self.token = token
        self.repos: dict[str, Repository] = {}
        self.renamed: dict[str, str] = {}
        self.blobs: dict[str, bytes] = {}
        self.faults: list[Fault] = []
        self.requests: list[tuple[str, str]] = []
        self.uploads: list[str] = []
        self.seen_tokens: set[str] = set()
        self.limit: int | None = None
        self.listings: dict[Any, list[dict[str, Any]]] = {}
        self.lock = threading.RLock()
        server = self

        class Handler(_Handler):
            hub = server

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> HubServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def put(self, repo: str, files: dict[str, bytes], **kinds: bool) -> str:
        """A repository with these files on top of what it has."""
        found = self.repos.setdefault(repo, Repository(**kinds))
        return found.add({**(found.commits[found.head] if found.order else {}), **files}, "by hand")

    def files(self, repo: str) -> dict[str, bytes]:
        return self.repos[repo].commits[self.repos[repo].head]

    def fault(self, kind: str, path: str) -> Fault | None:
        with self.lock:
            for one in self.faults:
                if one.kind == kind and one.times > 0 and one.match in path:
                    one.times -= 1
                    return one
        return None


class _Handler(BaseHTTPRequestHandler):
    hub: HubServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._serve("HEAD")

    def do_GET(self) -> None:
        self._serve("GET")

    def do_POST(self) -> None:
        self._serve("POST")

    def do_PUT(self) -> None:
        self._serve("PUT")

    def do_DELETE(self) -> None:
        self._serve("DELETE")

    ROUTES = [
        ("POST", "create", r"/api/repos/create"),
        ("POST", "yaml", r"/api/validate-yaml"),
        ("GET", "info", r"/api/datasets/(?P<repo>[^/]+/[^/]+)(?:/revision/(?P<rev>[^/]+))?"),
        ("POST", "preupload", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/preupload/(?P<rev>[^/]+)"),
        ("POST", "commit", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/commit/(?P<rev>[^/]+)"),
        ("GET", "tree", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/tree/(?P<rev>[^/]+)(?:/(?P<path>.*))?"),
        ("POST", "paths", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/paths-info/(?P<rev>[^/]+)"),
        ("GET", "refs", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/refs"),
        ("POST", "tag", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/tag/(?P<rev>[^/]+)"),
        ("DELETE", "untag", r"/api/datasets/(?P<repo>[^/]+/[^/]+)/tag/(?P<rev>[^/]+)"),
        ("POST", "batch", r"/datasets/(?P<repo>[^/]+/[^/]+)\.git/info/lfs/objects/batch"),
        ("PUT", "upload", r"/lfs/(?P<oid>[0-9a-f]{64})"),
        ("POST", "verify", r"/lfs/verify"),
        ("GET", "resolve", r"/datasets/(?P<repo>[^/]+/[^/]+)/resolve/(?P<rev>[^/]+)/(?P<path>.*)"),
        ("HEAD", "resolve", r"/datasets/(?P<repo>[^/]+/[^/]+)/resolve/(?P<rev>[^/]+)/(?P<path>.*)"),
    ]

    def _serve(self, method: str) -> None:
        address = urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        self.body = self.rfile.read(length) if length else b""
        self.query = parse_qs(address.query)
        if token := self.headers.get("Authorization"):
            self.hub.seen_tokens.add(token)
        for wanted, kind, pattern in self.ROUTES:
            found = re.fullmatch(pattern, address.path)
            if wanted != method or not found:
                continue
            parts = {key: unquote(value) for key, value in found.groupdict().items() if value is not None}
            self.hub.requests.append((kind, address.path))
            fault = self.hub.fault(kind, address.path)
            if fault and fault.hook:
                fault.hook()
            elif fault and not fault.corrupt:
                if fault.status == 0:
                    self._break_off(parts)
                else:
                    self._send(fault.status, {"error": "by order"}, fault.headers)
                return
            self.corrupt = bool(fault and fault.corrupt)
            if not self._moved(parts, address):
                getattr(self, f"_{kind}")(**parts)
            return
        self._send(404, {"error": f"no such route: {method} {address.path}"})

    # access

    def _moved(self, parts: dict[str, str], address: Any) -> bool:
        new = self.hub.renamed.get(parts.get("repo", ""))
        if new is None:
            return False
        self._send(307, {}, {"Location": address.path.replace(parts["repo"], new, 1) + f"?{address.query}".rstrip("?")})
        return True

    def _repo(self, name: str, *, write: bool = False, content: bool = False) -> Repository | None:
        found = self.hub.repos.get(name)
        known = self.headers.get("Authorization") == f"Bearer {self.hub.token}"
        if self.headers.get("Authorization") and not known:
            self._send(
                401,
                {"error": "Invalid username or password."},
                {"X-Error-Message": "Invalid credentials in Authorization header"},
            )
            return None
        if found is None or (found.private and not known):
            self._send(404 if known else 401, {"error": "Repository not found"}, {"X-Error-Code": "RepoNotFound"})
            return None
        if found.gated and content and not known:
            self._send(403, {"error": "gated"}, {"X-Error-Code": "GatedRepo"})
            return None
        if write and not known:
            self._send(403, {"error": "no write permission"}, {"X-Error-Message": "you may not write here"})
            return None
        return found

    def _commit_of(self, repo: Repository, revision: str) -> str | None:
        if revision in ("main", ""):
            return repo.head
        if revision in repo.tags:
            return repo.tags[revision]
        if revision in repo.commits:
            return revision
        self._send(404, {"error": "Invalid rev id"}, {"X-Error-Code": "RevisionNotFound"})
        return None

    # endpoints

    def _create(self) -> None:
        wanted = json.loads(self.body)
        name = f"{wanted.get('organization') or 'user'}/{wanted['name']}"
        if self.headers.get("Authorization") != f"Bearer {self.hub.token}":
            self._send(401, {"error": "log in"})
        elif name in self.hub.repos:
            self._send(
                409, {"error": "You already created this dataset repo", "url": f"{self.hub.url}/datasets/{name}"}
            )
        else:
            with self.hub.lock:
                private = bool(wanted.get("private")) or wanted.get("visibility") == "private"
                self.hub.repos[name] = Repository(private=private)
                self.hub.repos[name].add({".gitattributes": b"*.parquet filter=lfs\n"}, "initial commit")
            self._send(200, {"url": f"{self.hub.url}/datasets/{name}"})

    def _yaml(self) -> None:
        self._send(200, {"errors": [], "warnings": []})

    def _info(self, repo: str, rev: str = "main") -> None:
        if (found := self._repo(repo)) and (commit := self._commit_of(found, rev)):
            siblings = [{"rfilename": path} for path in sorted(found.commits[commit])]
            self._send(
                200,
                {
                    "id": repo,
                    "sha": commit,
                    "private": found.private,
                    "gated": found.gated,
                    "siblings": siblings,
                    "tags": [],
                    "downloads": 0,
                    "likes": 0,
                },
            )

    def _preupload(self, repo: str, rev: str) -> None:
        if found := self._repo(repo, write=True):
            there = found.commits[found.head]
            files = []
            for file in json.loads(self.body)["files"]:
                path, size = file["path"], file["size"]
                if self.hub.limit is not None and size > self.hub.limit:
                    self._send(413, {"error": f"{path} is larger than {self.hub.limit} bytes"})
                    return
                mode = "lfs" if is_lfs(path, size) else "regular"
                oid = None
                if path in there:
                    oid = hashlib.sha256(there[path]).hexdigest() if mode == "lfs" else blob_id(there[path])
                files.append({"path": path, "uploadMode": mode, "shouldIgnore": False, "oid": oid})
            self._send(200, {"files": files})

    def _batch(self, repo: str) -> None:
        if self._repo(repo, write=True):
            objects = []
            for one in json.loads(self.body)["objects"]:
                entry: dict[str, Any] = {"oid": one["oid"], "size": one["size"]}
                if one["oid"] not in self.hub.blobs:
                    entry["actions"] = {
                        "upload": {"href": f"{self.hub.url}/lfs/{one['oid']}"},
                        "verify": {"href": f"{self.hub.url}/lfs/verify"},
                    }
                objects.append(entry)
            self._send(200, {"transfer": "basic", "objects": objects})

    def _upload(self, oid: str) -> None:
        if hashlib.sha256(self.body).hexdigest() != oid:
            self._send(400, {"error": "the content does not have this sha256"})
            return
        with self.hub.lock:
            self.hub.blobs[oid] = self.body
            self.hub.uploads.append(oid)
        self._send(200, {})

    def _verify(self) -> None:
        asked = json.loads(self.body)
        data = self.hub.blobs.get(asked["oid"])
        fits = data is not None and len(data) == asked["size"]
        self._send(200 if fits else 404, {} if fits else {"error": "not uploaded"})

    def _commit(self, repo: str, rev: str) -> None:
        found = self._repo(repo, write=True)
        if not found:
            return
        with self.hub.lock:
            lines = [json.loads(line) for line in self.body.splitlines()]
            header = lines[0]["value"]
            if header.get("parentCommit") not in (None, found.head):
                self._send(412, {"error": "The branch has moved: parent commit is not the head"})
                return
            files = dict(found.commits[found.head])
            for line in lines[1:]:
                value = line["value"]
                if line["key"] == "deletedFile":
                    files.pop(value["path"])
                elif line["key"] == "deletedFolder":
                    files = {path: data for path, data in files.items() if not path.startswith(value["path"])}
                elif line["key"] == "file":
                    files[value["path"]] = base64.b64decode(value["content"])
                elif value["oid"] not in self.hub.blobs:
                    self._send(400, {"error": f"{value['path']}: no such large file"})
                    return
                else:
                    files[value["path"]] = self.hub.blobs[value["oid"]]
            commit = found.add(files, header["summary"])
        self._send(
            200,
            {
                "commitUrl": f"{self.hub.url}/datasets/{repo}/commit/{commit}",
                "commitOid": commit,
                "pullRequestUrl": None,
                "success": True,
            },
        )

    def _tree(self, repo: str, rev: str, path: str = "") -> None:
        if not (found := self._repo(repo, content=True)) or not (commit := self._commit_of(found, rev)):
            return
        recursive = self.query.get("recursive", ["false"])[0].lower() == "true"
        entries = self._entries(found, commit, path, recursive)
        if not entries:
            self._send(404, {"error": "no such folder"}, {"X-Error-Code": "EntryNotFound"})
            return
        first = int(self.query.get("cursor", ["0"])[0])
        headers = {}
        if first + PAGE < len(entries):
            address = f"{self.hub.url}{urlsplit(self.path).path}?recursive={recursive}&cursor={first + PAGE}"
            headers["Link"] = f'<{address}>; rel="next"'
        self._send(200, entries[first : first + PAGE], headers)

    def _entries(self, found: Repository, commit: str, path: str, recursive: bool) -> list[dict[str, Any]]:
        """What a tree listing shows; kept, because a large one is asked for page by page."""
        key = (commit, path, recursive, str(found.sizes))
        if key in self.hub.listings:
            return self.hub.listings[key]
        files = found.commits[commit]
        prefix = f"{path}/" if path else ""
        inside = [name for name in sorted(files) if name.startswith(prefix)]
        folders: set[str] = set()
        for name in inside:
            parts = name.removeprefix(prefix).split("/")[:-1]
            for depth in range(1, len(parts) + 1 if recursive else min(len(parts), 1) + 1):
                folders.add(prefix + "/".join(parts[:depth]))
        shown = [
            self._entry(found, name, files[name])
            for name in inside
            if recursive or "/" not in name.removeprefix(prefix)
        ]
        listed = [{"type": "directory", "path": name, "oid": "0" * 40, "size": 0} for name in sorted(folders)] + shown
        self.hub.listings[key] = listed
        return listed

    def _entry(self, repo: Repository, path: str, data: bytes) -> dict[str, Any]:
        size = repo.sizes.get(path, len(data))
        entry: dict[str, Any] = {"type": "file", "path": path, "size": size, "oid": blob_id(data)}
        if is_lfs(path, len(data)):
            entry["lfs"] = {"oid": hashlib.sha256(data).hexdigest(), "size": size, "pointerSize": 130}
        return entry

    def _paths(self, repo: str, rev: str) -> None:
        if (found := self._repo(repo, content=True)) and (commit := self._commit_of(found, rev)):
            form = parse_qs(self.body.decode()) if not self.body.startswith(b"{") else json.loads(self.body)
            files = found.commits[commit]
            self._send(200, [self._entry(found, path, files[path]) for path in form["paths"] if path in files])

    def _refs(self, repo: str) -> None:
        if found := self._repo(repo):
            tags = [{"name": n, "ref": f"refs/tags/{n}", "targetCommit": c} for n, c in found.tags.items()]
            branch = {"name": "main", "ref": "refs/heads/main", "targetCommit": found.head}
            self._send(200, {"branches": [branch], "converts": [], "tags": tags})

    def _tag(self, repo: str, rev: str) -> None:
        if (found := self._repo(repo, write=True)) and (commit := self._commit_of(found, rev)):
            name = json.loads(self.body)["tag"]
            if name in found.tags:
                self._send(409, {"error": "Tag reference exists already"})
            else:
                found.tags[name] = commit
                self._send(200, {})

    def _untag(self, repo: str, rev: str) -> None:
        if found := self._repo(repo, write=True):
            found.tags.pop(rev, None)
            self._send(200, {})

    def _resolve(self, repo: str, rev: str, path: str) -> None:
        if not (found := self._repo(repo, content=True)) or not (commit := self._commit_of(found, rev)):
            return
        data = found.commits[commit].get(path)
        if data is None:
            self._send(404, {"error": "Entry not found"}, {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": commit})
            return
        etag = hashlib.sha256(data).hexdigest() if is_lfs(path, len(data)) else blob_id(data)
        headers = {"ETag": f'"{etag}"', "X-Repo-Commit": commit, "Accept-Ranges": "bytes"}
        if self.corrupt:
            data = bytes(byte ^ 1 for byte in data)
        span = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or "")
        first = int(span[1]) if span else 0
        if span:
            headers["Content-Range"] = f"bytes {first}-{len(data) - 1}/{len(data)}"
        self._send(206 if span else 200, data[first:], headers)

    # replies

    def _break_off(self, parts: dict[str, str]) -> None:
        """Half a download, or none of a reply, then silence on the line."""
        repo = self.hub.repos.get(parts.get("repo", ""))
        data = repo.commits[repo.head].get(parts.get("path", ""), b"") if repo and repo.order else b""
        if data and self.command == "GET":
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: len(data) // 2])
        self.close_connection = True
        self.wfile.flush()
        self.connection.close()

    def _send(self, status: int, reply: Any, headers: dict[str, str] | None = None) -> None:
        data = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
        self.send_response(status)
        kind = "application/octet-stream" if isinstance(reply, bytes) else "application/json"
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)
