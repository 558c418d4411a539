"""What stands in requests, read strictly: a fault says which row and what it lacks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from stages.base.errors import DataError
from stages.base.jsonl import json_type
from stages.sandbox import check
from stages.sandbox.rows import Task
from stages.sandbox.service.bounds import refuse_large

T = TypeVar("T")
GONE = 499  # what nobody reads: the client went away
Row = dict[str, Any]


async def read_object(request: Request) -> Row:
    """The body, a JSON object; 400 if it is none, 499 if it never ends."""
    try:
        body = await request.body()
    except ClientDisconnect:
        raise HTTPException(GONE, "The client went away.") from None
    try:
        found = json.loads(body, parse_constant=_refuse_constant)
    except RecursionError:
        raise HTTPException(400, "The body is nested too deeply.") from None
    except ValueError as error:
        raise HTTPException(400, f"The body is not JSON ({error}).") from error
    if not isinstance(found, dict):
        raise HTTPException(400, f"The body must be a JSON object, not {json_type(found)}.")
    return found


def read_rows(body: Row, most: int) -> list[Row]:
    """One row, or those under ``rows``; 422 if there are none or more than ``most``."""
    rows = body.get("rows", [body])
    if not isinstance(rows, list) or not rows:
        raise HTTPException(422, "'rows' must be a list of rows, at least one.")
    if len(rows) > most:
        raise HTTPException(422, f"{len(rows)} rows in one request; at most {most} are taken.")
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            raise HTTPException(422, f"row {number} must be an object, not {json_type(row)}.")
    return rows


def to_check(rows: list[Row]) -> list[Task]:
    """Rows with tests as tasks; 422 names the row and what is wrong with it."""

    def parse(row: Row) -> Task:
        if fault := check.fault(row):
            raise DataError(fault)
        return Task.parse({**row, "id": str(row["id"])})

    return _tasks(rows, parse)


def to_run(rows: list[Row]) -> list[Task]:
    """Rows with one input as tasks; 422 names the row and what is wrong with it."""
    return _tasks(rows, lambda row: Task.to_run({**row, "id": str(row.get("id", ""))}))


def _tasks(rows: list[Row], parse: Callable[[Row], Task]) -> list[Task]:
    tasks = list[Task]()
    for number, row in enumerate(rows):
        try:
            tasks.append(parse(row))
        except (DataError, RecursionError) as error:
            named = f" (id {row['id']!r})" if "id" in row else ""
            raise HTTPException(422, f"row {number}{named}: {error}") from error
    refuse_large(tasks)
    return tasks


def answer(found: Row, status: int = 200) -> Response:
    """JSON in ASCII: what a program prints may hold bytes that are no text."""
    text = json.dumps(found, ensure_ascii=True, allow_nan=False)
    return Response(text, status, media_type="application/json")


async def attended(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """``work``, given up when the client goes away; the body must have been read."""
    doing = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait({doing, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            raise HTTPException(GONE, "The client went away.")
        return doing.result()
    finally:
        for one in (doing, leaving):
            one.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def fault(_: Request, error: Exception) -> Awaitable[Response] | Response:
    """An HTTPException as JSON."""
    assert isinstance(error, HTTPException)
    found = answer({"error": error.detail}, error.status_code)  # it may quote what is no text
    found.headers.update(error.headers or {})
    return found


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON number")
