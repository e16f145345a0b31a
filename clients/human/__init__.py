"""The human client: a person plays SCAT or SCOUT in a shell.

Theory of operation. A referee runs as a child and speaks the protocol over pipes (child.py). Its lines make a
`Model` (play.hear), keys change the Model (play.key), typed commands change it too (play.command): three pure
functions that return the new Model and the effects wanted. `screen.screen` turns a Model into rows of text, also
purely. Two thin shells stand around them: app.py paints rows in a terminal with prompt_toolkit, linear.py prints
sentences. What a person sees and types counts from 1, the wire counts from 0: grammar.py alone translates.
"""
