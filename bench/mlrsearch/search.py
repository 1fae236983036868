"""
Searches of MLRsearch (draft-ietf-bmwg-mlrsearch), whose trials somebody else makes. Each line of standard input that
begins a search is its terms; each trial is a line of standard output and the line of its counts; the last line of a search
is its result.
"""
import json
import sys

from MLRsearch import Config, MeasurementResult, MultipleLossRatioSearch, SearchGoal
from MLRsearch.trial_measurement import AbstractMeasurer


def say(message):
    print(json.dumps(message), flush=True)


class Measurer(AbstractMeasurer):
    def measure(self, intended_duration, intended_load):
        say({"seconds": intended_duration, "ratePerSec": intended_load})
        counts = json.loads(sys.stdin.readline())
        return MeasurementResult(
            intended_duration=intended_duration,
            intended_load=intended_load,
            offered_count=counts["requests"],
            loss_count=counts["late"],
        )


def search(terms):
    goal = SearchGoal(
        loss_ratio=terms["lossRatio"],
        exceed_ratio=terms["exceedRatio"],
        relative_width=terms["widthRatio"],
        initial_trial_duration=terms["shortS"],
        final_trial_duration=terms["longS"],
        duration_sum=terms["sumS"],
        fail_fast=False,
    )
    config = Config()
    config.goals = [goal]
    config.min_load, config.max_load = terms["leastPerSec"], terms["mostPerSec"]
    config.warmup_duration = 0.0
    found = MultipleLossRatioSearch(config).search(measurer=Measurer(), debug=lambda _: None)[goal]
    bounds = found.relevant_lower_bound, found.relevant_upper_bound
    low, high = (None if bound is None else float(bound) for bound in bounds)
    return {"low": low, "high": high}


for line in sys.stdin:
    say({"result": search(json.loads(line))})
