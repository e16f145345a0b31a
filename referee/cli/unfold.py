"""Commands that take records: options that belong together are described once and travel as one value."""

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from typing import Any, TypeGuard, cast


def unfolded(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command whose parameters of a dataclass type have given way, each in its place, to the fields.

    The new signature is what typer reads; the command itself is called with the records made of what was typed. A field
    may be a record in turn. Raises ValueError when two fields share a name.
    """

    @functools.wraps(command)
    def with_records(**typed: object) -> None:
        command(**_folded(command, typed))

    signature = inspect.Signature(_fields(command))
    takes_fields = cast(Any, with_records)
    takes_fields.__signature__ = signature
    takes_fields.__annotations__ = {name: each.annotation for name, each in signature.parameters.items()}
    return with_records


def _fields(taker: Callable[..., object]) -> list[inspect.Parameter]:
    """Return the parameters of a function, or the fields of a record, with those of each record in its place."""
    fields: list[inspect.Parameter] = []
    for parameter in _parameters(taker).values():
        if _is_record(kind := parameter.annotation):
            fields += _fields(kind)
        else:
            fields.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
    return fields


def _folded(taker: Callable[..., object], typed: Mapping[str, object]) -> dict[str, object]:
    """Return the arguments that a function, or a record, takes of what was typed, records made."""
    return {
        name: kind(**_folded(kind, typed)) if _is_record(kind := parameter.annotation) else typed[name]
        for name, parameter in _parameters(taker).items()
    }


def _is_record(kind: object) -> TypeGuard[type]:
    return isinstance(kind, type) and is_dataclass(kind)


def _parameters(taker: Callable[..., object]) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(taker, eval_str=True).parameters
