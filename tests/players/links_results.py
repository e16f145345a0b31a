"""It puts a link to the results into its own folder."""

import os

from _attack import AIMS, attack


def link() -> str:
    os.link(AIMS["results"], "mine")
    return "linked"


attack(link)
