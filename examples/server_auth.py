"""Who may use a LangGraph server with readgraph's graphs, and that each user has documents of their own.

A line of langgraph.json turns it on:

    "auth": {"path": "examples/server_auth.py:auth"}

Users send "Authorization: Bearer TOKEN". Which token is whose stands in the environment variable READGRAPH_USERS, as in
{"token": "ada@example.com"}; ask your own service for that instead. readgraph takes the user's identity as the
namespace of a run, whatever the client says, so no question, list or search shows anything of another user.
"""

import json
import os
from typing import Any

from langgraph_sdk import Auth

auth = Auth()
USERS: dict[str, str] = json.loads(os.environ.get("READGRAPH_USERS", "{}"))


@auth.authenticate
async def find_user(authorization: str | None) -> Auth.types.MinimalUserDict:
    """The user of this token; others are turned away."""
    token = (authorization or "").removeprefix("Bearer ")
    if token not in USERS:
        raise Auth.exceptions.HTTPException(status_code=401, detail="There is no user with this token.")
    return {"identity": USERS[token]}


@auth.on
async def keep_apart(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> dict[str, str]:
    """Threads and runs belong to who began them."""
    owner = {"owner": ctx.user.identity}
    value.setdefault("metadata", {}).update(owner)
    return owner


@auth.on.assistants
async def show_assistants(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> None:
    """The graphs are there for everybody; nobody changes them."""
    if ctx.action not in ("read", "search"):
        raise Auth.exceptions.HTTPException(status_code=403, detail="Assistants can't be changed here.")


@auth.on.store
async def close_store(ctx: Auth.types.AuthContext, value: dict[str, Any]) -> None:
    """The store holds what all users have read: only the graphs look into it."""
    raise Auth.exceptions.HTTPException(status_code=403, detail="The store is only for the graphs.")
