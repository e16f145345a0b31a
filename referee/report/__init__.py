"""What a person or another program reads of matches and runs: sentences, tables, exports, the page."""
