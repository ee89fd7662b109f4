"""Adapters for interop.jsonl."""

from exam2bench.corpora.catalog import evalscope_rules as scope
from exam2bench.corpora.catalog import inspect_choice
from exam2bench.corpora.catalog import inspect_rules as ins


def scored(result):
    return {"value": result.value, "answer": result.answer}


ADAPTERS = {
    "inspect.match": lambda i: scored(
        ins.match(
            i["completion"],
            i["target"],
            i.get("location", "end"),
            ignore_case=i.get("ignore_case", True),
            numeric=i.get("numeric", False),
        )
    ),
    "inspect.includes": lambda i: scored(ins.includes(i["completion"], i["target"], ignore_case=i["ignore_case"])),
    "inspect.answer": lambda i: scored(ins.declared(i["completion"], i["target"], i["kind"])),
    "inspect.pattern": lambda i: scored(
        ins.pattern(i["completion"], i["target"], i["pattern_"], ignore_case=i["ignore_case"], match_all=i["match_all"])
    ),
    "inspect.f1": lambda i: scored(ins.f1(i["completion"], i["target"], i.get("stop_words", ()))),
    "inspect.exact": lambda i: scored(ins.exact(i["completion"], i["target"])),
    "inspect.parse_answers": lambda i: inspect_choice.parse_choices(
        i["completion"], i["n_choices"], several=i["multiple_correct"]
    ),
    "inspect.choice": lambda i: scored(
        inspect_choice.score_choice(i["completion"], i["target"], i["n_choices"], several=i["multiple_correct"])
    ),
    "inspect.metric": lambda i: ins.metric(i["values"], i["name"]),
    "inspect.reducer": lambda i: ins.reduce(i["values"], i["reducer"]),
}


def choices(chinese):
    return lambda i: scope.parse_choices(
        i["completion"], i["n_choices"], several=i["multiple_correct"], chinese=chinese
    )


ADAPTERS |= {
    "evalscope.answer_character": lambda i: scope.answer_character(i["index"]),
    "evalscope.answer_index": lambda i: scope.answer_index(i["char"]),
    "evalscope.parse_answers": choices(chinese=False),
    "evalscope.parse_answers_zh": choices(chinese=True),
    "evalscope.mmmu.extract_answer.mc": lambda i: "".join(scope.parse_choices(i["prediction"], i.get("n_choices", 4))),
    "evalscope.mmmu.extract_answer.open": lambda i: scope.declared_text(i["prediction"], whole=True),
    "evalscope.docvqa.extract_answer": lambda i: scope.declared_text(i["prediction"], whole=True),
    "evalscope.chartqa.extract_answer": lambda i: scope.declared_text(i["prediction"], whole=False),
    "evalscope.normalize_text": lambda i: scope.normalize_text(i["text"]),
    "evalscope.acc.exact": lambda i: scope.exact_accuracy(i["prediction"], i["reference"]),
    "evalscope.acc.inclusion": lambda i: scope.inclusion_accuracy(i["prediction"], i["reference"]),
    "evalscope.multi_choice_acc": lambda i: scope.multi_choice_accuracy(i["prediction"], i["reference"]),
    "evalscope.anls": lambda i: scope.anls(i["prediction"], i["reference"]),
    "evalscope.pope.match": lambda i: scope.yes_no_hit(i["prediction"], i["reference"]),
    "evalscope.pope.aggregate": lambda i: scope.pope_report(i["rows"]),
    "evalscope.hallusion.aggregate": lambda i: scope.hallusion_report(i["rows"]),
}
MATH = "the parser of a mathematics harness with its table of unit words; here mathematics is grade.expressions"
UNSUPPORTED = {
    "evalscope.math.extract_answer": MATH,
    "evalscope.math.strip_answer_string": MATH,
    "evalscope.acc.numeric": MATH,
}
