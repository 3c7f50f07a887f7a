# SPDX-License-Identifier: Apache-2.0
# GoogleTest for the unit tests: this machine's own library, or its source (Debian: /usr/src/googletest of the package googletest)
# compiled along where a toolchain file builds for another machine or with another C++ library.
# Call anydim_find_googletest(); then GTest::gtest and GTest::gtest_main exist.
macro(anydim_find_googletest)
  if(NOT CMAKE_CROSSCOMPILING)
    find_package(GTest QUIET)
    if(NOT GTest_FOUND)
      message(FATAL_ERROR "GoogleTest is missing (Debian: libgtest-dev, libgmock-dev): `make build` installs it there, "
        "and -DANYDIM_TESTS=OFF builds without the tests.")
    endif()
  else()
    set(ANYDIM_GOOGLETEST_SOURCE /usr/src/googletest CACHE PATH "GoogleTest's source, compiled along when cross compiling")
    set(INSTALL_GTEST OFF)
    add_subdirectory(${ANYDIM_GOOGLETEST_SOURCE} ${PROJECT_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
    if(NOT TARGET GTest::gtest)
      add_library(GTest::gtest ALIAS gtest)
      add_library(GTest::gtest_main ALIAS gtest_main)
    endif()
  endif()
endmacro()
