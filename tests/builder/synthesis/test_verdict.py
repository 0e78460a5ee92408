"""The rule of acceptance on counts: pure, without a workspace."""

import pytest
from scipy.stats import binom

from builder.settings import SynthesisSettings
from builder.synthesis.experts import AGREES, CANNOT_JUDGE, DISAGREES, GONE, WAITING, Unit
from builder.synthesis.validation_words import Standing, in_words, without_validation
from builder.synthesis.verdict import Verdict, decide

RULE = SynthesisSettings()
NOTHING = Standing(accepted=0, not_asked=0, set_aside=0, unfinished=0, later=0, changed=0)


def units(stratum: str, agree: int, disagree: int = 0, **others: int) -> list[Unit]:
    """Drawn queries of a stratum, so many of each kind, and as many that were not drawn."""
    said = [AGREES] * agree + [DISAGREES] * disagree
    said += [kind for kind, n in others.items() for _ in range(n)]
    grades = {AGREES: 2, DISAGREES: 0}
    drawn = [
        _unit(f"{stratum}-{at}", stratum, kind, grades.get(kind)) for at, kind in enumerate(said)
    ]
    return drawn + [_unit(f"{stratum}+{at}", stratum, None, None) for at in range(len(said))]


def _unit(query_id: str, stratum: str, said: str | None, grade: int | None) -> Unit:
    return Unit(
        query_id,
        f"of {query_id}",
        stratum,
        0.5,
        said is not None,
        synthetic=2,
        grade=grade,
        said=said,
        stands=said != GONE,
        is_given_up=said == CANNOT_JUDGE,
        is_unfinished=False,
        is_set_aside=False,
        is_asked=True,
    )


def said(verdict: Verdict, **more: int) -> tuple[str, str]:
    return in_words(verdict, RULE, Standing(**{**_fields(NOTHING), **more}))


def _fields(standing: Standing) -> dict[str, int]:
    return {name: getattr(standing, name) for name in Standing.__dataclass_fields__}


@pytest.mark.parametrize(
    ("agree", "n", "verdict"),
    [
        (24, 30, "accept"),  # .80 [.627, .905]
        (23, 30, "reject"),  # .77 [.591, .882]
        (6, 6, "accept"),  # [.610, 1]: the fewest that can show it
        (5, 5, "reject"),  # [.566, 1]
        (130, 200, "reject"),  # .65 [.582, .713]: ends below .8, so it is left out
        (150, 200, "accept"),  # .75 [.686, .805]
    ],
)
def test_one_stratum_is_accepted_where_its_interval_begins_high_enough(
    agree: int, n: int, verdict: str
) -> None:
    found = decide(units("question", agree, n - agree), RULE)
    assert found.verdict == verdict
    assert found.accepted_strata == (["question"] if verdict == "accept" else [])


def test_a_stratum_that_is_surely_not_good_is_left_out() -> None:
    # 3 of 12 ends at .532; the others are 24 of 24 and 5 of 6.
    every = units("question", 24) + units("keyword", 3, 9) + units("misspelt", 5, 1)
    found = decide(every, RULE)
    assert found.verdict == "accept_strata"
    assert found.accepted_strata == ["misspelt", "question"]
    assert found.states == {
        "question": "accepted",
        "keyword": "left_out",
        "misspelt": "accepted_with_the_set",
    }
    sentence, following = said(found, accepted=60)
    assert sentence == (
        "Experts find the document relevant for 29 of 30 queries (.97, 95 % interval .83 to .99) "
        "of misspelt and question: safely above .60, so those of these 60 queries may count "
        "as relevant unseen. Left out: keyword (3 of 12)."
    )
    assert following.startswith("Export with the accepted queries, and do without keyword")


def test_few_of_a_stratum_do_not_condemn_it() -> None:
    # 3 of 6 ends at .812: it may be good, and the whole is.
    found = decide(units("question", 24) + units("keyword", 3, 3), RULE)
    assert (found.verdict, found.accepted_strata) == ("accept", ["keyword", "question"])


def test_while_anybody_is_waited_for_nothing_counts() -> None:
    found = decide(units("question", 24, 5, **{WAITING: 1}), RULE)
    assert (found.verdict, found.accepted_strata) == ("wait", [])
    assert said(found) == (
        "29 of 30 drawn queries are settled so far: experts find the document relevant for 24 of "
        "29 queries (.83, 95 % interval .65 to .92).",
        "Have 1 more pair graded by experts.",
    )
    one = decide(units("question", 0, **{WAITING: 1}), RULE)
    assert said(one)[0] == "0 of 1 drawn query is settled so far."
    nobody = decide(units("question", 0, **{WAITING: 3}), RULE)
    assert said(nobody, not_asked=1, set_aside=1) == (
        "0 of 3 drawn queries are settled so far.",
        "Decide what becomes of 1 query that raters found unclear or out of scope, on the page "
        "Queries; draw the validation again: the documents of 1 query were taken out of the pool; "
        "have 1 more pair graded by experts.",
    )


def test_what_nobody_can_judge_is_settled_but_too_much_of_it_does_not_pass() -> None:
    few = decide(units("question", 24, 4, **{CANNOT_JUDGE: 2}), RULE)
    assert few.verdict == "accept"  # 24 of 30, were the two against it
    assert "2 documents nobody could judge" in said(few, accepted=58)[0]
    many = decide(units("question", 20, **{CANNOT_JUDGE: 10}), RULE)
    assert many.verdict == "wait"  # 20 of 30 begins at .488, and an analyst can decide on them
    sentence, following = said(many)
    assert "of 10 documents experts could not say it" in sentence
    assert "the share might be .49, below .60" in sentence
    assert following.startswith("Decide on the 10 pairs that raters cannot judge")


def test_retiring_what_was_drawn_does_not_help() -> None:
    found = decide(units("question", 20, **{GONE: 10}), RULE)
    assert found.verdict == "reject"
    sentence, following = said(found)
    assert "10 queries of the drawn ones were retired or rewritten" in sentence
    assert following == "Draw a new validation from the queries as they are now."


def test_where_more_grades_might_show_it_it_is_said_how_many() -> None:
    more = [_unit(f"more-{at}", "question", None, None) for at in range(20)]
    sentence, following = said(decide(units("question", 15, 5) + more, RULE))
    assert sentence == (
        "Experts find the document relevant for 15 of 20 queries (.75, 95 % interval .53 to .89): "
        "that may be as little as .53, below .60, so no grade of a synthetic query counts unseen."
    )
    # .75 of 40 begins at .598, of 44 at .606.
    assert "about 45 queries in all may show" in following
    assert "draw all of them" in said(decide(units("question", 15, 5), RULE))[1]


def test_where_none_is_good_nothing_counts() -> None:
    found = decide(units("keyword", 2, 18) + units("question", 4, 16), RULE)
    assert (found.verdict, found.rest.graded) == ("reject", 0)
    sentence, following = said(found)
    assert "no grade of a synthetic query counts unseen" in sentence
    assert sentence.endswith("Left out: keyword (2 of 20), question (4 of 20).")
    assert "mend the prompts" in following


def test_a_stratum_that_nobody_could_grade_is_left_out() -> None:
    found = decide(units("question", 24, 2) + units("technical", 0, **{CANNOT_JUDGE: 4}), RULE)
    assert (found.verdict, found.accepted_strata) == ("accept_strata", ["question"])
    assert "technical (none graded)" in said(found)[0]


def test_what_may_change_it_is_said_beside() -> None:
    found = decide(units("question", 24, 6), RULE)
    sentence, following = said(found, accepted=57, unfinished=1, later=12, changed=3)
    assert sentence.endswith("3 queries not drawn changed since and do not count.")
    assert sentence.startswith("Provisional: 30 graded, 29 complete, and further grades may change")
    assert following.startswith("1 pair still wants a further grade first. Export")
    assert "12 queries came after the drawing: draw again to have them count." in following


def test_without_a_validation_the_next_step_is_to_draw_one() -> None:
    assert without_validation(0)[1].startswith("Generate queries")
    sentence, following = without_validation(100)
    assert "whether 100 queries" in sentence
    assert following.startswith("Draw a validation")


@pytest.mark.parametrize("n", [10, 25, 30, 60, 100, 300])
def test_a_set_of_the_least_agreement_seldom_passes(n: int) -> None:
    """The rule is a test at 2.5 %, one-sided, by Wilson's approximation; binomial, exactly."""
    fewest = next(
        agree
        for agree in range(n + 1)
        if decide(units("question", agree, n - agree), RULE).verdict == "accept"
    )
    assert binom.sf(fewest - 1, n, RULE.least_agreement) < 0.035
    assert binom.sf(fewest - 1, n, 0.9) > (0.95 if n >= 25 else 0.3)
