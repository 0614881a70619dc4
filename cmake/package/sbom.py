"""Writes a bill of materials in SPDX 2.3 (https://spdx.github.io/spdx-spec/v2.3): what the packages contain and what they
were built from, as dpkg and ninja know it."""
import hashlib
import json
import pathlib
import re
import subprocess
import time as clock

from archive import packages_of, shared_libraries

TOOLS = ("g++-12", "cmake", "ninja-build", "binutils")
# Objects of tests and benchmarks are in no package.
OURS = re.compile(r"^(model|ingest|sim|scenarios|cli|capture|python|CMakeFiles/stepsim_version)\b")
PAGE = pathlib.Path(__file__).resolve().parents[2] / "page"


def packages_of_headers(build):
    """The Debian packages whose headers were compiled, from the dependencies that ninja recorded."""
    printed = subprocess.run(["ninja", "-C", build, "-t", "deps"], check=True, capture_output=True, text=True).stdout
    headers = set()
    for record in printed.split("\n\n"):
        target, *lines = record.splitlines() or [""]
        if OURS.match(target):
            headers.update(pathlib.Path(line.strip()) for line in lines if line.startswith("    /usr/"))
    return set(packages_of(headers).values())


def debian_packages(names):
    """The SPDX packages of installed Debian packages, by the names given."""
    query = r"${Package}\t${Version}\t${Architecture}\t${source:Package}\t${source:Version}\t${Homepage}\n"
    printed = subprocess.run(["dpkg-query", "--show", f"--showformat={query}", *names], check=True, capture_output=True,
                             text=True).stdout
    found = [debian_package(*line.split("\t")) for line in printed.splitlines()]
    by_package = {package["name"]: package for package in found}
    return {name: by_package[name.split(":")[0]] for name in names}


def debian_package(package, version, machine, source, source_version, homepage):
    copyright_file = pathlib.Path(f"/usr/share/doc/{package}/copyright")
    names = sorted(set(re.findall(r"^License: *(\S.*?) *$", copyright_file.read_text(errors="replace"), re.MULTILINE))
                   if copyright_file.is_file() else [])
    described = {
        "SPDXID": f"SPDXRef-debian-{re.sub('[^a-zA-Z0-9.-]', '-', package.replace('+', 'x'))}",
        "name": package,
        "versionInfo": version,
        "supplier": "Organization: Debian",
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "sourceInfo": f"Debian source package {source} {source_version}",
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "NOASSERTION",
        "copyrightText": "NOASSERTION",
        "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                          "referenceLocator": f"pkg:deb/debian/{package}@{version.replace('+', '%2B').replace(':', '%3A')}"
                                              f"?arch={machine}"}],
    }
    if names:
        described["licenseComments"] = f"Licences named in its Debian copyright file: {', '.join(names)}"
    if homepage:
        described["homepage"] = homepage
    return described


def page_libraries(build):
    """uPlot, if it is in the report page (page/bundle.py)."""
    template = build / "generated" / "page_template.cpp"
    lock = PAGE / "package-lock.json"
    if "uPlot" not in template.read_text(errors="replace") or not (PAGE / "node_modules").is_dir():
        return []
    version = json.loads(lock.read_text())["packages"]["node_modules/uplot"]["version"]
    return [{"SPDXID": "SPDXRef-npm-uplot", "name": "uplot", "versionInfo": version, "downloadLocation": "NOASSERTION",
             "filesAnalyzed": False, "licenseConcluded": "MIT", "licenseDeclared": "MIT", "copyrightText": "NOASSERTION",
             "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                               "referenceLocator": f"pkg:npm/uplot@{version}"}]}]


def programs_of(file, build):
    """The programs and shared objects in a package whose libraries are needed beside it, or are in it."""
    if file.name.startswith("stepsim-capture_"):
        return [build / "lib" / "stepsim" / "libstepsim_capture.so"]
    if file.name.startswith("python3-"):
        return sorted((build / "python" / "stepsim").glob("_core*.so"))
    return [build / "bin" / "stepsim"]


def make(build, files, version, commit, time):
    """Describes `files`, the packages made of a build, and returns the text of the bill."""
    linked_by = {file: set(packages_of([path for program in programs_of(file, build)
                                        for path in shared_libraries(program).values()]).values()) for file in files}
    linked = set().union(*linked_by.values())
    headers = packages_of_headers(build)
    described = debian_packages(sorted(linked | headers | set(TOOLS)))
    inside_page = page_libraries(build)
    digests = {file: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
    ours, relations = [], []

    def relate(one, kind, other, comment=None):
        relations.append({"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other,
                          **({"comment": comment} if comment else {})})

    for file in files:
        identifier = f"SPDXRef-{re.sub('[^a-zA-Z0-9.-]', '-', file.name)}"
        ours.append({"SPDXID": identifier, "name": file.name.split("_")[0] if file.suffix == ".deb" else "stepsim",
                     "versionInfo": version, "packageFileName": file.name, "supplier": "Organization: stepsim developers",
                     "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "sourceInfo": f"commit {commit}",
                     "checksums": [{"algorithm": "SHA256", "checksumValue": digests[file]}],
                     "licenseConcluded": "NOASSERTION", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION"})
        relate("SPDXRef-DOCUMENT", "DESCRIBES", identifier)
        for name in sorted(linked_by[file]):
            if file.suffix == ".deb":
                relate(identifier, "DYNAMIC_LINK", described[name]["SPDXID"])
            else:
                relate(identifier, "CONTAINS", described[name]["SPDXID"], "in lib/private")
        for name in sorted(headers - linked):
            relate(identifier, "STATIC_LINK", described[name]["SPDXID"], "its headers are compiled in")
        for library in inside_page:
            relate(identifier, "CONTAINS", library["SPDXID"], "in the report page")
        for name in TOOLS:
            relate(described[name]["SPDXID"], "BUILD_TOOL_OF", identifier)
    together = hashlib.sha256("".join(sorted(digests.values())).encode()).hexdigest()
    return json.dumps({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"stepsim-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/stepsim-{version}-{together[:32]}",
        "creationInfo": {"created": clock.strftime("%Y-%m-%dT%H:%M:%SZ", clock.gmtime(time)),
                         "creators": ["Organization: stepsim developers", f"Tool: stepsim-sbom-{version}"]},
        "packages": [*ours, *described.values(), *inside_page],
        "relationships": relations,
    }, indent=1) + "\n"
