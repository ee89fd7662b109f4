"""Private-use characters of well-known symbol fonts, and the characters that their glyphs show.

Word processors set mathematics with fonts whose glyphs sit in Unicode's private-use area. What these fonts
draw is fixed and published, so the text can be read: Symbol (Adobe's Symbol encoding at U+F020..F0FE),
Wingdings (its circled digits, ticks and boxes), MathType's MT Extra, and HyhwpEQ, the equation font of
Hancom's word processor (observed glyph by glyph). A character that is not in the tables stays as it is.
"""

from __future__ import annotations

import re

_PRIVATE = re.compile("[\ue000-\uf8ff]")

# Adobe Symbol encoding, 0x20..0x7E and 0xA0..0xFE
_SYMBOL_LOW = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
_SYMBOL_HIGH = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐―↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪\uf0f0〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭"
_SYMBOL = {chr(0xF020 + i): ch for i, ch in enumerate(_SYMBOL_LOW)} | {
    chr(0xF0A0 + i): ch for i, ch in enumerate(_SYMBOL_HIGH)
}

_WINGDINGS = {
    **{chr(0xF081 + i): chr(0x2460 + i) for i in range(10)},
    **{chr(0xF08C + i): chr(0x2776 + i) for i in range(10)},
    "\uf06c": "●",
    "\uf06e": "■",
    "\uf06f": "□",
    "\uf071": "❑",
    "\uf075": "◆",
    "\uf076": "❖",
    "\uf077": "⬥",
    "\uf09f": "•",
    "\uf0a7": "▪",
    "\uf0a8": "□",
    "\uf0d8": "➢",
    "\uf0e0": "→",
    "\uf0fb": "✗",
    "\uf0fc": "✓",
    "\uf0fd": "☒",
    "\uf0fe": "☑",
}

_MT_EXTRA = {
    "\uf04b": "…",
    "\uf04c": "⋯",
    "\uf04d": "⋮",
    "\uf04f": "⋱",
    "\uf051": "∵",
    "\uf05c": "∴",
    "\uf06c": "ℓ",
    "\uf06d": "∓",
    "\uf06f": "∘",
    "\uf072": "→",
    "\uf073": "←",
    "\uf074": "↔",
    "\uf086": "→",
}

_HANCOM = {
    **{chr(0xE000 + i): chr(ord("A") + i) for i in range(26)},
    **{chr(0xE034 + i): ch for i, ch in enumerate("1234567890")},
    **{chr(0xE044 + i): ch for i, ch in enumerate("()−=+[]{}")},
    **{chr(0xE09D + i): ch for i, ch in enumerate("αβγδεζηθικλμνξοπρστυφχψω")},
    **{chr(0xE0E5 + i): chr(ord("a") + i) for i in range(26)},
    "\ue04f": ":",
    "\ue052": ",",
    "\ue053": ".",
    "\ue055": "<",
    "\ue056": ">",
    "\ue05b": "∫",
    "\ue05c": "√",
    "\ue067": "∑",
    "\ue06d": "―",
    "\ue06e": "→",
    "\ue078": "⎧",
    "\ue079": "⎨",
    "\ue07a": "⎩",
    "\ue07b": "⎪",
    "\ue101": "|",
}

_TABLES = (("symbol", _SYMBOL), ("wingdings", _WINGDINGS), ("mtextra", _MT_EXTRA), ("hyhwpeq", _HANCOM))


def decode(font: str, text: str) -> str:
    """The text with the private-use characters of known symbol fonts replaced by what they show.

    `font` is the font's name as the PDF gives it (subset prefix allowed). Other characters and other
    fonts' private-use characters are left as they are; the length never changes.
    """
    if not _PRIVATE.search(text):
        return text
    name = re.sub(r"[^a-z]", "", font.lower())
    for key, table in _TABLES:
        if key in name:
            return "".join(table.get(ch, ch) for ch in text)
    return text
