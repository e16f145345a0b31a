"""Its fourth answer is no action; all the others are legal."""

from _kit import requests, say

for count, (number, legal) in enumerate(requests()):
    say(f"move {number} {'knok' if count == 3 else legal[0]}")
