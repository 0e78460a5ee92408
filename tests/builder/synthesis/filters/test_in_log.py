"""What people typed already is found by its key, or by its near form."""

from builder.synthesis.filters.in_log import Asked, InLog, found_in_log, in_log


def test_queries_of_the_log_are_found_and_their_searches_added() -> None:
    asked = {
        1: Asked("printer reset", "Printer reset", "en"),
        2: Asked("reset printers", "reset printers", "en"),
        3: Asked("scanner", "scanner", "en"),
    }
    log = [("printer reset", 5), ("reset printer", 3), ("plotter", 2)]

    found = found_in_log(asked, iter(log))

    assert found == {1: InLog(5, 3), 2: InLog(0, 8)}


def test_the_detail_tells_how_often_and_not_in_which_words() -> None:
    assert in_log(InLog(1200, 3)).detail == "searched for 1,200 times already"
    assert in_log(InLog(0, 8)).detail == "searched for 8 times in nearly the same words"
