# SPDX-License-Identifier: Apache-2.0
# Toolchain file: builds for 64-bit ARM on another machine with Debian's cross compiler (g++-aarch64-linux-gnu), for tests
# under qemu (packaging/targets.toml). `make cross TARGET=aarch64-gcc` uses it. Not for wheels: cmake/zig.cmake is.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# Where Debian's cross packages have the C library and the C++ runtime. Libraries of this machine are of no use. Headers and programs
# are: what Anydim takes from packages are headers.
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
