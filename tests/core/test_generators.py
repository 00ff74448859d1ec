import pytest

from reckless.core.generators import answered, relayed


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
