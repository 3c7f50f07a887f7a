// SPDX-License-Identifier: Apache-2.0
//! The structs that Rust declares lie in memory as the C compiler lays them out: size, alignment, and the offset of each field.

#[rustfmt::skip]
mod generated;

use std::path::Path;
use std::process::Command;

/// What the C compiler says, by a program that it compiles.
fn lines_of_c() -> Vec<String> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("layout");
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let done = Command::new(&compiler)
        .args(["-std=c11", "-Wall", "-I"])
        .arg(here.join("../../../capi/include"))
        .arg(here.join("tests/generated/layout.c"))
        .arg("-o")
        .arg(&program)
        .status()
        .unwrap_or_else(|e| panic!("{compiler:?} does not run: {e}"));
    assert!(done.success(), "the C compiler refuses layout.c");
    let output = Command::new(&program).output().expect("layout runs");
    String::from_utf8(output.stdout).expect("layout writes ASCII").lines().map(str::to_owned).collect()
}

#[test]
fn structs_lie_in_memory_as_in_c() {
    let (c, rust) = (lines_of_c(), generated::lines());
    assert!(rust.len() > 200, "only {} lines are compared", rust.len());
    for (of_c, of_rust) in c.iter().zip(&rust) {
        assert_eq!(of_c, of_rust, "C is on the left, Rust on the right");
    }
    assert_eq!(c.len(), rust.len());
}

#[test]
fn the_library_is_of_the_version_that_is_declared() {
    let version = unsafe { std::ffi::CStr::from_ptr(anydim_sys::anydim_version()) };
    let declared: Vec<String> = anydim_sys::ANYDIM_VERSION.iter().map(u32::to_string).collect();
    assert_eq!(version.to_str().expect("a version is ASCII"), declared.join("."));
}
