"""A finished training in words: its result, and why the test mean is below the best in training."""

from blockfall.app.parts.progress import RunProgress
from blockfall.app.train.drafts import population


def tested(progress: RunProgress) -> str:
    """Return the figures of the test games, in words."""
    test = progress.seen.test
    return f"{test['mean']:,.2f} ± {test['sem']:,.2f} lines per test game"


def why_less(progress: RunProgress) -> str:
    """Explain why the best in training beats the test mean. Empty if it does not, or does not count lines."""
    run, test = progress.seen.configuration, progress.seen.test
    if run.fitness != "mean" or not test or not progress.points:
        return ""
    best = max(point.best for point in progress.points)
    if best <= test["mean"]:
        return ""
    games = f"the same {run.games.training:,} games" if not run.games.fresh else f"{run.games.training:,} games"
    tries = len(progress.points) * population(run)
    told = f"The best in training was {best:,.2f}: the luckiest of {tries:,} tries on {games}. "
    if run.learning is not None:
        told = f"The best in training was {best:,.2f}, the best of {len(progress.points):,} stages on {games}. "
    return (
        f"{told}The test plays {test['n']:,} games that the training never saw, so luck does not count there. "
        "More training games bring the two closer."
    )
