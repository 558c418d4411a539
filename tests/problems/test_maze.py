"""Mazes: solvable with a detour; every shortest path is right and nothing else."""

import random
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.base.errors import VerifierError
from stages.problems.family import Family
from stages.problems.maze import LONGEST_TRACE, MOVES, Maze, MazeInstance
from tests.tables import each

FAMILY: Family = Maze()
RING = MazeInstance(("...", ".#.", "S#G", ".#.", "..."))  # the way above is as long as that below


def drawn(count, notation="text", seed=0):
    rng = random.Random(seed)
    return [FAMILY.draw(rng, notation) for _ in range(count)]


def ends(instance, path):
    """Where a path ends if no wall and no border is crossed; None otherwise."""
    r, c = instance.find("S")
    for move in path:
        r, c = r + MOVES[move][0], c + MOVES[move][1]
        if not (0 <= r < len(instance.rows) and 0 <= c < len(instance.rows[0])):
            return None
        if instance.rows[r][c] == "#":
            return None
    return r, c


def test_compact_notation_is_as_documented():
    instance = MazeInstance(("S#G", "...", "..."))
    assert FAMILY.prompt(instance, "compact") == "⌖ A 1 B | 0 0 0 | 0 0 0 ."
    trace, answer = FAMILY.worked(instance, "compact", random.Random(0))
    assert trace == "a c . b c . b b c c . b a c b . a a ."
    assert answer == "↓ → → ↑"


@pytest.mark.parametrize("notation", ["compact", "text"])
def test_every_maze_has_a_detour_and_its_own_answer_is_a_path(notation):
    for instance in drawn(60, notation):
        (r, c), (goal_r, goal_c) = instance.find("S"), instance.find("G")
        moves = FAMILY.answer(instance, "text").split()
        assert ends(instance, moves) == (goal_r, goal_c)
        assert len(moves) > abs(r - goal_r) + abs(c - goal_c)
        assert len(moves) >= len(instance.rows[0])
        assert FAMILY.difficulty(instance).startswith(f"{len(moves)} moves, ")


def test_the_shortest_paths_by_trying_all_moves_are_the_right_ones():
    for instance in (i for i in drawn(60, "compact") if FAMILY.difficulty(i)[0] in "56"):
        moves = len(FAMILY.answer(instance, "text").split())
        for length in range(1, moves + 1):
            for path in product("UDLR", repeat=length):
                if ends(instance, path) == instance.find("G"):
                    assert length == moves
                    assert FAMILY.right(instance, "".join(path))
        break


def test_every_shortest_path_is_right_and_a_longer_one_is_not():
    assert FAMILY.check(RING, "U U R R D D", "text")
    assert FAMILY.check(RING, "D D R R U U", "text")
    assert not FAMILY.check(RING, "U D U U R R D D", "text")


@pytest.mark.parametrize(
    "path",
    [
        *("R R", "U U R R D", "U U R R D D D", "L R U U R R", "U R R R D D"),
        *("U U U R R D D", "U U R R", "D D R R D D", "", "G"),
    ],
)
def test_walls_borders_and_other_ends_are_wrong(path):
    assert not FAMILY.check(RING, path, "text")


@pytest.mark.parametrize("path", ["↗ ↘", "UR DR", "up-right, down-right", "NE SE", "U U RD"])
def test_there_is_no_diagonal_move(path):
    assert not FAMILY.check(MazeInstance(("..G", ".#.", "S#.")), path, "text")


READ = """U U R R D D|UURRDD|u u r r d d|U, U, R, R, D, D.|U → U → R → R → D → D|U->U->R->R->D->D
    |up, up, right, right, down, down|Go up, then up, then right, right, down and down.
    |↑ ↑ → → ↓ ↓|↑↑→→↓↓|The shortest path is **U U R R D D**.|(U U R R D D)|`UURRDD`|U-U-R-R-D-D
    |[U, U, R, R, D, D]|["U", "U", "R", "R", "D", "D"]|['up', 'up', 'right', 'right', 'down', 'down']
    |[UURRDD]|$U \\to U \\to R \\to R \\to D \\to D$|$\\uparrow\\uparrow\\rightarrow\\rightarrow\\downarrow\\downarrow$
    |⬆️⬆️➡️➡️⬇️⬇️|U U R R D D (6 moves)|The path has 6 moves: U U R R D D|S → U → U → R → R → D → D → G
    |moves = [U, U, R, R, D, D]|U > U > R > R > D > D"""  # noqa: E501
UNREAD = """not U U R|U U R or D D R|U U R?|6|U 2 R|U U R, then left or right|never U|¬U|U → ↓ R
    |udder|U U R X|U U R / D D R|[U, U] [R]|[[U, U], [R, R]]|[U, U, R][::-1]|U U R (4 moves)
    |4 moves: U U R|-U, U, R|[U, 2, R]"""


@each("path", READ.split("|"))
def test_moves_are_understood_however_they_are_written(path):
    assert FAMILY.read(path.strip(), "text") == "UURRDD"


@each("path", UNREAD.split("|"))
def test_what_is_no_single_path_is_unreadable(path):
    assert FAMILY.read(path.strip(), "text") is None


LINES = """1. Up\n2. Up\n3. Right|- U\n- U\n- R|Up\nUp\nRight|↑\n↑\n→|S.G\n.#.\n\nU U R
    |U U R\n\nThat is 3 moves.|We go up first.\n\n```\nU U R\n```\nIt ends at G.
    |U U R\nSo:\n[U, U, R]"""
OTHER_LINES = """1. U U R\n2. D D R|U U R\nD D R|1. Up\n2. or Right|U U R\n\nNo, D D R.
    |U U R\n\nThat fails.|It is not\nU U R|U U R\n\nR, R, U is as short.|U U R\n(2, 0)
    |1. Up\n2. Up\n\nU U R|U U R\n❌|Up it goes"""


@pytest.mark.parametrize("text", LINES.split("|"))
def test_one_path_on_lines_of_its_own(text):
    assert FAMILY.read_block(text.strip()) == "UUR"


@pytest.mark.parametrize("text", OTHER_LINES.split("|"))
def test_lines_that_give_two_paths_or_a_doubt_give_none(text):
    assert FAMILY.read_block(text.strip()) is None


@given(seed=st.integers(0, 10**6))
@settings(settings.get_profile("costly"))
def test_the_compact_solution_is_short_and_lists_neighbouring_layers(seed):
    instance = FAMILY.sample(random.Random(seed))
    trace = FAMILY.trace(instance, "compact", random.Random(0))
    assert len(trace.split()) <= LONGEST_TRACE
    layers = [layer.split() for layer in trace.rstrip(" .").split(" . ")]
    cells = [list(zip(layer[::2], layer[1::2], strict=True)) for layer in layers]
    for nearer, layer in pairwise(cells):
        for r, c in layer:
            assert any(abs(ord(r) - ord(x)) + abs(ord(c) - ord(y)) == 1 for x, y in nearer)
    assert len(layers) - 1 == len(FAMILY.answer(instance, "compact").split())


def test_a_constant_guess_is_seldom_right():
    instances = drawn(200, "compact")
    guesses = {FAMILY.answer(instance, "compact") for instance in instances[:15]}
    for guess in guesses:
        assert sum(FAMILY.check(instance, guess, "compact") for instance in instances) <= 16


def test_the_number_of_moves_is_no_answer():
    for instance in drawn(20):
        count = FAMILY.difficulty(instance).split()[0]
        assert FAMILY.read(count, "text") is None


def test_the_key_is_the_grid():
    assert FAMILY.key(RING) == "maze|...|.#.|S#G|.#.|..."
    mirrored = MazeInstance(tuple(row[::-1] for row in RING.rows))
    assert FAMILY.key(mirrored) != FAMILY.key(RING)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["S#G", "###"], "no path"),
        (["S..", "..."], "0 cells are G"),
        (["S.S", "..G"], "2 cells are S"),
        (["S.G", ".."], "of one length"),
        (["S.G"], "two or more"),
        (["S`G", "..."], "of S, G, # and dots"),
        ([], "two or more"),
    ],
)
def test_what_is_no_maze_is_refused_with_the_reason(rows, message):
    with pytest.raises(VerifierError, match=message):
        FAMILY.load({"rows": rows})


def test_a_maze_given_as_data_is_checked_like_our_own():
    instance = FAMILY.load({"rows": ["." * 30, "S" + "#" * 28 + "G"]})
    assert FAMILY.check(instance, "U" + "R" * 29 + "D", "text")
    assert not FAMILY.check(instance, "R" * 29, "text")
