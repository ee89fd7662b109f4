"""Checks XML documents against the table of `model.py`: a small reader of content models, for tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from xml.etree.ElementTree import Element as Node

from .model import ASI, FORMULA, GROUPS, ITEM, MANIFEST, MATH, PACKAGE, TEST, WORDS, Element

_XML = "{http://www.w3.org/XML/1998/namespace}"
_NAME = r"[A-Za-z_][A-Za-z0-9_.\-]*"  # of NCName, what the export uses
_TYPES = {
    "string": r"(?s:.*)",
    "NCName": _NAME,
    "ID": _NAME,
    "IDREF": _NAME,
    "boolean": r"true|false|0|1",
    "int": r"[+-]?\d+",
    "nonNegativeInteger": r"\+?\d+|-0+",
    "double": r"[+-]?(\d+(\.\d*)?|\.\d+)([Ee][+-]?\d+)?|-?INF|NaN",
    "nonNegativeDouble": r"\+?(\d+(\.\d*)?|\.\d+)([Ee][+-]?\d+)?|INF",
    "language": r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*",
    "uri": r"""([^\s<>"{}|\\^`%]|%[0-9A-Fa-f]{2})*""",
}
_ROOTS = {
    f"{{{ASI}}}qti-assessment-item": ITEM,
    f"{{{ASI}}}qti-assessment-test": TEST,
    f"{{{PACKAGE}}}manifest": MANIFEST,
}


def faults(root: Node) -> list[str]:
    """Everything in which the document departs from the model; empty where it is valid."""
    table = _ROOTS.get(root.tag)
    if table is None:
        return [f"{root.tag} is no root element"]
    ids: list[str] = []
    references: list[str] = []
    found = list(_element(root, table, ids, references))
    found += [f"the ID {one} stands {ids.count(one)} times" for one in sorted(set(ids)) if ids.count(one) > 1]
    return found + [f"no ID {one} in the document" for one in sorted(set(references) - set(ids))]


def _element(node: Node, table: dict[str, Element], ids: list[str], references: list[str]) -> Iterator[str]:
    name = _local(node)
    model = table.get(name)
    if model is None:
        yield f"{name}: not in the model"
        return
    yield from _attributes(node, name, model, ids, references)
    yield from _content(node, name, model)
    for child in node:
        if _space(child) != _space(node) and child.tag != f"{{{MATH}}}math":
            yield f"{_local(child)} in {name}: another namespace"
            continue
        yield from _element(child, FORMULA if _space(child) == MATH else table, ids, references)


def _attributes(node: Node, name: str, model: Element, ids: list[str], references: list[str]) -> Iterator[str]:
    types = {key.removesuffix("!"): kind for key, kind in model.attributes.items()}
    given = {key.replace(_XML, "xml_"): value for key, value in node.attrib.items()}
    for key in model.attributes:
        if key.endswith("!") and key[:-1] not in given:
            yield f"{name}: the attribute {key[:-1]} is missing"
    for key, value in given.items():
        kind = types.get(key)
        if kind is None:
            yield f"{name}: no attribute {key}"
        elif not _fits(value, kind):
            yield f"{name}: {key}={value!r} is no {kind}"
        elif kind == "ID":
            ids.append(value)
        elif kind == "IDREF":
            references.append(value)


def _fits(value: str, kind: str) -> bool:
    listed = re.fullmatch(r"list\((.*)\)", kind)
    if listed:
        pattern = _TYPES.get(listed.group(1), listed.group(1))
        return all(re.fullmatch(pattern, one) for one in value.split())
    return re.fullmatch(_TYPES.get(kind, kind), value) is not None


def _content(node: Node, name: str, model: Element) -> Iterator[str]:
    characters = [node.text or "", *(child.tail or "" for child in node)]
    if name in WORDS:
        if len(node) or not re.fullmatch(model.content.removeprefix("text "), (node.text or "")):
            yield f"{name}: {node.text!r} is none of its words"
        return
    if model.content == "":
        if len(node) or any(characters):
            yield f"{name}: has to be empty"
        return
    text = model.content.startswith("text")
    children = model.content.removeprefix("text").strip()
    if not text and "".join(characters).strip():
        yield f"{name}: characters between its children"
    inside = [_local(child) for child in node]
    if not _expression(children).fullmatch("".join(f"{one};" for one in inside)):
        yield f"{name}: its children {' '.join(inside) or '(none)'} are not {children or '(none)'}"


@cache
def _expression(content: str) -> re.Pattern[str]:
    def one(match: re.Match[str]) -> str:
        word = match.group()
        names = GROUPS[word[1:]] if word.startswith("@") else [word]
        return f"(?:(?:{'|'.join(names)});)"

    return re.compile(re.sub(r"@?[A-Za-z][A-Za-z0-9\-]*", one, content).replace(" ", ""))


def _local(node: Node) -> str:
    return node.tag.rpartition("}")[2]


def _space(node: Node) -> str:
    return node.tag.rpartition("}")[0].removeprefix("{")


# what the schema's documentation and its Schematron rules say of response variables

_BOUND = {  # interaction: (base types, cardinalities) of its response variable
    "qti-choice-interaction": (("identifier",), ("single", "multiple")),
    "qti-match-interaction": (("directedPair",), ("single", "multiple")),
    "qti-text-entry-interaction": (("string", "integer", "float"), ("single",)),
    "qti-extended-text-interaction": (("string", "integer", "float"), ("single", "multiple", "ordered")),
}
_VALUES = {"identifier": _NAME, "directedPair": rf"{_NAME} {_NAME}", "float": _TYPES["double"], "string": r"(?s:.*)"}


def binding_faults(item: Node) -> list[str]:
    """Where response variables and interactions of an item do not fit one another: each variable is bound to one
    interaction, with its base type and cardinality; a single one allows one choice; values are of the base type."""
    declared = {node.get("identifier"): node for node in item.iter(f"{{{ASI}}}qti-response-declaration")}
    interactions = [node for node in item.iter() if _local(node) in _BOUND]
    bound = [node.get("response-identifier") for node in interactions]
    found = [f"{name} is bound {bound.count(name)} times" for name in declared if bound.count(name) != 1]
    for node in interactions:
        variable = declared.get(node.get("response-identifier"))
        if variable is None:
            found.append(f"{node.get('response-identifier')} is not declared")
            continue
        bases, cardinalities = _BOUND[_local(node)]
        if variable.get("base-type") not in bases or variable.get("cardinality") not in cardinalities:
            found.append(f"{_local(node)} cannot have a {variable.get('cardinality')} {variable.get('base-type')}")
        if _local(node) == "qti-choice-interaction" and variable.get("cardinality") == "single":
            found += ["a single choice of several"] if node.get("max-choices", "1") != "1" else []
        found += _value_faults(variable, node)
    return found


def _value_faults(variable: Node, interaction: Node) -> Iterator[str]:
    names = {node.get("identifier") for node in interaction.iter() if node is not interaction}
    keys = [entry.get("map-key", "") for entry in variable.iter(f"{{{ASI}}}qti-map-entry")]
    base = variable.get("base-type", "")
    for value in [*(node.text or "" for node in variable.iter(f"{{{ASI}}}qti-value")), *keys]:
        if not re.fullmatch(_VALUES[base], value):
            yield f"{value!r} is no {base}"
        elif base in ("identifier", "directedPair") and not set(value.split()) <= names:
            yield f"{value!r} is none of the choices"
