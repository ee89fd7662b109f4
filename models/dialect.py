"""The one dialect of JSON Schema that every provider's constrained decoding accepts.

An object root; every field required and `additionalProperties: false`; `null` where a value may be missing;
`anyOf` for alternatives. Not in it: `oneOf`, `allOf`, `not`, tuples, maps with free keys, recursion. Bounds and
patterns may stand in a schema: they are checked here on the reply, and travel to the model as words in the
description, because some providers reject them and others ignore them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from pydantic import BaseModel

from ..schemas.errors import UsageError

# OpenAI strict mode: nesting and enum values; Anthropic: about 24 optional fields break its grammar
MAX_DEPTH = 10
MAX_ENUM_VALUES = 1000
MAX_NULLABLE = 20
MAX_ERRORS = 8

STRUCTURE = {"type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "const", "description"}
BOUNDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "pattern": "matching {}",
    "format": "format {}",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "uniqueItems": "all different",
}
TYPES = {"object", "array", "string", "number", "integer", "boolean", "null"}


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """A pydantic model's schema in the dialect: references inlined, all fields required, titles and defaults
    dropped. Raises UsageError where the model needs what the dialect has not (recursion, free keys, tuples)."""
    raw = model.model_json_schema()
    schema = _strict(_inline(raw, raw.get("$defs", {}), ()))
    if problems := check(schema):
        raise UsageError(f"{model.__name__} cannot be asked of a model: {problems[0]}")
    return schema


def check(schema: Mapping[str, Any]) -> list[str]:
    """What breaks the dialect, one sentence each with the place; empty where every provider will take it."""
    if schema.get("type") != "object":
        return ["the root is not an object"]
    nodes = list(_walk(schema, "#", 1))
    problems = [problem for node, where, depth in nodes for problem in _node_problems(node, where, depth)]
    values = sum(len(node["enum"]) for node, _, _ in nodes if isinstance(node.get("enum"), list))
    if values > MAX_ENUM_VALUES:
        problems.append(f"{values} enum values in all, where {MAX_ENUM_VALUES} is the most")
    nullable = sum(_may_be_null(node) for node, _, _ in nodes)
    if nullable > MAX_NULLABLE:
        problems.append(f"{nullable} fields may be null, where {MAX_NULLABLE} is the most")
    return problems


def sendable(schema: Mapping[str, Any]) -> bool:
    """Whether the schema is in the dialect; remembered by its text, as one schema serves a whole run."""
    return _sendable(dumps(schema))


@lru_cache(maxsize=256)
def _sendable(schema_json: str) -> bool:
    return not check(json.loads(schema_json))


def validate(value: Any, schema: Mapping[str, Any]) -> list[str]:
    """Errors of a reply against the full schema, bounds included: place and rule, at most eight."""
    validator = _validator(dumps(schema))
    found = []
    for error in validator.iter_errors(value):
        place = "/" + "/".join(str(step) for step in error.absolute_path)
        found.append(f"{place}: {error.message[:200]}")
        if len(found) == MAX_ERRORS:
            break
    return found


@lru_cache(maxsize=64)
def wire_text(schema_json: str) -> str:
    """The schema as sent: bounds moved into descriptions. Cached by text, as one schema serves a whole run."""
    return json.dumps(_worded(json.loads(schema_json)), ensure_ascii=False)


def wire(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema as sent to a provider; property order is kept, since models write in that order."""
    return json.loads(wire_text(dumps(schema)))


def held(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema that a decoder in this process is held to: lengths stay, by which a small model that has lost its
    thread is brought back; the other bounds go, which grammars do not hold."""
    return _held(json.loads(dumps(schema)))


def _held(node: Any) -> Any:
    if isinstance(node, list):
        return [_held(one) for one in node]
    if not isinstance(node, dict):
        return node
    lost = BOUNDS.keys() - {"maxLength"}
    kept = {key: value if key in ("enum", "const") else _held(value) for key, value in node.items() if key not in lost}
    if "properties" in node:
        kept["properties"] = {name: _held(child) for name, child in node["properties"].items()}
    return kept


@lru_cache(maxsize=64)
def _validator(schema_json: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads(schema_json))


def _walk(node: Mapping[str, Any], where: str, depth: int) -> Iterator[tuple[Mapping[str, Any], str, int]]:
    yield node, where, depth
    for name, child in node.get("properties", {}).items():
        yield from _walk(child, f"{where}/properties/{name}", depth + 1)
    if isinstance(node.get("items"), Mapping):
        yield from _walk(node["items"], f"{where}/items", depth + 1)
    for index, child in enumerate(node.get("anyOf", ())):
        yield from _walk(child, f"{where}/anyOf/{index}", depth)


def _node_problems(node: Mapping[str, Any], where: str, depth: int) -> Iterator[str]:
    for keyword in node.keys() - STRUCTURE - BOUNDS.keys():
        yield f"{where}: {keyword!r} is not in the dialect"
    if depth > MAX_DEPTH:
        yield f"{where}: nested {depth} deep, where {MAX_DEPTH} is the most"
    types = node.get("type", [])
    types = [types] if isinstance(types, str) else list(types)
    if not types and not node.keys() & {"anyOf", "enum", "const"}:
        yield f"{where}: no type"
    for unknown in set(types) - TYPES:
        yield f"{where}: {unknown!r} is no type"
    if "object" in types:
        yield from _object_problems(node, where)
    if "array" in types and not isinstance(node.get("items"), Mapping):
        yield f"{where}: an array needs one schema for its items"
    for value in node.get("enum", ()):
        if isinstance(value, list | dict):
            yield f"{where}: an enum holds plain values only"


def _object_problems(node: Mapping[str, Any], where: str) -> Iterator[str]:
    properties = node.get("properties")
    if not properties:
        yield f"{where}: an object needs named properties (free keys become an empty object at some providers)"
        return
    if node.get("additionalProperties") is not False:
        yield f"{where}: additionalProperties must be false"
    if set(node.get("required", ())) != set(properties):
        missing = sorted(set(properties) ^ set(node.get("required", ())))
        yield f"{where}: every property must be required (null where it may be missing): {', '.join(missing)}"


def _may_be_null(node: Mapping[str, Any]) -> bool:
    types = node.get("type")
    return (isinstance(types, list) and "null" in types) or any(
        child.get("type") == "null" for child in node.get("anyOf", ())
    )


def _inline(node: Any, definitions: Mapping[str, Any], inside: tuple[str, ...]) -> Any:
    if isinstance(node, list):
        return [_inline(item, definitions, inside) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        name = node["$ref"].rpartition("/")[2]
        if name in inside:
            raise UsageError(f"the schema contains itself at {name}: no provider decodes recursion reliably")
        found = _inline(definitions[name], definitions, (*inside, name))
        return {**found, **{key: value for key, value in node.items() if key != "$ref"}}
    return {key: _inline(value, definitions, inside) for key, value in node.items() if key != "$defs"}


def _strict(node: dict[str, Any], *, is_map: bool = False) -> dict[str, Any]:
    """`is_map`: the node is a table of properties, whose keys are names and no keywords."""
    if is_map:
        return {name: _strict(child) for name, child in node.items()}
    dropped = {"title", "default", "discriminator", "examples"}
    out = {key: value for key, value in node.items() if key not in dropped}
    if "oneOf" in out:
        out["anyOf"] = out.pop("oneOf")
    if "anyOf" in out:
        out["anyOf"] = [_strict(child) for child in out["anyOf"]]
    if "const" in out:
        out["enum"] = [out.pop("const")]
    if isinstance(out.get("items"), dict):
        out["items"] = _strict(out["items"])
    if "properties" in out:
        out["properties"] = _strict(out["properties"], is_map=True)
        out["required"] = list(out["properties"])
        out["additionalProperties"] = False
    return out


def _worded(node: Any) -> Any:
    if isinstance(node, list):
        return [_worded(item) for item in node]
    if not isinstance(node, dict):
        return node
    out: dict[str, Any] = {}
    for key, value in node.items():
        if key == "properties":
            out[key] = {name: _worded(child) for name, child in value.items()}
        elif key not in BOUNDS:
            out[key] = value if key in ("enum", "const", "required") else _worded(value)
    words = [form.format(node[key]) for key, form in BOUNDS.items() if key in node and node[key] is not False]
    if words:
        out["description"] = "; ".join(filter(None, [node.get("description", ""), ", ".join(words)]))
    return out


def dumps(schema: Mapping[str, Any]) -> str:
    """The schema's text, properties in their order."""
    return json.dumps(schema, ensure_ascii=False)
