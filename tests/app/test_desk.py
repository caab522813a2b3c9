"""Long work for visitors: nobody holds all places, and nobody waits forever."""

import asyncio
import threading
import time

import pytest

from blockfall.app.parts.desk import Desk
from blockfall.app.train import drafts
from blockfall.errors import SettingError
from blockfall.experiments.configuration import Configuration, GameSettings
from blockfall.optimisers import OPTIMISERS, CmaEs
from tests.app.looking import awaited


def test_one_visitor_holds_one_place() -> None:
    async def work() -> None:
        desk, go_on = Desk(at_once=2, waiting=20), threading.Event()
        greedy = [asyncio.create_task(desk.do_for("greedy", go_on.wait)) for _ in range(4)]
        await asyncio.sleep(0.05)
        assert await asyncio.wait_for(desk.do_for("other", lambda: "served"), 5) == "served"
        with pytest.raises(SettingError, match="too many of your requests"):
            await desk.do_for("greedy", go_on.wait)
        go_on.set()
        await asyncio.gather(*greedy)
        assert await desk.do_for("greedy", lambda: "again") == "again"

    awaited(work())


def test_too_much_is_refused_and_what_fails_gives_its_place_back() -> None:
    async def work() -> None:
        desk, go_on = Desk(at_once=1, waiting=1), threading.Event()
        held = [asyncio.create_task(desk.do_for(who, go_on.wait)) for who in "ab"]
        await asyncio.sleep(0.05)
        with pytest.raises(SettingError, match="too many requests are waiting"):
            await desk.do_for("c", go_on.wait)
        go_on.set()
        await asyncio.gather(*held)
        for _ in range(3):
            with pytest.raises(ZeroDivisionError):
                await desk.do_for("c", lambda: 1 // 0)

    awaited(work())


FEW = GameSettings(training=2, validation=2, test=2, max_pieces=1000)


@pytest.mark.parametrize("name", OPTIMISERS)
def test_an_estimate_of_a_large_network_is_quick(name: str) -> None:
    wide = Configuration(hidden=(64, 64), optimiser=OPTIMISERS[name](), games=FEW, pieces_known=3)
    started = time.thread_time()
    assert drafts.population(wide) >= 2
    found = drafts.estimate(wide)
    assert found.least_s is not None
    assert time.thread_time() - started < 1


def test_typing_costs_milliseconds() -> None:
    widest = Configuration(hidden=(256,) * 8, optimiser=CmaEs(), games=FEW)
    started = time.thread_time()
    with pytest.raises(SettingError, match="numbers in the agent"):
        drafts.check_limits(widest)
    assert time.thread_time() - started < 0.1


def test_cma_es_trains_no_large_network_in_the_app() -> None:
    with pytest.raises(SettingError, match="by cma-es: 4,737; the limit of the app is 1,000"):
        drafts.check_limits(Configuration(hidden=(64, 64), optimiser=CmaEs(), games=FEW))
