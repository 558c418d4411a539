"""All endpoints in one application."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import asdict

from mcp.server.mcpserver import MCPServer
from mcp.server.transport_security import RequestBodyLimitMiddleware
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from stages.sandbox.pool import Pool
from stages.sandbox.rows import LANGUAGES
from stages.sandbox.service import bodies, metrics, selftest
from stages.sandbox.service.access import Access
from stages.sandbox.service.bounds import LARGEST
from stages.sandbox.service.desk import Desk
from stages.sandbox.service.fusion import RunCode
from stages.sandbox.service.mcp_tools import security, server
from stages.sandbox.service.programs import Programs
from stages.sandbox.service.sessions import SessionFactory, SessionRoutes, Sessions


def build(
    desk: Desk,
    counts: metrics.Metrics,
    tokens: tuple[str, ...] = (),
    names: tuple[str, ...] = (),
    start: SessionFactory | None = None,
    test: Callable[[Pool], str] = selftest.problem,
) -> Starlette:
    """The application over a desk.

    ``tokens``: who may ask; none: this machine alone. ``names``: hosts under which MCP clients call
    it, beside this machine's own. ``start``: opens a session; None: there are none.
    ``test``: what is wrong with the pool.
    """
    programs, sessions = Programs(desk), Sessions(start, desk.bounds, counts)
    tools = server(desk, programs, sessions, shells=start is not None)
    mcp = tools.streamable_http_app(
        streamable_http_path="/mcp",
        json_response=True,
        stateless_http=True,
        max_request_body_size=desk.bounds.body_bytes,
        transport_security=security(names),
    )
    shells = SessionRoutes(sessions, desk.bounds)
    readiness = selftest.Readiness(lambda: desk.apart(test))
    routes = [
        Route("/health", _health),
        Route("/ready", _ready(readiness)),
        Route("/metrics", _metrics(counts)),
        Route("/v1/limits", _limits(desk)),
        Route("/run_code", RunCode(desk).__call__, methods=["POST"]),
        Route("/v1/check", programs.check, methods=["POST"]),
        Route("/v1/run", programs.run, methods=["POST"]),
        Route("/v1/sessions", shells.open, methods=["POST"]),
        Route("/v1/sessions/{name}/run", shells.run, methods=["POST"]),
        Route("/v1/sessions/{name}", shells.close, methods=["DELETE"]),
        *mcp.routes,
    ]

    def fault(request: Request, error: Exception) -> Awaitable[Response] | Response:
        if isinstance(error, HTTPException):
            counts.refused.labels(str(error.status_code)).inc()
        return bodies.fault(request, error)

    return Starlette(
        routes=routes,
        middleware=[
            Middleware(Access, tokens=tokens),
            Middleware(RequestBodyLimitMiddleware, max_body_size=desk.bounds.body_bytes),
        ],
        exception_handlers={HTTPException: fault},
        lifespan=_lifespan(tools, sessions, desk),
    )


def _lifespan(
    tools: MCPServer, sessions: Sessions, desk: Desk
) -> Callable[[Starlette], contextlib.AbstractAsyncContextManager[None]]:
    @contextlib.asynccontextmanager
    async def living(_: Starlette) -> AsyncIterator[None]:
        sweeping = asyncio.create_task(sessions.sweep())
        try:
            async with tools.session_manager.run():
                yield
        finally:
            sweeping.cancel()
            await sessions.close_all()
            desk.close()

    return living


async def _health(_: Request) -> Response:
    """Alive: the event loop answers."""
    return JSONResponse({"status": "alive"})


def _ready(readiness: selftest.Readiness) -> Callable[[Request], Awaitable[Response]]:
    async def ready(_: Request) -> Response:
        problem = await readiness.problem()
        if problem:
            return JSONResponse({"status": "not ready", "reason": problem}, 503)
        return JSONResponse({"status": "ready"})

    return ready


def _metrics(counts: metrics.Metrics) -> Callable[[Request], Awaitable[Response]]:
    async def read(_: Request) -> Response:
        return Response(counts.text(), media_type=metrics.CONTENT_TYPE)

    return read


def _limits(desk: Desk) -> Callable[[Request], Awaitable[Response]]:
    """What a client must know to split its work."""

    async def read(_: Request) -> Response:
        bounds = desk.bounds
        return JSONResponse(
            {
                "rows": bounds.to_check,
                "runs": bounds.to_run,
                "body_bytes": bounds.body_bytes,
                "seconds": bounds.seconds,
                "largest": asdict(LARGEST),
                "languages": list(LANGUAGES),
            }
        )

    return read
