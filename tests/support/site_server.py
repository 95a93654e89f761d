"""The lesson's page as a static host serves it: from one folder, each file with its type."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "workflow" / "page"
PUBLISHED = ROOT / "media" / "school" / "fused"
TYPES = {
    ".js": "text/javascript",
    ".mjs": "text/javascript",
    ".wasm": "application/wasm",
    ".json": "application/json",
    ".wgsl": "text/plain",
    ".vtt": "text/vtt",
    ".svg": "image/svg+xml",
}


def assemble(folder: Path) -> Path:
    """The page's sources with the kernels and the published files, as a run lays them out."""
    shutil.copytree(PUBLISHED, folder, dirs_exist_ok=True)
    shutil.copytree(PAGE, folder, dirs_exist_ok=True)
    (folder / "kernels").mkdir(exist_ok=True)
    for path in ROOT.glob("kernels/*.[wj]*"):
        shutil.copy(path, folder / "kernels")
    return folder


class Handler(http.server.SimpleHTTPRequestHandler):
    """Silent, and sure of types whatever the machine's own table says."""

    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, **TYPES}  # noqa: RUF012

    def log_message(self, *_):
        """Say nothing."""


class Server(http.server.ThreadingHTTPServer):
    """Silent, too, when a browser closes a connection before its answer is written."""

    def handle_error(self, *_):
        """Say nothing."""


@contextmanager
def served(folder: Path):
    """The address of a server for a folder, on this machine alone."""
    handler = functools.partial(Handler, directory=str(folder))
    server = Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()
