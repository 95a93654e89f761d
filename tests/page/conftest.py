"""What tests of the film share."""

import pytest
from fusedfacts.documents import canonical_json
from support import device_page, film_page, site_server
from support.common import PUBLISHED


@pytest.fixture(scope="session")
def film():
    """The published film.json."""
    return canonical_json.read(PUBLISHED / "film.json")


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
