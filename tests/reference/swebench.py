"""Adapters for swebench.jsonl."""

from exam2bench.corpora.catalog import swebench as swe


def evaluated(i, at_v404=False):
    report = swe.tests_report(i["status_map"], i["gold"], fail_only=i["eval_type"] == "fail_only", at_v404=at_v404)
    out = {**report, "status": swe.resolution(report)}
    if not at_v404:
        out |= {"f2p": swe.success_share(report, swe.FAIL_TO_PASS), "p2p": swe.success_share(report, swe.PASS_TO_PASS)}
    return out


ADAPTERS = {
    "swebench.test_passed": lambda i: swe.passed(i["case"], i["sm"]),
    "swebench.test_failed": lambda i: swe.failed(i["case"], i["sm"]),
    "swebench.test_failed@v4.0.4": lambda i: swe.failed(i["case"], i["sm"], skipped_fails=False),
    "swebench.test_maintained": lambda i: swe.maintained(i["case"], i["sm"]),
    "swebench.compute_fail_to_pass": lambda i: swe.success_share(i["report"], swe.FAIL_TO_PASS),
    "swebench.compute_pass_to_pass": lambda i: swe.success_share(i["report"], swe.PASS_TO_PASS),
    "swebench.get_resolution_status": lambda i: swe.resolution(i["report"]),
    "swebench.get_resolution_status@v4.0.4": lambda i: swe.resolution(i["report"]),
    "swebench.get_eval_tests_report+status": evaluated,
    "swebench.get_eval_tests_report+status@v4.0.4": lambda i: evaluated(i, at_v404=True),
    "swebench.make_run_report": lambda i: swe.run_report(i["instances"], i["predictions"], i["reports"]),
}
