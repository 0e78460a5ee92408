from estimates import Estimate
from ui import numbers


def test_numbers_are_written_the_same_way_everywhere() -> None:
    assert numbers.count(20_000) == "20,000"
    assert numbers.decimal(0.64549) == "0.645"
    assert numbers.percent(0.4123) == "41.2\u00a0%"
    assert numbers.interval(0.6, 0.69) == "0.600\u20130.690"
    assert numbers.percent_interval(0.401, 0.423) == "40.1\u201342.3\u00a0%"


def test_what_cannot_be_computed_is_no_number() -> None:
    assert numbers.decimal(None) == numbers.MISSING
    assert numbers.percent(None) == numbers.MISSING
    assert numbers.interval(None, 0.5) == ""
    assert numbers.in_words("no_values") == "no values"


def test_beside_a_value_stand_its_interval_and_its_n() -> None:
    estimate = Estimate(value=0.5, low=0.4, high=0.6, n=1200)
    assert numbers.beside(estimate, "queries") == "0.400\u20130.600 \u00b7 n = 1,200 queries"
    one = Estimate(value=0.5, n=1, reason="one_value_has_no_interval")
    assert numbers.beside(one, "queries") == "one value has no interval \u00b7 n = 1 queries"
