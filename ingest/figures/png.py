"""PNG files from rows of pixels.

Pillow filters every row of a grey or coloured picture, which makes pages of type a quarter larger and takes four times
as long; it has no way to leave that out. So the four chunks are written here, by the PNG specification (W3C, third
edition: 5.6 order of chunks, 9.2 filter type 0).
"""

from __future__ import annotations

import struct
import zlib
from typing import Any

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_GRAY, _RGB = 0, 2
_LEVEL = 3
"""Of zlib: beyond it type gets hardly any smaller, and slowly."""


def png_bytes(pixels: Any) -> bytes:
    """A numpy array of uint8, shape (height, width, 3), as PNG; as a grey one where all pixels are grey."""
    import numpy

    gray = bool((pixels[..., 0] == pixels[..., 1]).all() and (pixels[..., 1] == pixels[..., 2]).all())
    plane = pixels[..., 0] if gray else pixels.reshape(len(pixels), -1)
    rows = numpy.zeros((plane.shape[0], plane.shape[1] + 1), numpy.uint8)  # in front of each row: filter type 0
    rows[:, 1:] = plane
    height, width = pixels.shape[:2]
    head = struct.pack(">IIBBBBB", width, height, 8, _GRAY if gray else _RGB, 0, 0, 0)
    packed = zlib.compress(rows.tobytes(), _LEVEL)
    return _SIGNATURE + _chunk(b"IHDR", head) + _chunk(b"IDAT", packed) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
