"""How many times as wide as its sources give it the range of an answer must be, from measured rows (Range::factor in
scenarios/answer/range.h; docs/internals/answers.md, "Ranges").

The score of a row is how many times as wide, in logarithms and on the side of the measured value, the range that its sources
give would have to be to end there. A factor is a quantile of the scores of a regime: a question, on devices of a kind, about a
captured step or one from shapes."""
import collections
import functools
import itertools
import math
import statistics

GOAL = 0.9  # of the measured values are to be in range
LEVELS = [0.88, 0.9, 0.92, 0.93, 0.94, 0.95, 0.96, 0.97, 0.98, 1.0]
ENOUGH = 5  # sources for a quantile over sources
FEW = 3  # sources; with fewer, a range is not narrowed
FEW_ROWS = 10  # a regime with fewer is not known by itself: it takes the factor of its question, if that is larger
UNKNOWN = 1.5  # times the factor of the question, or of all, where nothing of a regime was measured
STEPS = ("training", "inference")


def score(row):
    distance = math.log(row.measured / row.predicted)
    end = row.sources_high if distance > 0 else row.sources_low
    width = abs(math.log(end / row.predicted)) if end > 0 else math.inf
    return abs(distance) / max(width, 1e-4)


def devices(row):
    return "CPU" if row.generation == "CPU" else "GPU"


def base(row):
    return row.base if row.base == "captured" else "shapes"


def has_range(row):
    return not row.refused and row.sources_low is not None


def scores_of(rows, of):
    """Returns {regime: {source: scores}}; of(row) is the regime."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in filter(has_range, rows):
        found[of(row)][row.source].append(score(row))
    return found


def quantile(values, shares, at):
    """Returns the value below which the share `at` of the weight is."""
    ordered = sorted(zip(values, shares))
    for (value, _), reached in zip(ordered, itertools.accumulate(share for _, share in ordered)):
        if reached >= at - 1e-9:
            return value
    return ordered[-1][0]


def over_sources(scores, level):
    """Returns the score that is not exceeded by the share `level` of rows, if sources weigh equally."""
    shares = [1 / len(found) / len(scores) for found in scores for _ in found]
    return quantile(itertools.chain.from_iterable(scores), shares, level)


def of_source(scores):
    """Returns the quantile of one source."""
    return sorted(scores)[math.ceil(GOAL * len(scores)) - 1]


def share_within(scores, factor):
    return sum(value <= factor for value in scores) / len(scores)


def level_for(scores):
    """Returns the lowest level that holds for nine tenths of the rows of each source in turn, if it is left out."""
    for level in LEVELS:
        held = [share_within(scores[source], over_sources([of for other, of in scores.items() if other != source], level)) for source in scores]
        if statistics.mean(held) >= GOAL:
            return level
    return LEVELS[-1]


def alone(scores):
    """Returns the factor of a regime with these scores by source, from them alone."""
    if len(scores) >= ENOUGH:
        return over_sources(list(scores.values()), level_for(scores))
    worst = max(map(of_source, scores.values()))
    return worst if len(scores) >= FEW else max(1, worst)


class Factors:
    """The factors of all regimes. Each of them can be asked for without a source."""

    def __init__(self, rows):
        steps = [row for row in rows if row.mode in STEPS and row.question != "replay"]
        self.of_regime = scores_of(steps, lambda row: (row.question, devices(row), base(row)))
        self.of_question = scores_of(steps, lambda row: row.question)
        self.of_all = scores_of([row for row in steps if row.question != "memory"], lambda row: ())

    @functools.cache
    def _alone(self, scores_of_regimes, key, without):
        """Returns the factor from a regime's rows alone, and their number."""
        scores = {source: of for source, of in getattr(self, scores_of_regimes).get(key, {}).items() if source != without}
        return (alone(scores), sum(map(len, scores.values()))) if scores else (None, 0)

    def __call__(self, question, on, about, without=None):
        """Returns the factor of a regime; of no particular devices if `on` is empty, and of any question if that is, too."""
        if question == "replay":
            return 1.0
        whole, rows = self._alone("of_question", question, without)
        if rows == 0:
            return UNKNOWN * max(1, self._alone("of_all", (), without)[0])
        own, rows = self._alone("of_regime", (question, on, about), without)
        if rows == 0:
            return UNKNOWN * max(1, whole)
        return own if rows >= FEW_ROWS else max(own, whole)

    def of(self, row, without=None):
        """Returns the factor for a row; 1 for a part of a step, which is not widened."""
        return self(row.question, devices(row), base(row), without) if row.mode in STEPS else 1.0

    def left_out(self, row):
        """Returns the factor for a row that is found without its source."""
        return self.of(row, without=row.source)

    def holds(self, row):
        return score(row) <= self.left_out(row)


def half_width(row, factor):
    return factor * (math.log(row.sources_high / row.predicted) - math.log(max(row.sources_low, 1e-12) / row.predicted)) / 2


def checked(rows):
    """Yields (question, rows, sources, share in the range of the sources, share in range by left-out factors, median half-widths
    before and after) of each question."""
    factors = Factors(rows)
    for question in dict.fromkeys(row.question for row in rows):
        if question == "replay":
            continue
        by_source = collections.defaultdict(list)
        for row in rows:
            if row.question == question and has_range(row):
                by_source[row.source].append((row, factors.left_out(row)))
        if not by_source:
            continue

        def mean(of, by_source=by_source):
            return statistics.mean(statistics.mean(of(row, factor) for row, factor in found) for found in by_source.values())
        found = list(itertools.chain.from_iterable(by_source.values()))
        yield (question, len(found), len(by_source), mean(lambda row, _: score(row) <= 1), mean(lambda row, factor: score(row) <= factor),
               statistics.median(half_width(row, 1) for row, _ in found), statistics.median(half_width(row, factors.of(row)) for row, _ in found))
