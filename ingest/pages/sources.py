"""Sources: exam PDFs and images opened as pages, and a plain sentence for everything that is none.

An image becomes a PDF of one page per frame, so that every later stage sees pages only. EXIF rotation
is applied; pixel limits are checked on the header, before anything is decoded.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...schemas.errors import PasswordError, SourceError, UsageError

IMAGE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff"})


@dataclass(frozen=True)
class Limits:
    """What is still read: bytes of a file, pages, pixels of an image, points of a page's longer side."""

    file_bytes: int = 500_000_000
    pages: int = 2_000
    pixels: int = 120_000_000
    page_points: float = 14_400.0


_DRAWINGS = 6


@dataclass
class SourceFile:
    """One opened source. `pages` are the 0-based page numbers to read; `name` is the file's name only."""

    index: int
    path: Path
    name: str
    sha256: str
    document: Any = field(repr=False)
    pages: tuple[int, ...] = ()
    is_image: bool = False
    _drawings: dict[int, Any] = field(default_factory=dict, repr=False, compare=False)

    def drawing(self, page: int) -> Any:
        """The page's display list, from which any part of it is drawn at any resolution. The last few are kept:
        a page has many pictures, and reading it anew for each takes longer than drawing them."""
        if page not in self._drawings:
            if len(self._drawings) >= _DRAWINGS:
                del self._drawings[next(iter(self._drawings))]
            self._drawings[page] = self.document[page].get_displaylist()
        return self._drawings[page]

    @property
    def page_count(self) -> int:
        return int(self.document.page_count)


def parse_pages(text: str) -> tuple[str, set[int]]:
    """`FILE=1-4,7` as the file's name and its 0-based pages. Raises UsageError where it does not read."""
    name, separator, ranges = text.rpartition("=")
    if not separator or not name:
        raise UsageError(f"--pages {text}: write FILE=1-4,7 with the file's name and its pages.")
    chosen: set[int] = set()
    for part in ranges.split(","):
        match = re.fullmatch(r"\s*(\d{1,6})(?:\s*-\s*(\d{1,6}))?\s*", part)
        if not match:
            raise UsageError(f"--pages {text}: '{part}' is no page range; write for example 1-4,7.")
        first, last = int(match[1]), int(match[2] or match[1])
        if first < 1 or last < first:
            raise UsageError(f"--pages {text}: '{part}' is no page range; pages count from 1 and run upwards.")
        chosen.update(range(first - 1, last))
    return name, chosen


def open_sources(
    paths: Sequence[Path],
    *,
    password: str | None = None,
    pages: Mapping[str, set[int]] | None = None,
    limits: Limits | None = None,
) -> list[SourceFile]:
    """Open every source in the order given; `pages` maps a file (name or path) to 0-based pages.

    Raises SourceError or PasswordError for a file that cannot be read, UsageError for a wrong `pages`.
    """
    limits = limits or Limits()
    chosen = dict(pages or {})
    sources = [_open(index, Path(path), password, limits) for index, path in enumerate(paths)]
    for source in sources:
        wanted: set[int] | None = None
        for name in (source.name, str(source.path)):
            if name in chosen:
                wanted = (wanted or set()) | chosen[name]
        source.pages = _page_numbers(source, wanted)
    known = {source.name for source in sources} | {str(source.path) for source in sources}
    for name in chosen:
        if name not in known:
            raise UsageError(f"--pages {name}: no such source; the sources are {', '.join(s.name for s in sources)}.")
    return sources


def _page_numbers(source: SourceFile, wanted: set[int] | None) -> tuple[int, ...]:
    count = source.page_count
    if wanted is None:
        return tuple(range(count))
    outside = sorted(number + 1 for number in wanted if number >= count)
    if outside:
        held = "1 page" if count == 1 else f"{count} pages"
        raise UsageError(f"--pages {source.name}: page {outside[0]} does not exist; the file has {held}.")
    return tuple(sorted(wanted))


def _open(index: int, path: Path, password: str | None, limits: Limits) -> SourceFile:
    if not path.exists():
        raise SourceError(f"{path}: no such file.")
    if not path.is_file():
        raise SourceError(f"{path}: is a folder, not a file; name the PDFs or images in it.")
    size = path.stat().st_size
    if size == 0:
        raise SourceError(f"{path}: the file is empty (0 bytes).")
    if size > limits.file_bytes:
        raise SourceError(f"{path}: {size} bytes is more than the limit of {limits.file_bytes} for one source.")
    data = path.read_bytes()
    sha256 = hashlib.sha256(data).hexdigest()
    is_image = b"%PDF-" not in data[:1024] and (_looks_like_image(data) or path.suffix.lower() in IMAGE_SUFFIXES)
    document = _open_image(path, data, limits) if is_image else _open_pdf(path, data, password, limits)
    return SourceFile(index=index, path=path, name=path.name, sha256=sha256, document=document, is_image=is_image)


def _looks_like_image(data: bytes) -> bool:
    signatures = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*", b"II+\0", b"MM\0+")
    return data.startswith(signatures) or (data[:4] == b"RIFF" and data[8:12] == b"WEBP")


def _open_pdf(path: Path, data: bytes, password: str | None, limits: Limits) -> Any:
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    if b"%PDF-" not in data[:1024]:
        raise SourceError(f"{path}: is not a PDF or an image (it starts with {data[:8]!r}).")
    try:
        document = pymupdf.open(stream=data, filetype="pdf")
    except (pymupdf.FileDataError, RuntimeError, ValueError) as error:
        raise SourceError(f"{path}: the PDF is damaged or cut off and cannot be opened ({_short(error)}).") from None
    if document.needs_pass:
        if password is None:
            raise PasswordError(f"{path}: the PDF is encrypted; give its password with --password.")
        if not document.authenticate(password):
            raise PasswordError(f"{path}: the password given with --password does not open this PDF.")
    count = document.page_count
    if count == 0:
        raise SourceError(f"{path}: the PDF has 0 pages.")
    if count > limits.pages:
        raise SourceError(f"{path}: {count} pages is more than the limit of {limits.pages}; split the file.")
    return document


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:120] or type(error).__name__


def _open_image(path: Path, data: bytes, limits: Limits) -> Any:
    import pymupdf
    from PIL import Image, ImageOps, ImageSequence, UnidentifiedImageError

    try:
        # Pillow reads only the header here; the size is checked before any pixel is decoded.
        with Image.open(io.BytesIO(data)) as image:
            document = pymupdf.open()
            for number, frame in enumerate(ImageSequence.Iterator(image)):
                width, height = frame.size
                if width * height > limits.pixels:
                    raise SourceError(
                        f"{path}: an image of {width} x {height} pixels is over the limit of {limits.pixels} pixels."
                    )
                if number >= limits.pages:
                    raise SourceError(f"{path}: more than {limits.pages} frames; split the file.")
                _add_frame(document, ImageOps.exif_transpose(frame), frame.info.get("dpi"))
    except Image.DecompressionBombError:
        raise SourceError(
            f"{path}: the image has more pixels than the limit of {limits.pixels}; scale it down."
        ) from None
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        raise SourceError(f"{path}: the image is damaged or cut off and cannot be read ({_short(error)}).") from None
    return document


def _add_frame(document: Any, image: Any, dpi: Any) -> None:
    resolution = float(dpi[0]) if dpi and 50 <= float(dpi[0]) <= 1200 else 0.0
    longer = max(image.size)
    if not resolution:  # unknown: as if an A4 sheet had been photographed
        resolution = longer / 842 * 72
    width, height = (pixels * 72 / resolution for pixels in image.size)
    buffer = io.BytesIO()
    flat = image if image.mode in ("L", "RGB", "1") else image.convert("RGB")
    flat.save(buffer, format="PNG", compress_level=1)
    page = document.new_page(width=width, height=height)
    page.insert_image(page.rect, stream=buffer.getvalue())
