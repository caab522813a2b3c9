"""The learning of a board network: exact expectations, temporal differences, and averaged weights.

Let V(b, n) be the lines still to come from board b with piece n in hand. With piece c in hand and the next piece m
known, the placement a with the most lines(a) + V(b after a, m) is played. The expectation before m was drawn,

    B(b, c) = sum over m of P(m) x max over a of [lines(a) + V(b after a, m)],

needs only the boards that the choice considers anyway. If no next piece is known, there is a single V(b), and the sum
runs over the pieces that could have come into the hand. The targets are G = B + lambda x (G' - V'), where G' and V'
belong to the position after the move; after a move that was not the best, or that lost, G = B.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from blockfall.agents.values.quantising import LINES_PER_OUTPUT
from blockfall.learning.board_network.network import Shape, TorchBoardNetwork
from blockfall.learning.board_network.seats import LearningSeats, Successors
from blockfall.learning.checkpoint import Arrays
from blockfall.rulesets import MIRRORED, PIECES

_CHUNK = 131_072
"""The boards that the network sees at once while it plays, which bounds its memory."""


@dataclass(frozen=True)
class Hyperparameters:
    """The settings that tune a training."""

    actions: int
    """The placements in all; the learning rate has fallen to 0 by then."""
    learning_rate: float = 4e-3
    trace_decay: float = 0.7
    segment: int = 16
    """The steps between two epochs."""
    batch: int = 8192
    warm_up: int = 300
    """The updates until the learning rate is full."""
    weight_decay: float = 0.01
    clip: float = 1.0
    noise: tuple[float, float] = (0.03, 0.2)
    """The smallest and the largest scale of the noise with which three quarters of the games explore."""
    averaging: tuple[float, float] = (0.99, 0.999)
    """The share of the averaged weights that an update keeps, at the start and at the end."""
    mirror: bool = False
    """Whether half the positions are learned as their mirror images."""


@dataclass(frozen=True)
class Segment:
    """The play between two epochs: an entry per position."""

    rows: Tensor
    output: Tensor
    target: Tensor
    predicted: Tensor
    """The value by the averaged weights."""
    looked_at: Tensor
    """The rows of all boards that the last choice considered; most of them were not chosen."""
    games: Tensor
    """The number of games that ended, not counting those that explore."""
    lines: Tensor
    """The lines of these games."""


class BoardNetworkTrainer:
    """A network that plays many games at once and learns from them."""

    def __init__(self, network: TorchBoardNetwork, seats: LearningSeats, settings: Hyperparameters, seed: int) -> None:
        self.network, self.seats, self.settings = network.to(seats.device), seats, settings
        self.averaged = TorchBoardNetwork(network.shape, seed=0).to(seats.device)
        self.averaged.load_state_dict(network.state_dict())
        self.averaged.requires_grad_(requires_grad=False)
        self.generator = torch.Generator(seats.device).manual_seed(seed)
        matrices = [p for p in network.parameters() if p.dim() > 1]
        vectors = [p for p in network.parameters() if p.dim() <= 1]
        groups = [{"params": matrices, "weight_decay": settings.weight_decay}, {"params": vectors, "weight_decay": 0.0}]
        on_gpu = seats.device.type == "cuda"
        self._player: Any = self.averaged
        self._learner: Any = network
        self._update: Callable[[Tensor, Tensor, Tensor], Tensor] = self._update_once
        if on_gpu:
            from blockfall.learning.board_network.gpu import GpuLearner, GpuNetwork, Recorded  # they need Triton

            self._player, self._learner = GpuNetwork(self.averaged), GpuLearner(network)
            self._update = Recorded(self._update_once)
        rate: Any = torch.zeros((), device=seats.device) if on_gpu else 0.0
        self.optimiser = torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), fused=on_gpu, capturable=on_gpu)
        self.updates = 0
        self.actions = 0
        seats_count = len(seats.known)
        low, high = settings.noise
        scale = low * (high / low) ** torch.linspace(0, 1, seats_count, device=seats.device)
        self.noise = torch.where(torch.arange(seats_count, device=seats.device) % 4 == 0, 0.0, scale)
        self._mirrored_row, self._mirrored_output = _mirror(network.shape, seats.device)

    @property
    def share(self) -> float:
        """The share of the training that is done, from 0 to 1."""
        return min(1.0, self.actions / self.settings.actions)

    @property
    def learning_rate(self) -> float:
        """The learning rate of the next update."""
        warm = min(1.0, (self.updates + 1) / self.settings.warm_up)
        return self.settings.learning_rate * warm * (1 - self.share)

    def step(self) -> tuple[Segment, float]:
        """Play a segment and learn from it once. Return the segment and the mean squared error, in lines."""
        segment = self.play()
        return segment, self.learn(segment)

    @torch.no_grad()
    def play(self) -> Segment:
        """Play a segment by the averaged weights, and find its targets."""
        seats, settings = self.seats, self.settings
        if self._player is not self.averaged:
            self._player.refresh()
        boards, outputs, expected, values, follows, games, lines = [], [], [], [], [], [], []
        output = self._output()
        value = _pick(self.values(seats.rows), output)
        for _ in range(settings.segment):
            boards.append(seats.rows)
            outputs.append(output)
            values.append(value)
            found = seats.successors()
            choice, best, next_value, greedy = self._choose(found)
            expected.append(best)
            done = seats.play(choice)
            follows.append(greedy & ~done.over)
            ended = done.over & (self.noise == 0)
            games.append(ended.sum())
            lines.append((done.total * ended).sum())
            output, value = self._output(), next_value
        targets, correction = [], torch.zeros_like(value)
        for best, value_before, goes_on in zip(reversed(expected), reversed(values), reversed(follows), strict=True):
            target = best + settings.trace_decay * torch.where(goes_on, correction, 0.0)
            targets.append(target)
            correction = target - value_before
        targets.reverse()
        self.actions += settings.segment * len(value)
        return Segment(
            torch.cat(boards),
            torch.cat(outputs),
            torch.cat(targets),
            torch.cat(values),
            found.rows,
            torch.stack(games).sum(),
            torch.stack(lines).sum(),
        )

    def learn(self, segment: Segment) -> float:
        """Learn one epoch of the segment. Return the mean squared error, in lines."""
        settings, losses = self.settings, []
        rows, output = self._mirror_half(segment) if settings.mirror else (segment.rows, segment.output)
        order = torch.randperm(len(segment.target), generator=self.generator, device=segment.target.device)
        for batch in order.split(settings.batch):
            for group in self.optimiser.param_groups:
                if isinstance(group["lr"], Tensor):
                    group["lr"].fill_(self.learning_rate)
                else:
                    group["lr"] = self.learning_rate
            losses.append(self._update(rows[batch], output[batch], segment.target[batch]).clone())
            self.updates += 1
            self._average()
        return LINES_PER_OUTPUT**2 * float(torch.stack(losses).mean())

    def _mirror_half(self, segment: Segment) -> tuple[Tensor, Tensor]:
        """Return the boards and the outputs of a segment, half of them mirrored. The targets stay."""
        count, device = len(segment.target), segment.target.device
        turn = torch.rand(count, generator=self.generator, device=device) < 0.5
        rows = torch.where(turn[:, None], self._mirrored_row[segment.rows.long()], segment.rows)
        return rows, torch.where(turn, self._mirrored_output[segment.output.long()], segment.output)

    def _update_once(self, rows: Tensor, output: Tensor, target: Tensor) -> Tensor:
        """Update the weights once, and return the loss."""
        loss = functional.mse_loss(_pick(self._learner(rows), output), target) / LINES_PER_OUTPUT**2
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.settings.clip)
        self.optimiser.step()
        return loss.detach()

    @torch.no_grad()
    def values(self, rows: Tensor) -> Tensor:
        """Return the values of boards by the averaged weights."""
        return torch.cat([self._player(part) for part in rows.split(_CHUNK)])

    def _choose(self, found: Successors) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return, for each seat, the successor to play, B, the value after it, and whether it is the best."""
        seats = self.seats
        known, law = seats.known, seats.law
        count, device = len(known), known.device
        if len(found.rows) == 0:
            zero = torch.zeros(count, device=device)
            return torch.full((count,), -1, device=device), zero, zero, zero.bool()
        values = self.values(found.rows)
        seat, lines = found.seat.long(), found.lines.float()
        if known.shape[1] == 2:  # an output per next piece; 0 if that piece has no room
            room = (found.room[:, None] >> torch.arange(values.shape[1], device=device)) & 1
            total = lines[:, None] + values * room
            group, weights, slots = seat, law, count
            mine = _pick(total, known[seat, 1])
            in_hand = torch.ones_like(seat, dtype=torch.bool)
        else:  # one output, and every piece that could be in hand
            total = lines[:, None] + values
            group, slots = seat * law.shape[1] + found.piece, count * law.shape[1]
            weights, mine = law, total[:, 0]
            in_hand = found.piece == known[seat, 0]
        best = torch.full((slots, total.shape[1]), -math.inf, device=device)
        best.scatter_reduce_(0, group[:, None].expand_as(total), total, "amax")
        best = torch.where(best.isinf(), 0.0, best).view(count, -1)
        expected = (weights * best).sum(1)
        greedy = _first_best(mine, seat, in_hand, count)
        uniform = torch.rand(len(mine), generator=self.generator, device=device).clamp_(1e-20)
        noisy = mine - self.noise[seat] * torch.log(-torch.log(uniform))
        choice = _first_best(noisy, seat, in_hand, count)
        after = torch.where(choice >= 0, mine[choice.clamp(0)] - lines[choice.clamp(0)], 0.0)
        return choice, expected, after, choice == greedy

    def state(self) -> Arrays:
        """Return everything from which the training can continue."""
        found = {f"{what}.{name}": tensor for what, name, tensor in self._tensors()}
        found |= {"generator": self.generator.get_state(), "seats": self.seats.state()}
        found["counts"] = torch.tensor([self.updates, self.actions])
        return {name: tensor.detach().cpu().numpy() for name, tensor in found.items()}

    def set_state(self, state: Arrays) -> None:
        """Go back to a state. Raise a ValueError if it is not one of this training."""
        counts = _like(state, "counts", torch.zeros(2, dtype=torch.long))
        if (counts < 0).any():
            raise ValueError("counts below 0")
        seats, generator = (
            _like(state, name, tensor)
            for name, tensor in (("seats", self.seats.state()), ("generator", self.generator.get_state()))
        )
        self.updates, self.actions = counts.tolist()
        if self.updates:
            self._begin_moments()
        found = [(tensor, _like(state, f"{what}.{name}", tensor)) for what, name, tensor in self._tensors()]
        self.seats.set_state(seats)
        try:
            self.generator.set_state(generator)
        except RuntimeError:
            raise ValueError("`generator` is of another version") from None
        with torch.no_grad():
            for tensor, kept in found:
                tensor.copy_(kept)

    def _tensors(self) -> Iterator[tuple[str, str, Tensor]]:
        """Yield all tensors that learning changes, after their owners and names."""
        for what, network in (("network", self.network), ("averaged", self.averaged)):
            for name, tensor in network.state_dict().items():
                yield what, name, tensor
        for name, parameter in self.network.named_parameters():
            for moment, tensor in self.optimiser.state.get(parameter, {}).items():
                yield moment, name, tensor

    def _begin_moments(self) -> None:
        """Make the optimiser's moments, which normally exist only after its first step."""
        if self.optimiser.state:
            return
        kept = [parameter.detach().clone() for parameter in self.network.parameters()]
        for parameter in self.network.parameters():
            parameter.grad = torch.zeros_like(parameter)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        with torch.no_grad():
            for parameter, before in zip(self.network.parameters(), kept, strict=True):
                parameter.copy_(before)

    def _output(self) -> Tensor:
        """Return the output that values each seat's position: that of the piece in hand, or the only one."""
        known = self.seats.known
        place = known[:, 0].long()
        return place if known.shape[1] == 2 else torch.zeros_like(place)

    def _average(self) -> None:
        first, last = self.settings.averaging
        keep = 1 - (1 - first) * ((1 - last) / (1 - first)) ** self.share
        keep = min(keep, (1 + self.updates) / (10 + self.updates))
        with torch.no_grad():
            torch._foreach_lerp_(list(self.averaged.parameters()), list(self.network.parameters()), 1 - keep)


def _mirror(shape: Shape, device: torch.device) -> tuple[Tensor, Tensor]:
    """Return the mirror image of each row's number, and of each output's piece."""
    cells = (torch.arange(2**shape.columns)[:, None] >> torch.arange(shape.columns)) & 1
    row = (cells << torch.arange(shape.columns).flip(0)).sum(1, dtype=torch.int32)
    output = [PIECES.index(piece) for piece in MIRRORED] if shape.outputs > 1 else [0]
    return row.to(device), torch.tensor(output, device=device)


def _like(state: Arrays, name: str, like: Tensor) -> Tensor:
    """Return the array of this name as a tensor. Raise a ValueError if its kind or shape differs."""
    array = state.get(name)
    if array is None or array.dtype != torch.empty(0, dtype=like.dtype).numpy().dtype or array.shape != like.shape:
        raise ValueError(f"`{name}` is missing, or of another kind or shape")
    return torch.from_numpy(array.copy())


def _pick(values: Tensor, output: Tensor) -> Tensor:
    return values.gather(1, output.long()[:, None])[:, 0]


def _first_best(value: Tensor, seat: Tensor, allowed: Tensor, count: int) -> Tensor:
    """Return the first of the best successors of each seat; -1 if it has none."""
    value = torch.where(allowed, value, -math.inf)
    best = torch.full((count,), -math.inf, device=value.device)
    best.scatter_reduce_(0, seat, value, "amax")
    place = torch.arange(len(value), device=value.device)
    place = torch.where((value == best[seat]) & allowed, place, len(value))
    first = torch.full((count,), len(value), device=value.device)
    first.scatter_reduce_(0, seat, place, "amin")
    return torch.where(first < len(value), first, -1)
