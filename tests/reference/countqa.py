"""Adapters for countqa.jsonl."""

from exam2bench.corpora.catalog import countqa


def last_match(i):
    return countqa.extract_count(countqa.regex_filter(i["prediction"], r"(\d+)", -1))


ADAPTERS = {
    "evalscope.count_qa.parse_count": lambda i: countqa.parse_count(i["prediction"]),
    "evalscope.count_qa.extract_answer": lambda i: countqa.extract_count(i["prediction"]),
    "evalscope.count_qa.extract_answer[regex last]": last_match,
    "evalscope.count_qa.score": lambda i: countqa.count_score(i["prediction"], i["reference"]),
    "evalscope.count_qa.mean": lambda i: countqa.mean_scores(i["rows"]),
    "evalscope.count_qa.record_to_sample.targets": lambda i: countqa.targets(i["questions"], i["answers"]),
    "evalscope.RegexFilter": lambda i: countqa.regex_filter(
        i["text"], i["regex_pattern"], i["group_select"], i["fallback"]
    ),
}
