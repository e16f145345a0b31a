"""The schedule: balanced, lazy, the same every time."""

import collections
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee import schedule
from referee.schedule import Contest, Task

TWO_GAMES = (Contest("scat", (0, 1, 2, 3, 4), (2, 4)), Contest("scout", (0, 2, 4), (3,)))


def before(order: tuple[int, ...], distance: int = 1) -> list[tuple[int, int]]:
    return [(order[at], order[(at + distance) % len(order)]) for at in range(len(order))]


@pytest.mark.parametrize(("n", "orders"), [(2, 1), (3, 2), (4, 6), (5, 4), (6, 10), (7, 6), (8, 7), (9, 8)])
def test_every_player_sits_before_every_other_equally_often(n: int, orders: int) -> None:
    found = schedule.cyclic_orders(n)

    assert orders == len(found) == len(set(found)) == schedule.balanced_blocks(n)
    assert all(sorted(order) == list(range(n)) for order in found)
    met = collections.Counter(pair for order in found for pair in before(order))
    assert set(itertools.permutations(range(n), 2)) == set(met)
    assert 1 == len(set(met.values()))


@pytest.mark.parametrize("n", [3, 5, 7])
def test_prime_tables_are_balanced_at_every_distance(n: int) -> None:
    for distance in range(1, n):
        met = collections.Counter(pair for order in schedule.cyclic_orders(n) for pair in before(order, distance))
        assert {1} == set(met.values())


@pytest.mark.parametrize("n", [3, 4, 5, 7])
def test_an_order_is_followed_by_its_reverse(n: int) -> None:
    found = schedule.cyclic_orders(n)

    for order, reverse in zip(found[::2], found[1::2], strict=True):
        assert set(before(order)) == {(after, first) for first, after in before(reverse)}


@pytest.mark.parametrize("n", [-1, 0, 1, 10])
def test_other_numbers_of_seats_are_refused(n: int) -> None:
    with pytest.raises(ValueError, match="2 to 9 seats"):
        schedule.cyclic_orders(n)


@pytest.mark.parametrize("seats", range(2, 10))
def test_each_player_meets_each_block_once_in_each_seat(seats: int) -> None:
    players = tuple(range(10, 10 + seats))
    sat = collections.Counter()
    for task in schedule.tables([Contest("scat", players, (seats,))], blocks=3, slice_blocks=2):
        for block in range(task.first_block, task.first_block + task.blocks):
            sat.update((block, seat, who) for seat, who in enumerate(schedule.seating(task, block)))

    assert dict.fromkeys(itertools.product(range(3), range(seats), players), 1) == sat


def test_rotations_of_a_block_keep_the_neighbours() -> None:
    tasks = list(schedule.tables([Contest("scat", (3, 5, 6, 9), (4,))], 1, 1))

    assert 1 == len({frozenset(before(schedule.seating(task, 0))) for task in tasks})


def test_seat_s_holds_the_order_moved_on_by_the_rotation() -> None:
    task = Task(0, "scat", 3, 0, (4, 6, 7), 1, 0, 2)

    assert (6, 7, 4) == schedule.seating(task, 0)
    assert (7, 6, 4) == schedule.seating(task, 1)


@pytest.mark.parametrize("seats", range(2, 10))
def test_neighbours_balance_over_the_blocks_of_each_table(seats: int) -> None:
    blocks = schedule.balanced_blocks(seats)
    for table in range(3):
        met: collections.Counter[tuple[int, int]] = collections.Counter()
        for rotation, block in itertools.product(range(seats), range(5, 5 + blocks)):
            task = Task(0, "scat", seats, table, tuple(range(seats)), rotation, 5, blocks)
            met.update(before(schedule.seating(task, block)))
        assert 1 == len(set(met.values())) and seats * (seats - 1) == len(met)


def test_every_set_of_players_is_a_table() -> None:
    tasks = list(schedule.tables(TWO_GAMES, 4, 4))

    four = [task for task in tasks if task.seats == 4 and task.rotation == 0]
    assert list(itertools.combinations(range(5), 4)) == [task.players for task in four]
    assert [0, 1, 2, 3, 4] == [task.table for task in four]
    assert {(0, 2, 4)} == {task.players for task in tasks if task.game == "scout"}


def test_early_tasks_bring_every_table_to_the_same_block() -> None:
    tasks = list(schedule.tables(TWO_GAMES, 10, 4))

    per_slice = len(tasks) // 3
    assert [(0, 4), (4, 4), (8, 2)] == [
        (tasks[at].first_block, tasks[at].blocks) for at in range(0, 3 * per_slice, per_slice)
    ]
    for at in range(3):
        part = tasks[at * per_slice : (at + 1) * per_slice]
        assert {tasks[at * per_slice].first_block} == {task.first_block for task in part}
        assert per_slice == len({(task.game, task.seats, task.table, task.rotation) for task in part})


@given(
    st.integers(0, 7), st.sets(st.integers(2, 9), max_size=4), st.integers(0, 9), st.integers(1, 4), st.integers(0, 2)
)
def test_size_counts_what_tables_yields(players: int, seats: set[int], blocks: int, part: int, anchors: int) -> None:
    contests = [
        Contest("scat", tuple(range(players)), tuple(sorted(seats)), tuple(range(min(anchors, players)))),
        Contest("scout", (1, 4, 2), (2, 3)),
    ]
    tasks = list(schedule.tables(contests, blocks, part))

    size = schedule.size(contests, blocks, part)
    assert size.tasks == len(tasks) == len(set(tasks))
    assert list(range(len(tasks))) == [task.index for task in tasks]
    assert size.matches == sum(task.blocks for task in tasks)
    if blocks:
        assert size.tables == len({(task.game, task.seats, task.table) for task in tasks})
    assert all(list(task.players) == sorted(set(task.players)) for task in tasks)
    matches = {
        (t.game, t.seats, t.players, t.rotation, b)
        for t in tasks
        for b in range(t.first_block, t.first_block + t.blocks)
    }
    assert size.matches == len(matches)


def test_a_huge_schedule_is_lazy() -> None:
    contests = [Contest("scat", tuple(range(60)), (9,))]

    assert 14783142660 * 9 * 1000 == schedule.size(contests, 1000, 1).matches
    assert (0, 1, 2, 3, 4, 5, 6, 7, 9) == next(itertools.islice(schedule.tables(contests, 1000, 1), 9, None)).players


def test_anchors_sit_at_every_table() -> None:
    tasks = schedule.tables([Contest("scout", (0, 1, 2, 3, 4), (4,), anchors=(1, 3))], 1, 1)

    assert [(0, 1, 2, 3), (0, 1, 3, 4), (1, 2, 3, 4)] == [task.players for task in tasks if task.rotation == 0]


@pytest.mark.parametrize(
    ("contests", "blocks", "part", "sentence"),
    [
        ([], -1, 1, "at least 0"),
        ([], 1, 0, "a slice at least 1"),
        ([Contest("scat", (0, 1), (2,)), Contest("scat", (0, 2), (2,))], 1, 1, "scheduled twice"),
        ([Contest("scat", (0, 0), (2,))], 1, 1, "not distinct"),
        ([Contest("scat", (0, 1), (2,), (2,))], 1, 1, "anchor"),
        ([Contest("scat", (0, 1), (1,))], 1, 1, "2 to 9 seats"),
    ],
)
def test_an_impossible_schedule_is_refused(contests: list[Contest], blocks: int, part: int, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        schedule.size(contests, blocks, part)


def test_a_block_has_one_seed_at_all_tables_and_another_for_each_game_and_number_of_seats() -> None:
    seeds = {
        schedule.block_seed(b"m" * 32, game, seats, block)
        for game, seats, block in itertools.product(("scat", "scout"), (2, 3), range(5))
    }

    assert 20 == len(seeds)
    assert {32} == set(map(len, seeds))


def test_a_player_seed_is_unique_to_match_and_seat_whatever_the_slices() -> None:
    def seeds(part: int) -> dict[tuple[str, int, int, int, int, int], str]:
        return {
            (t.game, t.seats, t.table, t.rotation, b, seat): schedule.player_seed(b"m" * 32, t, b, seat)
            for t in schedule.tables(TWO_GAMES, 4, part)
            for b in range(t.first_block, t.first_block + t.blocks)
            for seat in range(t.seats)
        }

    found = seeds(1)
    assert found == seeds(3)
    assert len(found) == len(set(found.values()))
    assert all(len(seed) == 16 and int(seed, 16) >= 0 for seed in found.values())
