#!/usr/bin/env python3
"""debian_files.py FOLDER VERSION: adds to the files of each component, FOLDER/COMPONENT/usr, what Debian's policy asks
of a package (https://www.debian.org/doc/debian-policy, 12.5 and 12.7), and strips what it wants stripped.

The date is SOURCE_DATE_EPOCH, so that the same sources give the same bytes."""
import email.utils
import gzip
import os
import pathlib
import subprocess
import sys

PACKAGES = {"runtime": "stepsim", "capture": "stepsim-capture", "python": "python3-stepsim", "dev": "libstepsim-dev"}
COPYRIGHT = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: stepsim

Files: *
Copyright: 2026 the developers of stepsim
License: Apache-2.0
 On Debian systems, the full text of the Apache License 2.0 can be found in
 the file /usr/share/common-licenses/Apache-2.0.
"""
# What lintian says of a package and is meant to stay, with the reason.
OVERRIDES = {
    "libstepsim-dev": """# The libraries are in /usr/lib, as CMake installs them, and not in a folder of the architecture.
pkg-config-unavailable-for-cross-compilation
""",
    "stepsim-capture": """# CPack calls ldconfig for every shared library below /usr/lib; this one is private, so the call changes nothing.
maintscript-calls-ldconfig
""",
    "stepsim": """# Traces of dPRO lie in folders named after the worker and its GPU, both numbers.
repeated-path-segment
""",
}


def changelog(version):
    """Debian's form of a changelog; the real one is CHANGELOG.md, which is installed with the docs."""
    date = email.utils.formatdate(int(os.environ.get("SOURCE_DATE_EPOCH", "0")))
    return (f"stepsim ({version}) stable; urgency=medium\n\n  * What changed is listed in CHANGELOG.md of the sources.\n\n"
            f" -- stepsim developers <stepsim@users.noreply.github.com>  {date.replace('-0000', '+0000')}\n")


def main(folder, version):
    for component, package in PACKAGES.items():
        root = pathlib.Path(folder) / component / "usr"
        if not root.is_dir():
            continue
        docs = root / "share" / "doc" / package
        docs.mkdir(parents=True, exist_ok=True)
        (docs / "copyright").write_text(COPYRIGHT)
        if package in OVERRIDES:
            overrides = root / "share" / "lintian" / "overrides" / package
            overrides.parent.mkdir(parents=True, exist_ok=True)
            overrides.write_text("".join(line if line.startswith("#") else f"{package}: {line}"
                                         for line in OVERRIDES[package].splitlines(keepends=True)))
        (docs / "changelog.gz").write_bytes(gzip.compress(changelog(version).encode(), 9, mtime=0))
        for archive in root.rglob("*.a"):
            subprocess.run(["strip", "--strip-debug", "--enable-deterministic-archives", "--remove-section=.comment",
                            "--remove-section=.note*", archive], check=True)
        for path in [root, *root.rglob("*")]:
            if path.is_symlink():
                continue
            executable = path.is_dir() or path.parent == root / "bin"
            path.chmod(0o755 if executable else 0o644)


if __name__ == "__main__":
    main(*sys.argv[1:])
