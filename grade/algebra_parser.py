"""The grammar of expressions: sums of products of powers, relations, lists, intervals, matrices."""

from __future__ import annotations

from fractions import Fraction

from .algebra import MAX_DEPTH, Node, Num, Op, Sym, Token, Unreadable

_OPENING = {"(": ")", "[": "]", "{": "}", "⦃": "⦄"}
_RELATION_SIGNS = frozenset("=<>≤≥≠∈≈⇒")
MAX_CHAIN = 12
"""Divisions in one product, or signs behind one value: beyond that nobody means anything."""
_STARTS_FACTOR = frozenset("([{⦃√∛⌊⟦")


class Parser:
    """Recursive descent over the signs of one expression; every nesting is counted."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0
        self._bars = 0
        self._intervals = 0

    def whole(self) -> Node:
        """The tree of all signs. Raises Unreadable where some are left over."""
        node = self._list("")
        if self._peek().kind != "end":
            raise Unreadable(f"{self._peek().text!r} where nothing can follow")
        return node

    def _peek(self) -> Token:
        return self._tokens[self._at]

    def _is(self, signs: str | frozenset[str]) -> bool:
        token = self._peek()
        return token.kind == "sign" and token.text in signs

    def _next(self) -> Token:
        token = self._tokens[self._at]
        self._at += 1
        if token.kind == "end":
            raise Unreadable("it ends in the middle")
        return token

    def _expect(self, sign: str) -> None:
        token = self._next()
        if token.kind != "sign" or token.text not in sign:
            raise Unreadable(f"{token.text!r} where {sign!r} is due")

    def _list(self, note: str) -> Node:
        """Statements parted by commas, semicolons, `or`; a single one stands for itself."""
        items = [self._union()]
        while self._is(",;") or self._peek().kind == "or":
            joined = False
            while self._is(",;") or self._peek().kind == "or":
                joined = self._next().text == "and" or joined
            item = self._union()
            if joined and _is_inequality(item) and _is_inequality(items[-1]):
                item = Op("and", (items.pop(), item))
            items.append(item)
        return items[0] if len(items) == 1 and not note else Op("seq", tuple(items), note)

    def _union(self) -> Node:
        parts = [self._relation()]
        while self._is("∪"):
            self._next()
            parts.append(self._relation())
        return parts[0] if len(parts) == 1 else Op("union", tuple(parts))

    def _relation(self) -> Node:
        self._enter()
        sides, signs = [self._sum()], ""
        while self._is(_RELATION_SIGNS):
            signs += self._next().text
            sides.append(self._union() if signs.endswith("∈") else self._sum())
        self._depth -= 1
        return sides[0] if not signs else Op("rel", tuple(sides), signs)

    def _sum(self) -> Node:
        self._enter()
        terms = [self._term()]
        while self._is("+-±∓"):
            sign = self._next().text
            term = self._term()
            terms.append(term if sign == "+" else Op({"-": "neg", "±": "pm", "∓": "mp"}[sign], (term,)))
        self._depth -= 1
        return terms[0] if len(terms) == 1 else Op("add", tuple(terms))

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise Unreadable("nested too deeply")

    def _term(self) -> Node:
        """Products are flat; each division takes the product so far as its dividend (1/2x is x halves)."""
        factors: list[Node] = [self._signed()]
        divisions, implicit = 0, ""
        while True:
            if self._is("*"):
                self._next()
                factors.append(self._signed())
            elif self._is("/"):
                self._next()
                divisions += 1
                if divisions > MAX_CHAIN:
                    raise Unreadable("too many divisions")
                factors = [Op("div", (_product(factors, implicit), self._signed()))]
                implicit = ""
            elif self._starts_factor():
                factors.append(self._power())
                implicit = "implicit"
            else:
                return _product(factors, implicit)

    def _starts_factor(self) -> bool:
        token = self._peek()
        if token.kind in {"name", "function", "word"}:
            return True
        if token.kind == "number":
            return self._tokens[self._at - 1].kind != "number"
        if token.text == "|":
            return self._bars == 0
        if token.text == "[":
            return self._intervals == 0
        return token.kind == "sign" and token.text in _STARTS_FACTOR

    def _signed(self) -> Node:
        kinds = {"-": "neg", "±": "pm", "∓": "mp", "+": ""}
        if self._is("+-±∓"):
            self._enter()
            kind = kinds[self._next().text]
            node = self._signed()
            self._depth -= 1
            return Op(kind, (node,)) if kind else node
        return self._power()

    def _power(self) -> Node:
        base = self._postfix()
        if self._is("^"):
            self._next()
            self._enter()
            base = Op("pow", (base, self._exponent()))
            self._depth -= 1
        return base

    def _exponent(self) -> Node:
        return self._group() if self._is("{") else self._signed()

    def _postfix(self) -> Node:
        node = self._primary()
        for _ in range(MAX_CHAIN):
            if not self._is("!°%'"):
                return node
            sign = self._next().text
            if sign == "'":
                node = Sym(node.name + "'") if isinstance(node, Sym) else _unreadable("'")
            else:
                node = Op({"!": "factorial", "°": "degree", "%": "percent"}[sign], (node,))
        raise Unreadable("too many signs behind one value")

    def _primary(self) -> Node:
        self._enter()
        node = self._value()
        self._depth -= 1
        return node

    def _value(self) -> Node:
        token = self._next()
        if token.kind == "number":
            return self._number(token.text)
        if token.kind == "name":
            return self._name(token.text)
        if token.kind == "function":
            return self._function(token.text)
        if token.kind == "word":
            return {"root": self._root, "cbrt": self._cube_root, "log": self._log, "frac": self._fraction}[token.text]()
        return self._bracket(token.text)

    def _number(self, text: str) -> Node:
        mantissa, _, power = text.lower().partition("e")
        value = Fraction(mantissa) * Fraction(10) ** int(power or 0)
        # 2\frac{1}{2} is a mixed number, 2x is a product
        if text.isdigit() and self._peek().text == "frac" and self._peek().kind == "word":
            saved = self._at
            self._next()
            part = self._fraction()
            if isinstance(part, Op) and all(isinstance(arg, Num) for arg in part.args):
                return Op("add", (Num(value), part), "mixed")
            self._at = saved
        if text.isdigit() and self._mixed_follows(value):
            top = self._next()
            self._next()
            bottom = self._next()
            return Op("add", (Num(value), Op("div", (Num(Fraction(top.text)), Num(Fraction(bottom.text))))), "mixed")
        return Num(value, not text.isdigit())

    def _mixed_follows(self, whole: Fraction) -> bool:
        """`2 1/2`: two numbers side by side with a fraction bar can only be a mixed number."""
        ahead = self._tokens[self._at : self._at + 3]
        kinds = [token.kind for token in ahead]
        return kinds == ["number", "sign", "number"] and ahead[1].text == "/" and whole.denominator == 1

    def _name(self, name: str) -> Node:
        if self._is("_"):
            self._next()
            if self._is("{"):
                self._next()
                lower = ""
                while not self._is("}"):
                    lower += self._next().text
                self._next()
            else:
                lower = self._next().text
            return Sym(f"{name}_{lower}")
        return Sym(name)

    def _function(self, name: str) -> Node:
        power: Node | None = None
        if self._is("^"):
            self._next()
            power = self._exponent()
        argument = self._argument()
        if power == Op("neg", (Num(Fraction(1)),)) and name in {"sin", "cos", "tan"}:
            return Op("a" + name, (argument,))
        node = Op(name.replace("arc", "a"), (argument,))
        return node if power is None else Op("pow", (node, power))

    def _argument(self) -> Node:
        """`(…)`, or the product that follows a bare function name: sin 2x, ln x^2; not sin x cos x."""
        if self._is("(["):
            return self._group()
        self._enter()
        node = self._signed()
        while self._starts_factor() and self._peek().kind not in {"function", "word"} and not self._is("(["):
            node = Op("mul", (node, self._power()), "implicit")
        self._depth -= 1
        return node

    def _root(self) -> Node:
        degree: Node = Num(Fraction(2))
        if self._is("["):
            self._next()
            degree = self._sum()
            self._expect("]")
        return Op("root", (degree, self._radicand()))

    def _cube_root(self) -> Node:
        return Op("root", (Num(Fraction(3)), self._radicand()))

    def _radicand(self) -> Node:
        return self._group() if self._is("{(") else self._postfix()

    def _log(self) -> Node:
        base: Node = Num(Fraction(10))
        if self._is("_"):
            self._next()
            base = self._group() if self._is("{(") else self._primary()
        power: Node | None = None
        if self._is("^"):
            self._next()
            power = self._exponent()
        node = Op("log", (base, self._argument()))
        return node if power is None else Op("pow", (node, power))

    def _fraction(self) -> Node:
        return Op("div", (self._digit_or_group(), self._digit_or_group()))

    def _digit_or_group(self) -> Node:
        if self._is("{"):
            return self._group()
        token = self._peek()
        if token.kind == "number" and token.text.isdigit() and len(token.text) > 1:
            # \frac12: the first digit is one argument, the rest belongs to the next
            self._tokens[self._at] = Token("number", token.text[1:])
            return Num(Fraction(token.text[0]))
        return self._primary()

    def _group(self) -> Node:
        """What stands between one pair of brackets, as one value."""
        opening = self._next().text
        bars, self._bars = self._bars, 0
        node = self._sum()
        self._bars = bars
        self._expect(_OPENING[opening])
        return node

    def _bracket(self, sign: str) -> Node:
        if sign == "|":
            self._bars += 1
            node = self._sum()
            self._bars -= 1
            self._expect("|")
            return Op("abs", (node,))
        if sign in "√∛":
            return Op("root", (Num(Fraction(2 if sign == "√" else 3)), self._radicand()))
        if sign == "⌊":
            node = self._sum()
            self._expect("⌋")
            return Op("floor", (node,))
        if sign == "⟦":
            return self._matrix()
        if sign in _OPENING or sign == "]":
            return self._enclosed(sign)
        raise Unreadable(f"{sign!r} where a value is due")

    def _enclosed(self, opening: str) -> Node:
        self._enter()
        bars, self._bars = self._bars, 0
        self._intervals += opening in "[]"
        if self._is(")]}⦄"):
            closing = self._next().text
            node: Node = Op("seq", (), opening + closing)
        else:
            node = self._list("")
            closing = self._next().text
        self._bars = bars
        self._intervals -= opening in "[]"
        self._depth -= 1
        fitting = "}⦄" if opening in "{⦃" else ")]["
        if closing not in fitting:
            raise Unreadable(f"{closing!r} does not close {opening!r}")
        return _enclosed(node, opening.replace("⦃", "{"), closing.replace("⦄", "}"), literal=opening == "⦃")

    def _matrix(self) -> Node:
        rows: list[Node] = []
        cells = [self._sum()]
        while not self._is("⟧"):
            sign = self._next().text
            if sign == "&":
                cells.append(self._sum())
            elif sign == "⏎":
                rows.append(Op("seq", tuple(cells), "()"))
                if self._is("⟧"):
                    cells = []
                    break
                cells = [self._sum()]
            else:
                raise Unreadable(f"{sign!r} in a matrix")
        self._next()
        if cells:
            rows.append(Op("seq", tuple(cells), "()"))
        return Op("matrix", tuple(rows))


def _enclosed(node: Node, opening: str, closing: str, *, literal: bool) -> Node:
    """A bracketed list becomes a tuple, set or interval; around one value brackets only group."""
    if isinstance(node, Op) and node.kind == "seq" and not node.note:
        return Op("seq", node.args, opening + closing)
    if literal:
        return Op("seq", (node,), "{}")
    if opening + closing in {"()", "[]", "{}"}:
        return node if not isinstance(node, Op) or node.note == "" else Op("group", (node,))
    raise Unreadable("brackets that do not fit")


def _is_inequality(node: Node) -> bool:
    return isinstance(node, Op) and node.kind == "rel" and bool(set(node.note) & set("<>≤≥"))


def _product(factors: list[Node], implicit: str) -> Node:
    return factors[0] if len(factors) == 1 else Op("mul", tuple(factors), implicit)


def _unreadable(what: str) -> Node:
    raise Unreadable(what)
