"""Pages of the server as files: each page, and the styles and scripts of several packages joined to one each."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from fastapi import FastAPI, Request
from fastapi.responses import Response

Assets = tuple[tuple[str, tuple[str, ...]], ...]
"""Packages, and the names of files in their `assets`, without the ending: they are joined in this order."""


@cache
def read_page(path: str, name: str, package: str, styles: Assets, scripts: Assets) -> dict[str, tuple[str, str]]:
    """The `index.html` of a package, its style and its script, which the page names: texts and types, by paths."""
    page = files(package).joinpath("assets", "index.html").read_text(encoding="utf-8")
    return {
        path: (page, "text/html"),
        f"/assets/{name}.css": (_join_assets(styles, "css"), "text/css"),
        f"/assets/{name}.js": (f"(() => {{\n{_join_assets(scripts, 'js')}}})();\n", "text/javascript"),
    }


def _join_assets(assets: Assets, ending: str) -> str:
    joined = [files(package).joinpath("assets", f"{name}.{ending}") for package, names in assets for name in names]
    return "\n".join(file.read_text(encoding="utf-8") for file in joined)


def serve_page(app: FastAPI, page: Mapping[str, tuple[str, str]]) -> None:
    """Serve the files of a page at their paths."""

    async def page_file(request: Request) -> Response:
        text, kind = page[request.url.path]
        return Response(text, media_type=kind)

    for path in page:
        app.get(path, include_in_schema=False)(page_file)
