# SPDX-License-Identifier: Apache-2.0
# The libraries whose headers Anydim is compiled with, as one table, and one sentence where some are missing. Not for GoogleTest, Google
# Benchmark, SQLite and pybind11: what needs one of these looks for it.
# anydim_find_dependencies() adds the folders of those that lie where no compiler looks by itself (CMAKE_PREFIX_PATH).

# CMake's name | a header | Debian's package | where CMake's package may say where it is
set(anydim_dependencies
  "fmt|fmt/format.h|libfmt-dev|fmt::fmt"
  "protozero|protozero/pbf_reader.hpp|libprotozero-dev|"
  "nlohmann_json|nlohmann/json.hpp|nlohmann-json3-dev|nlohmann_json::nlohmann_json"
  "xxHash|xxhash.h|libxxhash-dev|xxHash::xxhash"
  "CLI11|CLI/CLI.hpp|libcli11-dev|CLI11::CLI11")

# Whether the compiler, with all flags that it gets, sees the header.
function(anydim_sees_header header result)
  set(source ${PROJECT_BINARY_DIR}/CMakeFiles/sees_header.cpp)
  file(WRITE ${source} "#if !__has_include(<${header}>)\n#error missing\n#endif\n")
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)  # nothing is linked
  try_compile(anydim_header_seen ${PROJECT_BINARY_DIR}/CMakeFiles/sees_header SOURCES ${source})
  set(${result} ${anydim_header_seen} PARENT_SCOPE)
  unset(anydim_header_seen CACHE)  # who installs it configures again
endfunction()

macro(anydim_find_dependencies)
  set(missing)
  foreach(row ${anydim_dependencies})
    string(REPLACE "|" ";" row "${row}")
    list(GET row 0 name)
    list(GET row 1 header)
    list(GET row 2 package)
    list(GET row 3 target)
    if(name STREQUAL "CLI11" AND NOT ANYDIM_CLI)
      continue()
    endif()
    # Another machine's headers are those that its compiler is told of: this machine's packages say nothing.
    if(NOT CMAKE_CROSSCOMPILING)
      set(hints)
      find_package(${name} CONFIG QUIET)
      if(target AND TARGET ${target})
        get_target_property(hints ${target} INTERFACE_INCLUDE_DIRECTORIES)
      endif()
      find_path(ANYDIM_${name}_INCLUDE ${header} HINTS ${hints} DOC "the folder of ${header}")
      mark_as_advanced(ANYDIM_${name}_INCLUDE)
      if(ANYDIM_${name}_INCLUDE)
        include_directories(SYSTEM ${ANYDIM_${name}_INCLUDE})  # CMake leaves out those that the compiler looks into anyway
        continue()
      endif()
    endif()
    if(NOT ANYDIM_SEES_${name})
      anydim_sees_header(${header} seen)
      if(seen)
        set(ANYDIM_SEES_${name} ON CACHE INTERNAL "")
      else()
        list(APPEND missing "${name} (<${header}>, Debian: ${package})")
      endif()
    endif()
  endforeach()
  if(missing)
    list(JOIN missing ", " missing)
    message(FATAL_ERROR "Headers are missing of: ${missing}. On Debian `make setup` installs them; elsewhere install what your distribution "
      "calls them, or name the folder that they are installed in: -DCMAKE_PREFIX_PATH=FOLDER.")
  endif()
endmacro()
