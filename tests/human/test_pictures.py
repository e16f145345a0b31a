"""The pictures of the README are what the command makes now, and need nothing from elsewhere."""

import re
from xml.etree import ElementTree

import pytest
from pictures import PICTURES, ROOT, picture


@pytest.mark.parametrize("game", PICTURES)
def test_picture_is_up_to_date_and_self_contained(game: str) -> None:
    made = picture(*PICTURES[game])
    assert (ROOT / "docs" / f"{game}.svg").read_text() == made, "run: python -m tests.human.pictures"
    ElementTree.fromstring(made)
    assert re.findall(r"https?://[^\"]+", made) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"<script|<image|@font-face|href", made)
