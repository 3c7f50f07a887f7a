// SPDX-License-Identifier: Apache-2.0
//! Finds the library to link with: in a given folder, on the system, or compiled from the source in this package. A package never
//! uses the network; in the repository CMake downloads SQLite's source once.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

fn main() {
    for name in ["ANYDIM_LIB_DIR", "ANYDIM_LINK", "ANYDIM_USE_PKG_CONFIG", "CXXSTDLIB", "DOCS_RS"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    // Cargo puts this file into each package that it makes.
    if here.join("Cargo.toml.orig").exists() && !here.join("source").is_dir() {
        panic!(
            "this package lacks the library's source, which `cargo package` does not find in the repository: `make rust` there makes \
             the whole package, dist/anydim-sys-*.crate"
        );
    }
    if env::var_os("DOCS_RS").is_some() {
        return; // documentation is made of declarations alone
    }
    if let Some(folder) = variable("ANYDIM_LIB_DIR") {
        use_folder(Path::new(&folder));
    } else if cfg!(feature = "system") || variable("ANYDIM_USE_PKG_CONFIG").map_or(false, |value| value != "0") {
        system();
    } else if cfg!(feature = "source") {
        if is_documentation() {
            // A path that never exists: the next command asks again, and what links gets the library.
            println!("cargo:rerun-if-changed={}", here.join("source/asked-by-cargo-doc").display());
            return;
        }
        source(&here);
    } else {
        panic!(
            "no way to find the library is chosen: set ANYDIM_LIB_DIR to the folder that it is in, or turn on one of the \
             features `source` and `system` of anydim-sys"
        );
    }
}

/// Whether `cargo doc` or `cargo rustdoc` asks, which link nothing. Cargo is the parent process; it passes the command to no build script.
fn is_documentation() -> bool {
    let words = std::fs::read(format!("/proc/{}/cmdline", std::os::unix::process::parent_id())).unwrap_or_default();
    let mut words =
        words.split(|&byte| byte == 0).skip(1).skip_while(|word| word.starts_with(b"-") || word.starts_with(b"+"));
    matches!(words.next(), Some(b"doc" | b"rustdoc"))
}

/// A variable that is set, and not to nothing.
fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// What the caller asked for with ANYDIM_LINK: true for static, false for dynamic.
fn wants_static() -> Option<bool> {
    match env::var("ANYDIM_LINK").ok().as_deref() {
        None | Some("") => None,
        Some("static") => Some(true),
        Some("dynamic") => Some(false),
        Some(other) => panic!("ANYDIM_LINK is {other:?}; expected static or dynamic"),
    }
}

/// What a static library of C++ needs besides itself.
fn link_cxx() {
    let library = env::var("CXXSTDLIB").unwrap_or_else(|_| "stdc++".into());
    for name in [library.as_str(), "m", "pthread", "dl"] {
        if !name.is_empty() {
            println!("cargo:rustc-link-lib={name}");
        }
    }
}

fn use_folder(folder: &Path) {
    let has = |name: &str| folder.join(name).exists();
    let is_static = match (wants_static(), has("libanydim.a"), has("libanydim.so")) {
        (None | Some(true), true, _) => true,
        (None | Some(false), _, true) => false,
        _ => panic!(
            "ANYDIM_LIB_DIR is {}, where there is no {}",
            folder.display(),
            match wants_static() {
                Some(true) => "libanydim.a",
                Some(false) => "libanydim.so",
                None => "libanydim.a and no libanydim.so",
            }
        ),
    };
    println!("cargo:rustc-link-search=native={}", folder.display());
    if is_static {
        println!("cargo:rerun-if-changed={}", folder.join("libanydim.a").display());
        println!("cargo:rustc-link-lib=static=anydim");
        link_cxx();
    } else {
        println!("cargo:rustc-link-lib=dylib=anydim");
    }
}

fn system() {
    let found = pkg_config::Config::new().statik(wants_static() == Some(true)).atleast_version("0.1").probe("anydim");
    match found {
        Ok(library) => {
            if let Some(include) = library.include_paths.first() {
                println!("cargo:include={}", include.display());
            }
        }
        Err(reason) => panic!("pkg-config does not find the library anydim: {reason}"),
    }
}

/// The folder with the library's CMakeLists.txt: in the package, or the repository that this crate is in.
#[cfg(feature = "source")]
fn source_folder(here: &Path) -> PathBuf {
    for folder in [here.join("source"), here.join("../../..")] {
        if folder.join("CMakeLists.txt").exists() && folder.join("capi").is_dir() {
            return folder;
        }
    }
    panic!(
        "the library's source is not in {}: the package is not whole; `make rust` makes one that is",
        here.display()
    );
}

#[cfg(feature = "source")]
fn source(here: &Path) {
    let folder = source_folder(here);
    let mut config = cmake::Config::new(&folder);
    config.profile("Release").build_target("anydim_static");
    for off in ["TESTS", "CLI", "PYTHON", "BENCH", "PRECOMPILED"] {
        config.define(format!("ANYDIM_{off}"), "OFF");
    }
    // Header-only libraries come with the package; in the repository they are the system's.
    let headers = folder.join("third_party/include");
    if headers.is_dir() {
        config.cxxflag(format!("-isystem{}", headers.display()));
    }
    if !cfg!(feature = "persistent-cache") {
        config.configure_arg("-DANYDIM_PERSISTENT_CACHE=OFF");
    }
    let sqlite = folder.join("third_party/sqlite");
    if sqlite.is_dir() {
        config.configure_arg(format!("-DANYDIM_SQLITE_FOLDER={}", sqlite.display()));
    }
    let made = config.build();
    for name in ["CMakeLists.txt", "cmake", "core", "onnx", "capi"] {
        println!("cargo:rerun-if-changed={}", folder.join(name).display());
    }
    println!("cargo:include={}", folder.join("capi/include").display());
    println!("cargo:rustc-link-search=native={}", made.join("build/lib").display());
    println!("cargo:rustc-link-lib=static=anydim");
    link_cxx();
}

#[cfg(not(feature = "source"))]
fn source(_: &Path) {}
