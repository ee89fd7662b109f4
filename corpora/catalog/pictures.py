"""Pictures of records: bytes, base64, or files beside the records, checked and kept on disk until a bundle is saved.

Records come from anybody: a picture is bounded in bytes and pixels, decoded once to see that it is whole, and named
by its content, so one that several questions share lies in the bundle once.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ...schemas.assets import asset_file
from ...schemas.errors import BundleError
from ...schemas.printable import printable

MAX_BYTES = 64 * 1024 * 1024
MAX_PIXELS = 100_000_000
MAX_PATH = 512
_KEPT = {"PNG": "png", "JPEG": "jpg", "WEBP": "webp", "GIF": "gif"}
_CONVERTED = ("BMP", "TIFF", "PPM")
_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".ppm", ".pgm")


class PictureStore(Mapping[str, bytes]):
    """Name to bytes, the bytes lying in `folder`: a benchmark's pictures do not fit into memory together."""

    def __init__(self, folder: Path, prefix: str = "assets") -> None:
        """`prefix` begins every name; `folder` exists."""
        self.folder = folder
        self.prefix = prefix
        self._files: dict[str, Path] = {}

    def add(self, value: Any, beside: Path, place: str) -> str:
        """Keep one picture; returns its name. `beside` is the folder of the records.

        Raises BundleError, beginning with `place`, where it is no picture, damaged, too large or outside the folder.
        """
        data, suffix = checked(picture_bytes(value, beside, place), place)
        name = f"{self.prefix}/{hashlib.sha256(data).hexdigest()[:32]}.{suffix}"
        if name not in self._files:
            file = self.folder / name.rpartition("/")[2]
            file.write_bytes(data)
            self._files[name] = file
        return name

    def __getitem__(self, name: str) -> bytes:
        return self._files[name].read_bytes()

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._files))

    def __len__(self) -> int:
        return len(self._files)


def picture_bytes(value: Any, beside: Path, place: str) -> bytes:
    """The bytes that a record means by a picture: bytes, {bytes, path}, a data URI, a path, or base64."""
    if isinstance(value, Mapping):
        inner = value.get("bytes")
        value = inner if inner is not None else value.get("path")
    if isinstance(value, bytes | bytearray):
        return bytes(value)
    if not isinstance(value, str):
        raise BundleError(f"{place}: the picture is neither bytes nor base64 nor a path ({type(value).__name__})")
    text = value.strip().removeprefix("./")
    if len(text) <= MAX_PATH and text.lower().endswith(_SUFFIXES):
        try:
            file = asset_file(beside, text)
        except BundleError as fault:
            raise BundleError(f"{place}: {str(fault).replace('the asset', 'the picture', 1)}") from fault
        if file.stat().st_size > MAX_BYTES:
            raise BundleError(f"{place}: the picture {printable(text)} is larger than {MAX_BYTES:,} bytes")
        return file.read_bytes()
    return _from_base64(text, place)


def _from_base64(text: str, place: str) -> bytes:
    if text.startswith("data:"):
        head, comma, text = text.partition(",")
        if not comma or not head.endswith(";base64"):
            raise BundleError(f"{place}: the picture's data URI is not base64")
    if len(text) > MAX_BYTES * 4 // 3 + 4:
        raise BundleError(f"{place}: the picture is larger than {MAX_BYTES:,} bytes")
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as fault:
        raise BundleError(
            f"{place}: the picture {printable(text, 40)} is neither base64 nor the name of an image file"
        ) from fault


def checked(data: bytes, place: str) -> tuple[bytes, str]:
    """A whole picture's bytes and file suffix; kinds that models do not take become PNG. Raises BundleError."""
    from PIL import Image, UnidentifiedImageError

    if len(data) > MAX_BYTES:
        raise BundleError(f"{place}: the picture is larger than {MAX_BYTES:,} bytes")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            image = Image.open(io.BytesIO(data), formats=(*_KEPT, *_CONVERTED))
        with image:
            width, height = image.size
            if width * height > MAX_PIXELS:
                raise BundleError(f"{place}: a picture of {width} x {height} pixels; at most {MAX_PIXELS:,} are taken")
            image.load()
            if image.format in _KEPT:
                return data, _KEPT[image.format]
            plain = image.convert("RGB" if image.mode not in ("L", "RGB", "RGBA") else image.mode)
    except Image.DecompressionBombError as fault:
        raise BundleError(f"{place}: the picture has more than {MAX_PIXELS:,} pixels") from fault
    except UnidentifiedImageError as fault:
        raise BundleError(f"{place}: the picture is damaged or of a kind that is not taken ({_kinds()})") from fault
    except (OSError, SyntaxError, ValueError) as fault:
        raise BundleError(f"{place}: the picture is damaged ({printable(fault, 80)})") from fault
    buffer = io.BytesIO()
    plain.save(buffer, format="PNG")
    return buffer.getvalue(), "png"


def _kinds() -> str:
    return ", ".join((*_KEPT, *_CONVERTED))
