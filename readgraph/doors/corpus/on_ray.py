"""Workers that Ray places, on this machine or on a cluster: the extra `ray`.

Ray restarts workers that end, repeats what they were reading, and shows all in its dashboard. What it learns of a job
may be seen there and in its logs, so no key is in it: workers take keys from their own environment.
"""

import asyncio
import importlib
import logging
import os
import secrets
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import cached_property
from typing import Any

from readgraph import __version__
from readgraph.doors.corpus.reading import Workers
from readgraph.doors.corpus.worker import (
    TRIES,
    CorpusJob,
    Worker,
    WorkerEnded,
    WorkerReport,
    failure_report,
    read_document,
)
from readgraph.library.address import LibraryAddress, default_place
from readgraph.library.opening import BackgroundLibrary, open_library_in_background
from readgraph.state.errors import BadInput, LibraryError

OBJECT_BYTES = 80 * 1024 * 1024  # Ray's shared memory on a cluster of our own: only names and lines are sent

QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",  # nothing is reported to anybody
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # else it warns of a change to come
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",  # else `uv run` would have it copy the folder and install anew
    "RAY_DEDUP_LOGS_SKIP_REGEX": "(?s).*",  # else it prints to standard output, between our lines
}  # what Ray is told by environment variables, unless the user tells it otherwise

HERE = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_AUTH_MODE": "token"}  # our own cluster listens here alone


def on_ray(job: CorpusJob, workers: int | None, address: str | None) -> Workers:
    """So many workers of the Ray cluster at this address, or of one that ends with the `with`; raises `BadInput`."""
    place = str(job.library or default_place())
    if isinstance(job.library, LibraryAddress):  # it goes by the environment, since it may have a password
        has_password = job.library.names_password or "password=" in job.library.full
        if has_password and any(job.library.full in given for given in sys.argv):
            raise BadInput(
                "Ray keeps the line of a command, and this one has a password: put the library's address into "
                "READGRAPH_LIBRARY instead of --library."
            )
        os.environ["READGRAPH_LIBRARY"] = job.library.full
        job = replace(job, library=None)
    return _workers_of_cluster(job, place, workers, address)


@asynccontextmanager
async def _workers_of_cluster(
    job: CorpusJob, place: str, workers: int | None, address: str | None
) -> AsyncIterator[Sequence[Worker]]:
    token = {} if "RAY_AUTH_TOKEN_PATH" in os.environ else {"RAY_AUTH_TOKEN": secrets.token_hex(32)}
    for name, value in {**QUIET, **({} if address else HERE | token)}.items():
        os.environ.setdefault(name, value)
    try:
        ray = importlib.import_module("ray")
    except ImportError:
        raise BadInput("Ray is not installed: pip install 'readgraph[ray]'") from None
    await asyncio.to_thread(_start, ray, workers, address)
    actors: list[Any] = []
    try:
        many = workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        # One more than the files: a worker says that it is ready while it reads.
        made = ray.remote(num_cpus=1, max_restarts=-1, max_task_retries=TRIES, max_concurrency=job.at_once + 1)(
            _RayActor
        )
        actors += [made.remote(job, __version__) for _ in range(many)]
        yield [_RayWorker(ray, actor, place) for actor in actors]
    finally:
        for actor in actors:
            with suppress(Exception):  # such as: the cluster has gone
                ray.kill(actor)
        await asyncio.to_thread(ray.shutdown)


def _start(ray: Any, workers: int | None, address: str | None) -> None:
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address:
        try:
            ray.init(address=address, **quiet)
        except Exception as problem:
            what = str(problem).partition("\n")[0]
            raise BadInput(f"No Ray cluster can be used at {address}: {what}") from None
        return
    here = {"num_cpus": workers, "include_dashboard": False, "object_store_memory": OBJECT_BYTES}
    for last in (False, False, True):  # it gives itself 30 seconds, which a busy machine may exceed
        try:
            ray.init(address="local", **here, **quiet)
            return
        except Exception as problem:
            ray.shutdown()
            what = str(problem).partition("\n")[0]
            if last:
                raise BadInput(f"Ray can't be started here: {what}") from None


class _RayActor:
    def __init__(self, job: CorpusJob, version: str) -> None:
        self.job, self.version = job, version

    @cached_property
    def library(self) -> BackgroundLibrary:
        return open_library_in_background(self.job.library)

    async def ready(self) -> tuple[str, str, int]:
        """The version of the worker's readgraph, its library without a password, the number of its process."""
        return __version__, str(self.job.library or default_place()), os.getpid()

    async def read(self, file: str, max_calls: int | None) -> WorkerReport:
        try:
            library = self.library
        except LibraryError as problem:
            return failure_report(file, str(problem), stops=str(problem))
        return await read_document(library, self.job, file, max_calls)


class _RayWorker:
    def __init__(self, ray: Any, actor: Any, library: str) -> None:
        self.ray, self.actor, self.library = ray, actor, library
        self.begun, self.process_id = actor.ready.remote(), 0

    async def ready(self) -> None:
        """Wait until it is placed, which on a full cluster is never; raises `BadInput` where it can't begin."""
        try:
            version, library, self.process_id = await self.begun
        except self.ray.exceptions.RayError as problem:
            line = str(problem).strip().splitlines()[-1]
            raise BadInput(
                f"Ray's workers can't begin ({line}): is readgraph installed on each of its nodes?"
            ) from None
        if version != __version__:
            raise BadInput(f"Ray's workers have readgraph {version}, and you {__version__}: install the same.")
        if library != self.library:
            raise BadInput(f"Ray's workers have the library {library}: set READGRAPH_LIBRARY where `ray start` runs.")

    async def read(self, file: str, max_calls: int | None) -> WorkerReport:
        """Read a file; Ray repeats it where the worker ends."""
        try:
            worker_report: WorkerReport = await self.actor.read.remote(file, max_calls)
        except self.ray.exceptions.RayActorError:
            raise WorkerEnded from None
        return worker_report
