# SPDX-License-Identifier: Apache-2.0
"""Writes an artifact's bill of materials: SPDX 2.3 as JSON, with the parts of packaging/third_party.toml, their versions and licences, and
where each comes from. Two runs on one commit and one set of packages write the same bytes: the time in it is SOURCE_DATE_EPOCH, else the
time of the commit.

  sbom.py ARTIFACT [--zig PROGRAM] [--build FOLDER] [--output FILE]      library, program, wheel, jar or crate
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
import licences

ROOT = licences.ROOT


def moment() -> int:
    """Seconds since 1970 that the artifact is dated with; 0 in a source archive without a history."""
    if epoch := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(epoch)
    done = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=ROOT, capture_output=True, text=True, check=False)
    return int(done.stdout) if done.returncode == 0 and done.stdout.strip() else 0


def project() -> dict[str, str]:
    with open(ROOT / "packaging" / "project.toml", "rb") as file:
        found: dict[str, str] = licences.tomllib.load(file)
    return found


def version() -> str:
    found = re.search(r"project\(anydim VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    assert found
    return found[1]


def _identifier(name: str) -> str:
    return "SPDXRef-Package-" + re.sub(r"[^A-Za-z0-9.-]+", "-", name)


def _locator(part: dict[str, Any], found: str) -> str | None:
    """A package URL, where the part comes from a registry."""
    if "package" in part:
        return f"pkg:deb/debian/{part['package']}@{found}"
    if "pip" in part:
        return f"pkg:pypi/{part['pip']}@{found}"
    return f"pkg:generic/sqlite@{found}" if "crate" in part else None


def bill(artifact: str, zig: Path | None = None, build: Path | None = None) -> dict[str, Any]:
    """The document."""
    about, own = project(), version()
    listed = licences.parts("library" if artifact == "crate" else artifact, zig is not None)
    packages: list[dict[str, Any]] = [
        {
            "SPDXID": _identifier("anydim"),
            "name": "anydim",
            "versionInfo": own,
            "downloadLocation": f"git+{about['repository']}",
            "filesAnalyzed": False,
            "licenseConcluded": about["licence"],
            "licenseDeclared": about["licence"],
            "copyrightText": "NOASSERTION",
            "supplier": f"Organization: {about['authors']}",
            "primaryPackagePurpose": "LIBRARY",
        }
    ]
    relations = [
        {
            "spdxElementId": "SPDXRef-DOCUMENT",
            "relationshipType": "DESCRIBES",
            "relatedSpdxElement": _identifier("anydim"),
        }
    ]
    used: list[str] = []
    for part in listed:
        found, _ = licences.version_and_text(part, zig, build)
        package: dict[str, Any] = {
            "SPDXID": _identifier(part["name"]),
            "name": part["name"],
            "versionInfo": found,
            "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False,
            "licenseConcluded": part["spdx"],
            "licenseDeclared": part["spdx"],
            "copyrightText": "NOASSERTION",
            "comment": part["what"],
        }
        if locator := _locator(part, found):
            package["externalRefs"] = [
                {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}
            ]
        packages.append(package)
        used.append(f"{part['name']} {found}")
        relations.append({
            "spdxElementId": _identifier("anydim"), "relationshipType": "CONTAINS", "relatedSpdxElement": _identifier(part["name"]),
        })  # fmt: skip
    same = hashlib.sha256("\n".join([artifact, own, str(moment()), *used]).encode()).hexdigest()[:16]
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"anydim-{own}-{artifact}",
        "documentNamespace": f"{about['home']}/spdx/anydim-{own}-{artifact}-{same}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment())),
            "creators": [f"Organization: {about['authors']}", "Tool: anydim packaging/sbom.py"],
        },
        "packages": packages,
        "relationships": relations,
    }


def text(artifact: str, zig: Path | None = None, build: Path | None = None) -> str:
    """The document as a file has it."""
    return json.dumps(bill(artifact, zig, build), indent=2) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("artifact", choices=(*licences.KINDS, "crate"))
    parser.add_argument("--zig", type=Path, metavar="PROGRAM", help="the zig that builds the artifact, if one does")
    parser.add_argument("--build", type=Path, metavar="FOLDER", help="CMake's build folder, which has SQLite's source")
    parser.add_argument("--output", type=Path, help="the file; default: standard output")
    arguments = parser.parse_args()
    try:
        written = text(arguments.artifact, arguments.zig, arguments.build)
    except licences.Unknown as why:
        print(f"sbom: {why}", file=sys.stderr)
        return 1
    if arguments.output:
        arguments.output.write_text(written, encoding="utf-8")
    else:
        print(written, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
