"""
Reference values from independent implementations, for the tests beside this folder. Written once with
NumPy 2.4.6, SciPy 1.17.1, statsmodels 0.15.0, ruptures 1.1.10 and R 4.2.2 with coin 1.4-2:

    pip install numpy scipy statsmodels ruptures && python make.py

Each file's "call" is the expression that made its values.
"""
import json
import subprocess
from pathlib import Path

import numpy as np
import ruptures
from scipy import stats
from statsmodels.stats.multitest import multipletests

FOLDER = Path(__file__).parent


def write(name, call, cases, **more):
    lines = ",\n".join("    " + json.dumps(case) for case in cases)
    head = "".join(f'  {json.dumps(key)}: {json.dumps(value)},\n' for key, value in {"call": call, **more}.items())
    (FOLDER / f"{name}.json").write_text(f'{{\n{head}  "cases": [\n{lines}\n  ]\n}}\n')


class NormalCost(ruptures.base.BaseCost):
    """-2 log-likelihood of normal values, less a constant per value."""

    model, min_size = "normal-mle", 2

    def fit(self, signal):
        self.signal = signal.ravel()
        return self

    def error(self, start, end):
        return (end - start) * np.log(self.signal[start:end].var())


def change_points():
    rng = np.random.default_rng(4)
    series = {
        "noise alone": rng.normal(0, 1, 120),
        "a lower mean": np.r_[rng.normal(6, 1, 25), rng.normal(0, 1, 95)],
        "two steps down": np.r_[rng.normal(12, 1, 20), rng.normal(6, 1, 30), rng.normal(0, 1, 110)],
        "a lower variance alone": np.r_[rng.normal(0, 8, 60), rng.normal(0, 1, 100)],
        "a step up at the end": np.r_[rng.normal(0, 1, 150), rng.normal(7, 2, 12)],
        "a short burst": np.r_[rng.normal(0, 1, 60), rng.normal(15, 1, 5), rng.normal(0, 1, 60)],
        "a ramp": np.linspace(0, 30, 100) + rng.normal(0, 1, 100),
        "a step that is too small": np.r_[rng.normal(0.5, 1, 30), rng.normal(0, 1, 60)],
        "many levels": np.concatenate([rng.normal(level, 1, 30) for level in (0, 9, 3, 14, -4, 6)]),
    }
    cases = []
    for name, values in series.items():
        values = np.round(values, 3)
        for weight, min_segment in ((15, 2), (15, 5), (4, 3)):
            penalty = weight * float(np.log(len(values)))
            algorithm = ruptures.Pelt(custom_cost=NormalCost(), min_size=min_segment, jump=1)
            changes = algorithm.fit_predict(values, pen=penalty)[:-1]
            cases.append({"name": name, "values": values.tolist(), "penalty": penalty,
                          "minSegment": min_segment, "changes": [int(change) for change in changes]})
    write("change_points", "ruptures.Pelt(custom_cost=NormalCost(), min_size=minSegment, jump=1)"
          ".fit_predict(values, pen=penalty)[:-1], NormalCost in make.py", cases)


def mann_whitney():
    rng = np.random.default_rng(5)
    cases = []
    for n, m, shift in ((3, 3, 9), (4, 4, 0.5), (5, 5, 1), (5, 5, 9), (5, 8, 0), (10, 10, 0.7), (14, 6, -0.4)):
        first, second = np.round(rng.normal(shift, 1, n), 4), np.round(rng.normal(0, 1, m), 4)
        test = stats.mannwhitneyu(first, second, alternative="two-sided", method="exact")
        cases.append({"first": first.tolist(), "second": second.tolist(), "u": float(test.statistic), "p": float(test.pvalue)})
    write("mann_whitney", 'scipy.stats.mannwhitneyu(first, second, alternative="two-sided", method="exact")', cases)


def mann_whitney_ties():
    rng = np.random.default_rng(6)
    cases = []
    for n, m, high in ((4, 4, 3), (5, 5, 4), (5, 7, 6), (10, 10, 9), (8, 3, 2)):
        first, second = rng.integers(0, high, n).tolist(), rng.integers(1, high + 2, m).tolist()
        numbers = lambda values: f"c({','.join(map(str, values))})"
        code = (f"suppressMessages(library(coin)); x <- {numbers(first + second)};"
                f"g <- factor(rep(c('a', 'b'), c({n}, {m})));"
                "cat(format(pvalue(wilcox_test(x ~ g, distribution = 'exact')), digits = 15))")
        p = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=True).stdout
        cases.append({"first": first, "second": second, "p": float(p)})
    write("mann_whitney_ties", "coin::pvalue(coin::wilcox_test(values ~ group, distribution = 'exact'))", cases)


def holm():
    rng = np.random.default_rng(7)
    lists = [[0.01, 0.04, 0.03, 0.005], [0.04], [0.5, 0.5, 0.9], np.round(rng.uniform(0, 0.1, 12), 5).tolist()]
    cases = [{"p": p, "adjusted": multipletests(p, method="holm")[1].tolist()} for p in lists]
    write("holm", 'statsmodels.stats.multitest.multipletests(p, method="holm")[1]', cases)


def student_t():
    cases = [{"t": t, "df": df, "p": float(2 * stats.t.sf(t, df)), "quantile": float(stats.t.ppf(0.975, df))}
             for df in (1, 2, 3.7, 4, 9, 18, 55, 1000) for t in (0.001, 0.5, 2, 7, 20)]
    write("student_t", "p = 2 * scipy.stats.t.sf(t, df), quantile = scipy.stats.t.ppf(0.975, df)", cases)


def bootstrap():
    rng = np.random.default_rng(8)
    cases = []
    for runs in (5, 10):
        values = np.round(2000 * np.exp(rng.normal(0, 0.03, runs))).tolist()
        found = stats.bootstrap((np.array(values),), np.mean, n_resamples=200_000, method="percentile", rng=1)
        low, high = found.confidence_interval
        cases.append({"values": values, "standardError": float(found.standard_error), "low": float(low), "high": float(high)})
    write("bootstrap", 'scipy.stats.bootstrap((values,), np.mean, n_resamples=200_000, method="percentile", rng=1)', cases)


def welch():
    rng = np.random.default_rng(10)
    cases = []
    for n, m, shift, spread in ((5, 5, 0.02, 1), (10, 10, 0.01, 1), (5, 10, 0.05, 3), (8, 8, 0, 1)):
        of = np.round(2000 * np.exp(rng.normal(shift, 0.02 * spread, n))).tolist()
        to = np.round(2000 * np.exp(rng.normal(0, 0.02, m))).tolist()
        test = stats.ttest_ind(np.log(of), np.log(to), equal_var=False)
        low, high = np.exp(test.confidence_interval(0.95))
        cases.append({"of": of, "to": to, "p": float(test.pvalue), "df": float(test.df), "low": float(low), "high": float(high)})
    write("welch", "scipy.stats.ttest_ind(np.log(of), np.log(to), equal_var=False), exp of its confidence_interval(0.95)", cases)


if __name__ == "__main__":
    for make in (change_points, mann_whitney, mann_whitney_ties, holm, student_t, bootstrap, welch):
        make()
