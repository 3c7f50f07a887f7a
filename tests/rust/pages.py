# SPDX-License-Identifier: Apache-2.0
"""The Rust of README.md, docs/ and the crates' own pages, as one crate with a program for each piece of code. A piece without a `main`
gets one, and names for what its page assumes. tests/rust/run.py compiles and runs them.

  pages.py FOLDER      writes the crate into FOLDER; prints the programs' names, one a line
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RUST = ROOT / "bindings" / "rust"
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *(RUST / crate / "README.md" for crate in ("anydim", "anydim-sys")),
]
MANIFEST = f"""[package]
name = "pages"
version = "0.0.0"
edition = "2021"

[dependencies]
anydim = {{ path = "{RUST / "anydim"}", default-features = false, features = ["ndarray"] }}

[workspace]
"""
# What pieces assume: types by their names, and the arrays of the convolution.
FRAME = """#![allow(unused_imports, unused_variables, unused_mut, dead_code)]
use anydim::operators::*;
use anydim::*;

fn main() -> anydim::Result<()> {{
    let kernel = ndarray::Array4::<f32>::ones((32, 64, 3, 3));
    let bias = ndarray::Array1::<f32>::zeros(32);
    let x = ndarray::Array4::<f32>::zeros((2, 64, 17, 31));
{code}
    Ok(())
}}
"""


def programs() -> dict[str, str]:
    """Each piece of code by a name made from its page."""
    found = {}
    for page in PAGES:
        pieces = re.findall(r"^```rust\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
        name = re.sub(r"\W", "_", str(page.relative_to(ROOT).with_suffix("")).lower())
        for i, code in enumerate(pieces):
            found[f"{name}_{i}"] = code if "fn main(" in code else FRAME.format(code=code)
    return found


def write(folder: Path) -> list[str]:
    """Writes the crate; files that did not change stay as they are, so that cargo compiles them once."""
    pieces = programs()
    (folder / "src" / "bin").mkdir(parents=True, exist_ok=True)
    for old in (folder / "src" / "bin").glob("*.rs"):
        if old.stem not in pieces:
            old.unlink()
    files = {"Cargo.toml": MANIFEST} | {f"src/bin/{name}.rs": code for name, code in pieces.items()}
    for name, text in files.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    if not (folder / "Cargo.lock").exists():
        shutil.copyfile(RUST / "Cargo.lock", folder / "Cargo.lock")
    return sorted(pieces)


def main() -> None:
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    print("\n".join(write(Path(sys.argv[1]))))


if __name__ == "__main__":
    main()
