// SPDX-License-Identifier: Apache-2.0
//! Finds the library to link with: in a given folder, on the system, or compiled from the source in this package. It never
//! uses the network.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

fn main() {
    for name in ["ANYDIM_LIB_DIR", "ANYDIM_LINK", "ANYDIM_USE_PKG_CONFIG", "CXXSTDLIB", "DOCS_RS"] {
        println!("cargo:rerun-if-env-changed={name}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    if env::var_os("DOCS_RS").is_some() {
        return; // documentation is made of declarations alone
    }
    if let Some(folder) = variable("ANYDIM_LIB_DIR") {
        use_folder(Path::new(&folder));
    } else if cfg!(feature = "pkg-config")
        && (cfg!(feature = "system") || variable("ANYDIM_USE_PKG_CONFIG").is_some())
    {
        system();
    } else if cfg!(feature = "cmake") {
        source();
    } else {
        panic!(
            "no way to find the library is chosen: set ANYDIM_LIB_DIR to the folder that it is in, or turn on one of the \
             features `source` and `system` of anydim-sys"
        );
    }
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

#[cfg(feature = "pkg-config")]
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

#[cfg(not(feature = "pkg-config"))]
fn system() {}

/// The folder with the library's CMakeLists.txt: in the package, or the repository that this crate is in.
#[cfg(feature = "cmake")]
fn source_folder() -> PathBuf {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    for folder in [here.join("source"), here.join("../../..")] {
        if folder.join("CMakeLists.txt").exists() && folder.join("capi").is_dir() {
            return folder;
        }
    }
    panic!("the library's source is not in {}: the package is not whole", here.display());
}

#[cfg(feature = "cmake")]
fn source() {
    let folder = source_folder();
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
    // The crate libsqlite3-sys reports where it compiled SQLite.
    match (env::var("DEP_SQLITE3_INCLUDE"), env::var("DEP_SQLITE3_LIB_DIR")) {
        (Ok(include), Ok(library)) => {
            config.configure_arg("-DANYDIM_SYSTEM_SQLITE=ON");
            config.define("SQLite3_INCLUDE_DIR", include);
            config.define("SQLite3_LIBRARY", Path::new(&library).join("libsqlite3.a"));
        }
        _ => {
            config.configure_arg("-DANYDIM_PERSISTENT_CACHE=OFF");
        }
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

#[cfg(not(feature = "cmake"))]
fn source() {
    let _: PathBuf;
}
