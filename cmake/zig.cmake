# SPDX-License-Identifier: Apache-2.0
# Toolchain file: builds for another Linux with zig, a Clang that brings the headers and start files of each C library, and a C++
# library that is linked in (docs/decisions/035-zig-builds-what-ships.md). With -DANYDIM_ZIG=PROGRAM and -DANYDIM_ZIG_TARGET=, such as
# x86_64-linux-gnu.2.17 (a program that runs with glibc 2.17 and newer), aarch64-linux-gnu.2.17 or x86_64-linux-musl.
# tools/cross.py calls it.
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ANYDIM_ZIG ANYDIM_ZIG_TARGET)
if(NOT ANYDIM_ZIG OR NOT ANYDIM_ZIG_TARGET)
  message(FATAL_ERROR "cmake/zig.cmake needs -DANYDIM_ZIG=PROGRAM and -DANYDIM_ZIG_TARGET=x86_64-linux-gnu.2.17 or another")
endif()
set(CMAKE_SYSTEM_NAME Linux)
string(REGEX REPLACE "-.*" "" CMAKE_SYSTEM_PROCESSOR ${ANYDIM_ZIG_TARGET})

# CMake wants a compiler to be one program: here are some that call zig with the target.
set(zig_programs ${CMAKE_BINARY_DIR}/zig)
foreach(program cc c++ ar ranlib)
  set(target)
  if(program MATCHES "^c")
    set(target " -target ${ANYDIM_ZIG_TARGET}")
  endif()
  set(text "#!/bin/sh\nexec ${ANYDIM_ZIG} ${program}${target} \"$@\"\n")
  set(there)
  if(EXISTS ${zig_programs}/${program})
    file(READ ${zig_programs}/${program} there)
  endif()
  if(NOT there STREQUAL text)  # a new time of change would compile everything again
    file(WRITE ${zig_programs}/${program} "${text}")
    file(CHMOD ${zig_programs}/${program} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endif()
endforeach()
set(CMAKE_C_COMPILER ${zig_programs}/cc)
set(CMAKE_CXX_COMPILER ${zig_programs}/c++)
set(CMAKE_AR ${zig_programs}/ar CACHE FILEPATH "zig's archiver")
set(CMAKE_RANLIB ${zig_programs}/ranlib CACHE FILEPATH "zig's archiver")

# What Anydim takes from packages are headers alone. They are read behind those of the target's C library.
# zig compiles its C++ library once for each kind of optimisation: CMake's first trials have to ask for the one that is needed. It writes
# debug information unless a flag forbids it.
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY NEVER)
set(CMAKE_C_FLAGS_INIT "-O2 -g0 -idirafter /usr/include")
set(CMAKE_CXX_FLAGS_INIT ${CMAKE_C_FLAGS_INIT})
