"""Adapters for yorn.jsonl."""

from exam2bench.corpora.catalog import vqa_text, yes_no

RATINGS = {
    "MME": yes_no.mme_rating,
    "POPE": yes_no.pope_rating,
    "HallusionBench": yes_no.hallusion_rating,
    "AMBER": yes_no.amber_rating,
    "VSR-zeroshot": yes_no.vsr_rating,
}


def end_to_end(i):
    rows = []
    for row in i["rows"]:
        extracted = yes_no.extract_yes_no(row["prediction"])
        rows.append({**row, "extracted": extracted, "score": extracted == row["answer"].capitalize()})
    return RATINGS.get(i["dataset"], yes_no.default_rating)(rows)


ADAPTERS = {
    "vlmevalkit.YOrN_Extraction": lambda i: yes_no.extract_yes_no(i["output"]),
    "vlmevalkit.process_punctuation": lambda i: vqa_text.strip_punctuation(i["inText"]),
    "vlmevalkit.MME_rating": lambda i: yes_no.mme_rating(i["rows"]),
    "vlmevalkit.POPE_rating": lambda i: yes_no.pope_rating(i["rows"]),
    "vlmevalkit.VSR_rating": lambda i: yes_no.vsr_rating(i["rows"]),
    "vlmevalkit.Hallusion_rating": lambda i: yes_no.hallusion_rating(i["rows"]),
    "vlmevalkit.AMBER_rating": lambda i: yes_no.amber_rating(i["rows"]),
    "vlmevalkit.default_rating": lambda i: yes_no.default_rating(i["rows"]),
    "vlmevalkit.yorn_end_to_end": end_to_end,
    "cambrian.mme.compute_metrics": lambda i: yes_no.cambrian_mme(i["rows"]),
    "cambrian.pope.compute_metrics": lambda i: yes_no.cambrian_pope(i["rows"]),
}
