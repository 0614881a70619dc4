"""The notebooks run from a checkout and draw their plots; they are stored without outputs."""

import os
import tempfile

import pytest
from conftest import SOURCE

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
Config = pytest.importorskip("traitlets.config").Config
pytest.importorskip("ipykernel")
pytest.importorskip("matplotlib")

PLOTS = {"trust.ipynb": 4, "decide.ipynb": 4, "dask.ipynb": 2}


def test_every_notebook_is_tested():
    assert {path.name for path in (SOURCE / "docs" / "notebooks").glob("*.ipynb")} == set(PLOTS)


@pytest.mark.parametrize("name", PLOTS)
def test_a_notebook_runs_and_draws(name, monkeypatch):
    if name == "dask.ipynb":
        pytest.importorskip("distributed")
    notebook = nbformat.read(SOURCE / "docs" / "notebooks" / name, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code)
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    with tempfile.TemporaryDirectory(prefix="kernel-") as folder:  # a socket's path has at most 107 bytes
        # Sockets of files instead of ports, which another process could take before the kernel does.
        config = Config(KernelManager={"transport": "ipc", "connection_file": os.path.join(folder, "kernel.json")})
        client = nbclient.NotebookClient(notebook, timeout=1200, config=config,
                                         resources={"metadata": {"path": SOURCE / "docs" / "notebooks"}})
        client.execute(cwd=os.fspath(SOURCE / "docs" / "notebooks"))
    pictures = [output for cell in code for output in cell.outputs if "image/png" in output.get("data", {})]
    assert len(pictures) == PLOTS[name]
    if os.environ.get("STEPSIM_PICTURES"):  # a folder, to look at them
        import base64

        for number, picture in enumerate(pictures):
            with open(os.path.join(os.environ["STEPSIM_PICTURES"], f"{name}-{number}.png"), "wb") as file:
                file.write(base64.b64decode(picture["data"]["image/png"]))
