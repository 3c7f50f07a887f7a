// SPDX-License-Identifier: Apache-2.0
//! Where unsafe code is: in the module `edge` and nowhere else. The compiler checks that, as lib.rs asks it to; this looks whether
//! lib.rs does, and whether anything below allows it again.

use std::fs;
use std::path::{Path, PathBuf};

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().map_or(false, |e| e == "rs") {
            found.push(path);
        }
    }
    found
}

#[test]
fn unsafe_code_is_in_the_edge_alone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let lib = fs::read_to_string(root.join("lib.rs")).expect("lib.rs");
    assert!(lib.contains("#![deny(unsafe_code)]"));
    assert_eq!(lib.matches("allow(unsafe_code)").count(), 1);
    assert!(lib.contains("#[allow(unsafe_code)] // the one place\nmod edge;"));
    let (mut inside, mut outside) = (0, Vec::new());
    for path in sources(&root) {
        let text = fs::read_to_string(&path).expect("a source");
        let code = text.lines().filter(|l| !l.trim_start().starts_with("//"));
        let lines = code.filter(|l| l.contains("unsafe") && !l.contains("unsafe_")).count();
        if path.starts_with(root.join("edge")) {
            inside += lines;
        } else if lines > 0 || (text.contains("allow(unsafe_code)") && !path.ends_with("lib.rs")) {
            outside.push(path);
        }
    }
    assert!(outside.is_empty(), "unsafe code outside of the edge: {outside:?}");
    assert!(inside > 50, "only {inside} lines with unsafe code were found: what is looked for has changed");
}
