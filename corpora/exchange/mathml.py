"""LaTeX as presentation MathML 3, and nothing that MathML 3 has no place for. Needs the extra `qti` (latex2mathml).

The converter copies what a paper says into attributes (links, styles, colours of its own) and into the markup. Here
the tree is taken, not the text: characters are escaped, attributes outside MathML 3 or with values that it does not
take are left out, and a tree of the wrong shape is no formula. Source: W3C, MathML 3.0, appendix A (the schema).
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML 1.0 document may hold, escaped or not."""

_CHARACTER = re.compile(r"&#x([0-9A-Fa-f]{1,6});")
"""How the converter writes a symbol into a text."""

_DEFINITION = re.compile(r"\\(?:newcommand|renewcommand|providecommand|def|gdef|edef|let)(?![A-Za-z])")
"""A formula that defines commands can grow without end as they are put in."""

_LENGTH = (
    r"(?:-?\d*(?:\d\.?|\.\d)\d*(?:e[mx]|in|cm|mm|p[xtc]|%)?|(?:negative)?(?:(?:very){0,2}thi(?:n|ck)|medium)mathspace)"
)
_PADDED = r"[+-]?\d*(?:\d\.?|\.\d)\d*(?:%?(?:height|depth|width)?|e[mx]|in|cm|mm|p[xtc])"
_COLOUR = (
    r"(?i:#[0-9a-f]{3}(?:[0-9a-f]{3})?|aqua|black|blue|fuchsia|gray|green|lime|maroon|navy|olive|purple|red|silver|teal"
    r"|white|yellow)"
)
_TRUTH = "true|false"
_LINES = "(?:none|solid|dashed)(?: (?:none|solid|dashed))*"
_VARIANTS = (
    "normal|bold|italic|bold-italic|double-struck|bold-fraktur|script|bold-script|fraktur|sans-serif|bold-sans-serif"
    "|sans-serif-italic|sans-serif-bold-italic|monospace"
)
_EVERYWHERE = {"mathcolor": _COLOUR, "mathbackground": rf"{_COLOUR}|transparent"}
_TOKEN = {"mathvariant": _VARIANTS}
_ACCENTS = {"accent": _TRUTH, "accentunder": _TRUTH}
_ATTRIBUTES: dict[str, dict[str, str]] = {
    "math": {"display": "block|inline"},
    "mi": _TOKEN,
    "mn": _TOKEN,
    "mtext": _TOKEN,
    "mo": {
        **_TOKEN,
        **dict.fromkeys(("fence", "stretchy", "largeop", "movablelimits", "accent", "separator"), _TRUTH),
        **dict.fromkeys(("lspace", "rspace", "minsize", "maxsize"), _LENGTH),
        "form": "prefix|infix|postfix",
    },
    "mspace": {**dict.fromkeys(("width", "height", "depth"), _LENGTH), "linebreak": "newline"},
    "mstyle": {"scriptlevel": r"[+-]?\d+", "displaystyle": _TRUTH},
    "mfrac": {"linethickness": rf"{_LENGTH}|thin|medium|thick"},
    "mover": {"accent": _TRUTH},
    "munder": {"accentunder": _TRUTH},
    "munderover": _ACCENTS,
    "mpadded": dict.fromkeys(("width", "height", "depth", "lspace", "voffset"), _PADDED),
    "menclose": {"notation": r"[a-z]+(?: [a-z]+)*"},
    "mtable": {
        **dict.fromkeys(("rowspacing", "columnspacing"), rf"{_LENGTH}(?: {_LENGTH})*"),
        **dict.fromkeys(("rowlines", "columnlines"), _LINES),
        "displaystyle": _TRUTH,
    },
    "mtd": {"columnalign": "left|center|right"},
    **{name: {} for name in ("mrow", "msqrt", "mroot", "mphantom", "msub", "msup", "msubsup", "mtr")},
}  # fmt: skip
_TOKENS = ("mi", "mn", "mo", "mtext")
_CHILDREN = {
    **dict.fromkeys(("mfrac", "mroot", "msub", "msup", "munder", "mover"), 2),
    **dict.fromkeys(("msubsup", "munderover"), 3),
    **dict.fromkeys((*_TOKENS, "mspace"), 0),
}


def mathml(latex: str, *, display: bool) -> str | None:
    """A `math` element; None where the converter does not know the LaTeX or MathML 3 cannot hold the result."""
    from latex2mathml import exceptions
    from latex2mathml.converter import convert_to_element

    if _DEFINITION.search(latex):
        return None
    # the library's exceptions share no base of their own
    own = tuple(kind for kind in vars(exceptions).values() if isinstance(kind, type) and issubclass(kind, Exception))
    try:
        tree = convert_to_element(latex, display="block" if display else "inline")
        for element in tree.iter():
            if element.tag in _TOKENS and len(element):  # \\mathop{…} and its kin: a token around a whole row
                element.tag = "mrow"
        return _written(tree) if _is_sound(tree) else None
    except (*own, AttributeError, IndexError, KeyError, TypeError, ValueError, RecursionError, StopIteration):
        return None


def _written(tree: ElementTree.Element) -> str:
    namespace = tree.attrib["xmlns"]
    for element in tree.iter():
        allowed = {**_EVERYWHERE, **_ATTRIBUTES[element.tag]}
        kept = {
            name: value
            for name, value in element.attrib.items()
            if name in allowed and re.fullmatch(allowed[name], value)
        }
        element.attrib.clear()
        element.attrib.update(kept)
        element.text = _text(element.text)
    tree.attrib.update(xmlns=namespace)
    return ElementTree.tostring(tree, encoding="unicode")


def _text(text: str | None) -> str | None:
    """Symbols as characters. Raises ValueError where XML cannot hold one."""
    written = _CHARACTER.sub(lambda found: chr(int(found.group(1), 16)), text or "")
    if NOT_XML.search(written):
        raise ValueError("a character that no XML may hold")
    return written or None


def _is_sound(element: ElementTree.Element) -> bool:
    """Whether every element is one of MathML's with the children that it has to have."""
    children = list(element)
    if element.tag not in _ATTRIBUTES or _CHILDREN.get(element.tag, len(children)) != len(children):
        return False
    row, cell = element.tag == "mtable", element.tag == "mtr"
    return all(
        (child.tag == "mtr") == row and (child.tag == "mtd") == cell and child.tag != "math" and _is_sound(child)
        for child in children
    )
