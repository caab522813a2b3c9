"""Double DQN in PyTorch on 10x10 Tetris: `pip install 'blockfall[learn]'`, then `python examples/dqn.py [STEPS]`.

The network values the boards that placements leave. It steps 256 games together, and one call of the network values
all their placements. The trained network is then an agent like any other. 2,000 steps take half a minute on one core
and give about 150 lines per game; random play gives 0.1.
"""

import sys
from collections.abc import Callable

import numpy as np
import torch

import blockfall

RULES = "standard-10x10"
SEATS = 256
BATCH = 512
BUFFER = 100_000
DISCOUNT = 0.95
LOSS_REWARD = -4.0  # the reward for losing, beside 1 for each line
RATE = 1e-3
TARGET_EVERY = 200  # steps
SHOW_EVERY = 200


def inputs(boards: np.ndarray) -> torch.Tensor:
    """Return each column's height and holes, and the steps between neighbours: numbers from about 0 to 1."""
    cells = torch.from_numpy(boards).float()
    rows = cells.shape[1]
    heights = (cells * torch.arange(1, rows + 1)[:, None]).amax(dim=1)
    holes = heights - cells.sum(dim=1)
    steps = (heights[:, 1:] - heights[:, :-1]).abs()
    return torch.cat([heights, holes, steps], dim=1) / rows


def network(columns: int) -> torch.nn.Sequential:
    """Two hidden layers; the output is the value of a board."""
    return torch.nn.Sequential(
        torch.nn.Linear(3 * columns - 1, 64),
        torch.nn.SiLU(),
        torch.nn.Linear(64, 64),
        torch.nn.SiLU(),
        torch.nn.Linear(64, 1),
    )


class Buffer:
    """The last transitions: a board, the reward of the next move, the board that the move left, and whether it lost."""

    def __init__(self, size: int, width: int) -> None:
        self.now, self.next = torch.zeros(size, width), torch.zeros(size, width)
        self.reward, self.goes_on = torch.zeros(size), torch.zeros(size)
        self.at = self.filled = 0

    def add(self, now: torch.Tensor, reward: torch.Tensor, following: torch.Tensor, goes_on: torch.Tensor) -> None:
        places = (self.at + torch.arange(len(now))) % len(self.now)
        self.now[places], self.reward[places] = now, reward
        self.next[places], self.goes_on[places] = following, goes_on
        self.at = int(self.at + len(now)) % len(self.now)
        self.filled = min(self.filled + len(now), len(self.now))

    def sample(self, count: int) -> tuple[torch.Tensor, ...]:
        places = torch.randint(self.filled, (count,))
        return self.now[places], self.reward[places], self.next[places], self.goes_on[places]


def train(steps: int, show: Callable[[str], None] = print) -> torch.nn.Sequential:
    """Play all games for a number of steps, and learn from them."""
    games = blockfall.Games(RULES, SEATS, seed=1, purpose=blockfall.Purpose.LEARNING)
    online, target = network(games.rules.columns), network(games.rules.columns)
    target.load_state_dict(online.state_dict())
    optimiser = torch.optim.Adam(online.parameters(), lr=RATE)
    width = 3 * games.rules.columns - 1
    buffer = Buffer(BUFFER, width)
    before = torch.zeros(SEATS, width)  # the board of each game, and whether the game had begun
    begun = torch.zeros(SEATS, dtype=torch.bool)
    lines = ended = 0
    for step in range(1, steps + 1):
        after = games.afterstates()
        seen = inputs(after.cells)
        with torch.no_grad():
            values = online(seen)[:, 0].numpy() + after.lines + np.where(after.lost, LOSS_REWARD - 100, 0)
        explore = max(0.02, 1 - step / (0.3 * steps))
        chosen = choose(values, after.game, explore)
        seats = after.game[chosen]
        reward = torch.from_numpy(np.where(after.lost[chosen], LOSS_REWARD, after.lines[chosen])).float()
        goes_on = torch.from_numpy(~after.lost[chosen]).float()
        known = begun[seats]
        buffer.add(before[seats][known], reward[known], seen[chosen][known], goes_on[known])
        before[seats] = seen[chosen]
        actions = np.zeros(SEATS, int)
        actions[seats] = after.action[chosen]
        done = games.step(actions)
        begun[:] = torch.from_numpy(~done.over)
        lines, ended = lines + int(done.lines.sum()), ended + int((done.over & ~done.started).sum())
        if buffer.filled >= BATCH:
            learn(online, target, optimiser, buffer)
        if step % TARGET_EVERY == 0:
            target.load_state_dict(online.state_dict())
        if step % SHOW_EVERY == 0:
            show(f"step {step}: {lines / max(ended, 1):.1f} lines per game, explores {explore:.0%}")
            lines = ended = 0
    return online


def choose(values: np.ndarray, game: np.ndarray, explore: float) -> np.ndarray:
    """Return each game's best placement, or with the probability `explore` any."""
    starts = np.flatnonzero(np.diff(game, prepend=-1))
    sizes = np.diff(starts, append=len(game))
    best = np.array(
        [start + int(values[start : start + size].argmax()) for start, size in zip(starts, sizes, strict=True)]
    )
    anyhow = starts + (np.random.random(len(starts)) * sizes).astype(int)
    return np.where(np.random.random(len(starts)) < explore, anyhow, best)


def learn(online: torch.nn.Module, target: torch.nn.Module, optimiser: torch.optim.Optimizer, buffer: Buffer) -> None:
    """Take one step down the squared error: a board is worth the next reward plus the value of the next board."""
    now, reward, following, goes_on = buffer.sample(BATCH)
    with torch.no_grad():
        wanted = reward + DISCOUNT * goes_on * target(following)[:, 0]
    error = torch.nn.functional.smooth_l1_loss(online(now)[:, 0], wanted)
    optimiser.zero_grad()
    error.backward()
    optimiser.step()


if __name__ == "__main__":
    torch.manual_seed(1)
    np.random.seed(1)
    trained = train(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)

    def dqn(boards: np.ndarray, lines: np.ndarray) -> torch.Tensor:
        with torch.no_grad():
            return trained(inputs(boards))[:, 0] + torch.from_numpy(lines)

    agent = blockfall.Agent("dqn", blockfall.BoardFunction(dqn, lines=True))
    print(blockfall.evaluate(rules=RULES, agent=agent, games=200, seed=1, max_pieces=20_000))
