"""Every reason and flag of a filter has its words, on pages and at the terminal."""

from builder.synthesis.filtering import FLAGS, REASONS
from terminal import synth_output
from ui.synthesis import words


def test_what_a_filter_says_has_words() -> None:
    assert set(words.REASONS) == set(synth_output._REJECTED) == set(REASONS)
    assert set(words.FLAGS) == set(synth_output._FLAGGED) == set(FLAGS)
