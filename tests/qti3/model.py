"""What QTI 3.0 says of every element that the export can write: attributes with their types, children with their order.

Facts, in a notation of our own, of these published schemas:
- assessment items, sections, tests: 1EdTech/IMS, "QTI 3.0 ASI SBAC Profile 1.0", generated 2022-05-09. By its header
  this profile takes `data-*` extensions away from the base schema and adds a few `data-*` attributes, which are left
  out here. So a document that fits this table is valid by the profile and by the base schema.
- the package: 1EdTech, "IMS CP 1.2 QTI 3.0.1", generated 2024-07-08; the schema version "3.0.0" is that of its
  predecessor for QTI 3.0.
- formulas: W3C, MathML 3, schema of the presentation elements.

Content is written as a regular expression over children's names: a name or `@group`, `?`, `*`, `+`, `{2}`, `|`, `()`;
one after the other is a sequence; `text` in front: characters may stand between them. "" is an empty element.
Attributes: `name: type`, with `!` where it is required. The types are read by `validator.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

ASI = "http://www.imsglobal.org/xsd/imsqtiasi_v3p0"
PACKAGE = "http://www.imsglobal.org/xsd/qti/qtiv3p0/imscp_v1p1"
MATH = "http://www.w3.org/1998/Math/MathML"


@dataclass(frozen=True)
class Element:
    content: str
    attributes: dict[str, str]


def _attributes(text: str) -> dict[str, str]:
    """`id: ID; class: list(string); identifier!: NCName` as a table."""
    parts = (part.partition(":") for part in text.replace("xml:", "xml_").split(";") if part.strip())
    return {name.strip(): kind.strip() for name, _, kind in parts}


def _table(rows: dict[str, tuple[str, str]]) -> dict[str, Element]:
    return {
        name: Element(content, _attributes(attributes))
        for names, (content, attributes) in rows.items()
        for name in names.split()
    }


def _words(text: str) -> list[str]:
    return text.split()


# what stands in more than one place

_DIR = "(ltr|rtl|auto)"
_TTS = "(computer-read-aloud|screen-reader|all)"
_COMMON = (
    "id: ID; class: list(string); lang: string; xml:lang: language; label: string; "
    f"dir: {_DIR}; data-catalog-idref: IDREF; data-qti-suppress-tts: {_TTS}; "
)
_WITH_BASE = _COMMON + "xml:base: uri; data-ssml: string; "
_EMPTY_WITH_BASE = _COMMON + "xml:base: uri; "
_INTERACTION = _EMPTY_WITH_BASE + "response-identifier!: NCName; "
_BASE_TYPES = "(boolean|directedPair|duration|file|float|identifier|integer|pair|point|string|uri)"
_CARDINALITY = "(multiple|ordered|record|single)"
_COUNT = "nonNegativeInteger"

_INLINE = (
    "img picture br object em a code span sub acronym big tt kbd q i dfn abbr strong sup var small samp b cite bdo bdi "
    "label ruby"
)
_BLOCKS = (
    "pre h1 h2 h3 h4 h5 h6 p address dl ol ul hr blockquote table div article aside audio figure footer header nav "
    "section video"
)
_FLOW = f"{_BLOCKS} {_INLINE} details"
_BLOCK_INTERACTIONS = (
    "qti-custom-interaction qti-portable-custom-interaction qti-drawing-interaction qti-gap-match-interaction "
    "qti-match-interaction qti-graphic-gap-match-interaction qti-hotspot-interaction qti-graphic-order-interaction "
    "qti-select-point-interaction qti-graphic-associate-interaction qti-slider-interaction qti-choice-interaction "
    "qti-media-interaction qti-hottext-interaction qti-order-interaction qti-extended-text-interaction "
    "qti-upload-interaction qti-associate-interaction"
)
_INLINE_INTERACTIONS = "qti-text-entry-interaction qti-inline-choice-interaction qti-end-attempt-interaction"
_VARIABLE_TEXT = "qti-printed-variable qti-feedback-inline qti-template-inline math"
_STATIC = f"{_FLOW} {_VARIABLE_TEXT} qti-feedback-block qti-template-block"
_NUMERIC = (
    "qti-sum qti-subtract qti-divide qti-multiple qti-ordered qti-custom-operator qti-random qti-null qti-delete "
    "qti-index qti-power qti-container-size qti-correct qti-default qti-integer-divide qti-integer-modulus qti-product "
    "qti-round qti-truncate qti-field-value qti-random-integer qti-variable qti-test-variables qti-integer-to-float "
    "qti-base-value qti-map-response-point qti-map-response qti-repeat qti-round-to qti-lcm qti-gcd qti-min qti-max "
    "qti-math-constant qti-stats-operator qti-math-operator qti-random-float qti-number-correct qti-number-incorrect "
    "qti-number-presented qti-number-responded qti-number-selected qti-outcome-minimum qti-outcome-maximum"
)
GROUPS: Mapping[str, Sequence[str]] = {
    "blocks": _BLOCKS.split(),
    "flow": _FLOW.split(),
    "static": _STATIC.split(),
    "text": f"{_INLINE} {_VARIABLE_TEXT} {_INLINE_INTERACTIONS} qti-hottext qti-gap qti-custom-interaction".split(),
    "mixed": f"{_STATIC} {_INLINE_INTERACTIONS} {_BLOCK_INTERACTIONS} qti-hottext".split(),
    "body": (
        f"{_BLOCKS} {_BLOCK_INTERACTIONS} qti-position-object-stage qti-feedback-block qti-template-block math"
    ).split(),
    "rubric": f"{_FLOW} math qti-template-block qti-template-inline qti-printed-variable".split(),
    "number": _NUMERIC.split(),
    "expression": (
        f"{_NUMERIC} qti-and qti-gt qti-not qti-lt qti-gte qti-lte qti-or qti-duration-lt qti-duration-gte "
        "qti-substring qti-equal-rounded qti-match qti-equal qti-contains qti-any-n qti-is-null qti-member qti-inside "
        "qti-pattern-match qti-string-match"
    ).split(),
    "rule": _words(
        "qti-response-condition qti-response-processing-fragment qti-set-outcome-value qti-exit-response "
        "qti-lookup-outcome-value"
    ),
    "outcome-rule": _words(
        "qti-lookup-outcome-value qti-outcome-processing-fragment qti-set-outcome-value qti-exit-test "
        "qti-outcome-condition"
    ),
    "tex": _words(
        "mi mn mo mtext mspace ms mrow mfrac msqrt mroot mstyle merror mpadded mphantom mfenced menclose msub msup "
        "msubsup munder mover munderover mmultiscripts mtable mstack mlongdiv maction semantics"
    ),
}  # fmt: skip

# items

_TEXTS = (
    "p pre h1 h2 h3 h4 h5 h6 address em strong code span sub sup acronym big tt kbd i dfn abbr var small samp b cite"
)
_CELL = (
    "headers: list(NCName); scope: (col|colgroup|row|rowgroup); abbr: string; axis: string; rowspan: int; "
    "colspan: int; align: (left|center|right|justify|char); valign: (bottom|middle|top|baseline); "
)
_CHOICE = "identifier!: NCName; template-identifier: NCName; show-hide: (show|hide); fixed: boolean; "

ITEM = _table({
    "qti-assessment-item": (
        "qti-context-declaration* qti-response-declaration* qti-outcome-declaration* qti-template-declaration* "
        "qti-template-processing? qti-assessment-stimulus-ref* qti-companion-materials-info? qti-stylesheet* "
        "qti-item-body? qti-catalog-info? qti-response-processing? qti-modal-feedback*",
        "identifier!: NCName; title!: string; label: string; xml:lang: language; tool-name: string; "
        "tool-version: string; adaptive: boolean; time-dependent!: boolean",
    ),
    "qti-response-declaration": (
        "qti-default-value? qti-correct-response? qti-mapping? qti-area-mapping?",
        f"identifier!: ID; cardinality!: {_CARDINALITY}; base-type: {_BASE_TYPES}",
    ),
    "qti-outcome-declaration": (
        "qti-default-value? (qti-match-table | qti-interpolation-table)?",
        f"identifier!: NCName; cardinality!: {_CARDINALITY}; base-type: {_BASE_TYPES}; "
        "view: list(author|candidate|proctor|scorer|testConstructor|tutor); interpretation: string; "
        "long-interpretation: uri; normal-maximum: nonNegativeDouble; normal-minimum: double; mastery-value: double; "
        "external-scored: (externalMachine|human); variable-identifier-ref: IDREF",
    ),
    "qti-default-value qti-correct-response": ("qti-value+", "interpretation: string"),
    "qti-value": ("text", f"field-identifier: NCName; base-type: {_BASE_TYPES}"),
    "qti-mapping": ("qti-map-entry+", "lower-bound: double; upper-bound: double; default-value: double"),
    "qti-map-entry": ("", "map-key!: string; mapped-value!: double; case-sensitive: boolean"),
    "qti-item-body": (
        "(qti-rubric-block | @body)+",
        f"id: ID; class: list(string); xml:lang: language; label: string; dir: {_DIR}; data-catalog-idref: IDREF",
    ),
    "qti-rubric-block": (
        "qti-stylesheet* qti-content-body qti-catalog-info?",
        _WITH_BASE + "use!: (instructions|scoring|navigation); "
        "view!: list(author|candidate|proctor|scorer|testConstructor|tutor)",
    ),
    "qti-content-body": ("text @rubric*", ""),
    # interactions
    "qti-choice-interaction": (
        "qti-prompt? qti-simple-choice+",
        _INTERACTION + f"shuffle: boolean; max-choices: {_COUNT}; min-choices: {_COUNT}; "
        "orientation: (horizontal|vertical); data-min-selections-message: string; data-max-selections-message: string",
    ),
    "qti-simple-choice": ("text @static*", _COMMON + _CHOICE),
    "qti-match-interaction": (
        "qti-prompt? qti-simple-match-set{2}",
        _INTERACTION + f"shuffle: boolean; max-associations: {_COUNT}; min-associations: {_COUNT}; "
        "data-min-selections-message: string; data-max-selections-message: string; data-first-column-header: string",
    ),
    "qti-simple-match-set": ("qti-simple-associable-choice*", "id: ID"),
    "qti-simple-associable-choice": (
        "text @static*", _COMMON + _CHOICE + f"match-group: list(NCName); match-max!: {_COUNT}; match-min: {_COUNT}",
    ),
    "qti-text-entry-interaction": (
        "",
        _EMPTY_WITH_BASE + f"response-identifier!: IDREF; base: int; string-identifier: IDREF; "
        f"expected-length: {_COUNT}; pattern-mask: string; placeholder-text: string; format: string; "
        "data-patternmask-message: string",
    ),
    "qti-extended-text-interaction": (
        "qti-prompt?",
        _INTERACTION + f"base: int; string-identifier: NCName; expected-length: {_COUNT}; pattern-mask: string; "
        f"placeholder-text: string; max-strings: {_COUNT}; min-strings: {_COUNT}; expected-lines: {_COUNT}; "
        "format: (plain|preformatted|xhtml); data-patternmask-message: string",
    ),
    # XHTML
    _TEXTS: ("text @text*", _WITH_BASE),
    "div": ("text (qti-position-object-stage | @mixed)*", _WITH_BASE),
    "blockquote": ("text @flow*", _WITH_BASE + "cite: uri"),
    "ol ul": ("li*", _WITH_BASE),
    "li": ("text @mixed*", _COMMON),
    "br hr": ("", _EMPTY_WITH_BASE),
    "img": (
        "", _EMPTY_WITH_BASE + "src!: uri; alt!: string; longdesc: uri; height: [0-9]+%?; width: [0-9]+%?",
    ),
    "table": ("caption? col* colgroup* thead? tfoot? tbody* tr*", _WITH_BASE + "summary: string"),
    "caption": ("text @mixed*", _COMMON),
    "thead tbody tfoot": ("tr+", _COMMON),
    "tr": ("(td | th)+", _COMMON),
    "td th": ("text @mixed*", _COMMON + _CELL),
    # response processing
    "qti-response-processing": ("@rule*", "template: uri; template-location: uri"),
    "qti-response-condition": ("qti-response-if qti-response-else-if* qti-response-else?", ""),
    "qti-response-if qti-response-else-if": ("@expression @rule*", ""),
    "qti-set-outcome-value": ("@expression", "identifier!: NCName"),
    "qti-match qti-member": ("@expression{2}", ""),
    "qti-not qti-is-null": ("@expression", ""),
    "qti-multiple": ("@expression*", ""),
    "qti-sum": ("@number+", ""),
    "qti-equal": (
        "@expression{2}",
        "tolerance-mode: (absolute|exact|relative); tolerance: list(string); include-lower-bound: boolean; "
        "include-upper-bound: boolean",
    ),
    "qti-variable": ("", "identifier!: NCName; weight-identifier: NCName"),
    "qti-correct qti-map-response": ("", "identifier!: NCName"),
    "qti-base-value": ("text", f"base-type!: {_BASE_TYPES}"),
})  # fmt: skip

# the test; its sum over the items is an expression like theirs

_SECTION_START = "qti-pre-condition* qti-branch-rule* qti-item-session-control? qti-time-limits? "

TEST = ITEM | _table({
    "qti-assessment-test": (
        "qti-context-declaration* qti-outcome-declaration* qti-time-limits? qti-stylesheet* qti-rubric-block* "
        "qti-test-part+ qti-outcome-processing? qti-test-feedback*",
        "identifier!: NCName; title!: string; class: list(string); tool-name: string; tool-version: string",
    ),
    "qti-test-part": (
        _SECTION_START + "qti-rubric-block* (qti-assessment-section | qti-assessment-section-ref)+ qti-test-feedback*",
        "identifier!: NCName; title: string; class: list(string); navigation-mode!: (linear|nonlinear); "
        "submission-mode!: (individual|simultaneous)",
    ),
    "qti-assessment-section": (
        _SECTION_START + "(qti-adaptive-selection | qti-selection? qti-ordering?)? qti-rubric-block* "
        "(qti-assessment-item-ref | qti-assessment-section | qti-assessment-section-ref)*",
        "identifier!: NCName; required: boolean; fixed: boolean; title!: string; class: list(string); "
        "visible!: boolean; keep-together: boolean",
    ),
    "qti-assessment-item-ref": (
        _SECTION_START + "qti-variable-mapping* qti-weight* qti-template-default*",
        "identifier!: NCName; required: boolean; fixed: boolean; class: list(string); href!: uri; "
        "category: list(NCName)",
    ),
    "qti-outcome-processing": ("@outcome-rule*", ""),
    "qti-test-variables": (
        "",
        "section-identifier: NCName; include-category: list(NCName); exclude-category: list(NCName); "
        f"variable-identifier!: NCName; weight-identifier: NCName; base-type: {_BASE_TYPES}",
    ),
})  # fmt: skip

# the package

_RESOURCE_TYPES = (
    "(imsqti_test_xmlv3p0|imsqti_section_xmlv3p0|imsqti_item_xmlv3p0|imsqti_resprocessing_xmlv3p0|imsqti_outcomes_xmlv3p0"
    "|imsqti_stimulus_xmlv3p0|imsqti_fragment_xmlv3p0|imsqti_rptemplate_xmlv3p0"
    "|associatedcontent/learning-application-resource|webcontent|imslti_xmlv1p1|imsltia_xmlv1p0|controlfile"
    "|resourcemetadata/xml|resourceextmetadata/xml|qtiusagedata/xml|pls|css2|css3|extension)"
)

MANIFEST = _table({
    "manifest": ("metadata organizations resources", "identifier!: ID; xml:base: uri"),
    "metadata": ("schema schemaversion curriculumStandardsMetadataSet? lom?", ""),
    "schema": (
        "text (QTI Package|QTI Test Bank|QTI Item Bank|QTI Object Bank|QTI Test|QTI Section|QTI Item)", "",
    ),
    "schemaversion": ("text (3\\.0\\.0|3\\.0\\.1)", ""),
    "organizations": ("", ""),
    "resources": ("resource*", "xml:base: uri"),
    "resource": (
        "metadata? file+ dependency*",
        f"identifier!: ID; type!: {_RESOURCE_TYPES}; xml:base: uri; href: uri",
    ),
    "file": ("metadata?", "href!: uri"),
    "dependency": ("", "identifierref!: IDREF"),
})  # fmt: skip
WORDS = {"schema", "schemaversion"}
"""Elements whose characters are one of a few words; their content is the expression for them."""

# formulas

_TRUTH = "(true|false)"
_COLOURS = "aqua|black|blue|fuchsia|gray|green|lime|maroon|navy|olive|purple|red|silver|teal|white|yellow"
_COLOUR = f"(?i:#[0-9a-f]{{3}}([0-9a-f]{{3}})?|{_COLOURS})"
_LENGTH = (
    "((-?[0-9]*([0-9][.]?|[.][0-9])[0-9]*(e[mx]|in|cm|mm|p[xtc]|%)?)|(negative)?((very){0,2}thi(n|ck)|medium)mathspace)"
)
_PADDED = (
    "([+-]?[0-9]*([0-9][.]?|[.][0-9])[0-9]*((%? *(height|depth|width)?)|e[mx]|in|cm|mm|p[xtc]"
    "|((negative)?((very){0,2}thi(n|ck)|medium)mathspace))?)"
)
_LINE = "(none|solid|dashed)"
_ALL = (
    f"id: ID; class: list(string); style: string; href: uri; mathcolor: {_COLOUR}; "
    f"mathbackground: ({_COLOUR}|transparent); "
)
_TOKEN = _ALL + (
    "mathvariant: (normal|bold|italic|bold-italic|double-struck|bold-fraktur|script|bold-script|fraktur|sans-serif"
    "|bold-sans-serif|sans-serif-italic|sans-serif-bold-italic|monospace|initial|tailed|looped|stretched); "
    f"mathsize: ({_LENGTH}|small|normal|big); dir: (ltr|rtl); "
)
_SIDE = "align: (left|right|center); "

FORMULA = _table({
    "math": ("@tex*", _ALL + f"display: (block|inline); displaystyle: {_TRUTH}; scriptlevel: [+-]?[0-9]+"),
    "mi mn mtext": ("text", _TOKEN),
    "mo": (
        "text",
        _TOKEN + "form: (prefix|infix|postfix); " + "".join(
            f"{name}: {_TRUTH}; "
            for name in ("fence", "separator", "stretchy", "symmetric", "largeop", "movablelimits", "accent")
        ) + f"lspace: {_LENGTH}; rspace: {_LENGTH}; minsize: {_LENGTH}; maxsize: ({_LENGTH}|infinity)",
    ),
    "mspace": (
        "",
        _TOKEN + f"width: {_LENGTH}; height: {_LENGTH}; depth: {_LENGTH}; "
        "linebreak: (auto|newline|nobreak|goodbreak|badbreak|indentingnewline)",
    ),
    "mrow": ("@tex*", _ALL + "dir: (ltr|rtl)"),
    "msqrt mphantom": ("@tex*", _ALL),
    "menclose": ("@tex*", _ALL + "notation: string"),
    "mstyle": ("@tex*", _ALL + f"scriptlevel: [+-]?[0-9]+; displaystyle: {_TRUTH}"),
    "mpadded": (
        "@tex*", _ALL + "".join(f"{name}: {_PADDED}; " for name in ("height", "depth", "width", "lspace", "voffset")),
    ),
    "mfrac": (
        "@tex{2}",
        _ALL + f"linethickness: ({_LENGTH}|thin|medium|thick); numalign: (left|center|right); "
        f"denomalign: (left|center|right); bevelled: {_TRUTH}",
    ),
    "mroot": ("@tex{2}", _ALL),
    "msub": ("@tex{2}", _ALL + f"subscriptshift: {_LENGTH}"),
    "msup": ("@tex{2}", _ALL + f"superscriptshift: {_LENGTH}"),
    "msubsup": ("@tex{3}", _ALL + f"subscriptshift: {_LENGTH}; superscriptshift: {_LENGTH}"),
    "munder": ("@tex{2}", _ALL + _SIDE + f"accentunder: {_TRUTH}"),
    "mover": ("@tex{2}", _ALL + _SIDE + f"accent: {_TRUTH}"),
    "munderover": ("@tex{3}", _ALL + _SIDE + f"accent: {_TRUTH}; accentunder: {_TRUTH}"),
    "mtable": (
        "mtr*",
        _ALL + f"displaystyle: {_TRUTH}; rowspacing: {_LENGTH}( {_LENGTH})*; columnspacing: {_LENGTH}( {_LENGTH})*; "
        f"rowlines: {_LINE}( {_LINE})*; columnlines: {_LINE}( {_LINE})*; frame: {_LINE}",
    ),
    "mtr": ("mtd*", _ALL),
    "mtd": ("@tex*", _ALL + "columnalign: (left|center|right); rowspan: [1-9][0-9]*; columnspan: [1-9][0-9]*"),
})  # fmt: skip
