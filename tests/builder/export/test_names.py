import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.errors import BuilderError
from builder.export import check_task_name


@pytest.mark.parametrize(
    "name", ["shop", "shop-search_2026.v2", "7", "_x", "a" * 100, "confluence", "draft-2", "-x"]
)
def test_plain_names(name: str) -> None:
    assert check_task_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "a\\b",
        "/etc",
        "C:x",
        ".hidden",
        "a..b",
        "a.",
        "a b",
        "a\n",
        "a\x00b",
        "con",
        "CON",
        "nul.txt",
        "Com1",
        "lpt9.tar.gz",
        "a" * 101,
        "käse",
        "\N{GRINNING FACE}",
        "shop@2",
        "draft",
        "Draft",
        "a\u202eb",
    ],
)
def test_names_that_no_task_can_have(name: str) -> None:
    with pytest.raises(BuilderError, match="a task cannot be called"):
        check_task_name(name)


@given(st.text(max_size=12) | st.text(alphabet="./\\aCON@-", max_size=8))
def test_an_accepted_name_is_one_plain_part_of_a_path(name: str) -> None:
    try:
        check_task_name(name)
    except BuilderError:
        return
    assert name.isascii()
    assert not set(name) & set("/\\:@ \n\x00")
    assert not name.startswith(".")
