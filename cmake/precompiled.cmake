# SPDX-License-Identifier: Apache-2.0
# Two thirds of the time of compiling one of our files is reading the standard headers, GoogleTest's and ours, and most files read the same
# ones. They are read once. It is for the time alone: every file names what it needs, and what is built for others (crate, wheels for
# other systems) is built without it, which shows a file that does not.
option(ANYDIM_PRECOMPILED "read common headers once for all files" ${PROJECT_IS_TOP_LEVEL})

# Reads the headers once for those C++ files of the target that have the target's own options: a precompiled header of others does not fit.
function(anydim_precompile target)
  if(NOT ANYDIM_PRECOMPILED)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    get_source_file_property(options ${source} TARGET_DIRECTORY ${target} COMPILE_OPTIONS)
    if(options)
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
  list(TRANSFORM ARGN REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:\\1>")
  target_precompile_headers(${target} PRIVATE ${ARGN})
endfunction()

# A program of tests: its own code is compiled quickly, not to run quickly, which the library that it tests does.
function(anydim_unit_test target)
  if(ANYDIM_SANITIZE)
    return()  # -O0, and few of them are built
  endif()
  target_compile_options(${target} PRIVATE -O1)
  if(NOT ANYDIM_PRECOMPILED)
    return()
  endif()
  get_property(first GLOBAL PROPERTY anydim_first_unit_test)
  if(first)
    target_precompile_headers(${target} REUSE_FROM ${first})
  else()
    set_property(GLOBAL PROPERTY anydim_first_unit_test ${target})
    target_precompile_headers(${target} PRIVATE <gtest/gtest.h> <algorithm> <functional> <random> <span> <thread> ${ARGN})
  endif()
endfunction()
