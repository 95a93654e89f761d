"""What tests of the film share."""

import json

import pytest
from support import device_page, film_page, golden, site_server


@pytest.fixture(scope="session")
def address(tmp_path_factory):
    """A site with a page that shows the film alone."""
    folder = site_server.assemble(tmp_path_factory.mktemp("film"))
    film_page.lay(folder)
    with site_server.served(folder) as found:
        yield found


@pytest.fixture(scope="session")
def chip(chromium, site):
    """A page with an open chip, whose compiled kernels all tests share."""
    with device_page.visited(chromium, site) as page:
        page.evaluate(device_page.OPEN)
        yield page


@pytest.fixture(scope="session")
def vectors(tmp_path_factory):
    """The file of the golden vectors, as Python computes them now."""
    path = tmp_path_factory.mktemp("golden") / "page.json"
    path.write_text(json.dumps(golden.vectors()), encoding="utf-8")
    return path
