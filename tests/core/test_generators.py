from contextlib import contextmanager

import pytest

from reckless.core.generators import answered, relayed, within


def sum_of_squares(numbers):
    """Ask for the square of each number; return their sum."""
    total = 0
    for number in numbers:
        total += yield number
    return total


def square(number):
    return number * number


def ask_for_square(number):
    """Ask twice for what a square is made of."""
    first = yield "factor", number
    second = yield "factor", number
    return first * second


def test_a_search_is_answered_to_its_end():
    assert answered(sum_of_squares([1, 2, 3]), square) == 14


def test_a_search_that_asks_nothing_is_answered_too():
    assert answered(sum_of_squares([]), square) == 0
    assert answered(relayed(sum_of_squares([]), ask_for_square), square) == 0


def test_a_relayed_search_lets_the_larger_one_ask():
    asked = []

    def answer(request):
        asked.append(request)
        return request[1]

    assert answered(relayed(sum_of_squares([2, 5]), ask_for_square), answer) == 29
    assert asked == [("factor", 2), ("factor", 2), ("factor", 5), ("factor", 5)]


def test_a_stop_iteration_of_the_answering_function_is_not_the_end_of_the_search():
    def answer(number):
        raise StopIteration("mine")

    with pytest.raises(StopIteration, match="mine"):
        answered(sum_of_squares([1, 2]), answer)


def test_a_larger_search_may_give_up_in_the_middle():
    closed = []

    def search():
        try:
            yield 1
        finally:
            closed.append(True)

    def give_up(request):
        raise ArithmeticError("enough")
        yield

    with pytest.raises(ArithmeticError, match="enough"):
        answered(relayed(search(), give_up), square)
    assert closed == [True]


class Room:
    """A context that knows whether somebody is inside, and how often somebody was."""

    def __init__(self):
        self.is_inside, self.n_visits = False, 0

    @contextmanager
    def visit(self):
        self.is_inside, self.n_visits = True, self.n_visits + 1
        try:
            yield
        finally:
            self.is_inside = False


def test_each_step_of_a_search_is_within_the_context_and_the_answers_are_not():
    room, seen = Room(), []

    def search():
        total = 0
        for number in (2, 5):
            seen.append(room.is_inside)
            total += yield number
        seen.append(room.is_inside)
        return total

    def answer(number):
        seen.append(room.is_inside)
        return square(number)

    assert answered(within(search(), room.visit), answer) == 29
    assert seen == [True, False, True, False, True]
    assert room.n_visits == 3


def test_a_search_within_a_context_is_closed_with_the_larger_one():
    closed = []

    def search():
        try:
            yield 1
        finally:
            closed.append(True)

    outer = within(search(), Room().visit)
    assert next(outer) == 1
    outer.close()
    assert closed == [True]


def test_an_error_of_a_search_leaves_the_context_and_is_not_lost():
    room = Room()

    def search():
        yield 1
        raise ArithmeticError("enough")

    with pytest.raises(ArithmeticError, match="enough"):
        answered(within(search(), room.visit), square)
    assert not room.is_inside
