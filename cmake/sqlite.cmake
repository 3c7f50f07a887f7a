# SPDX-License-Identifier: Apache-2.0
# The persistent cache's SQLite (docs/decisions/005-sqlite-from-a-crate.md): by default its own source, compiled into the
# core under names of its own; with ANYDIM_SYSTEM_SQLITE the system's library; without ANYDIM_PERSISTENT_CACHE none.
# Called with the core's target after it exists: anydim_add_sqlite(anydim_core).
option(ANYDIM_PERSISTENT_CACHE "keep tuned plans and device programs in a file" ${anydim_extras})
option(ANYDIM_SYSTEM_SQLITE "use the system's SQLite library instead of compiling its source in" OFF)
# The sources may be read-only, another project's submodule, say: what is fetched goes into the build folder. Our own builds lie in
# build/ of the sources, and share one folder there.
set(anydim_downloads ${PROJECT_BINARY_DIR}/downloads)
cmake_path(IS_PREFIX PROJECT_SOURCE_DIR ${PROJECT_BINARY_DIR} anydim_own_build)
if(anydim_own_build AND PROJECT_IS_TOP_LEVEL)
  set(anydim_downloads ${PROJECT_SOURCE_DIR}/build/downloads)
endif()
set(ANYDIM_DOWNLOADS ${anydim_downloads} CACHE PATH "keeps what is fetched: SQLite's source; where it lies there, no network is used")

set(ANYDIM_SQLITE_FOLDER "" CACHE PATH "SQLite's source as tools/fetch_sqlite.py leaves it, such as in the Rust crate; empty: the script fetches it")

set(anydim_system_sqlite)  # what else links against our static library needs
if(ANYDIM_PERSISTENT_CACHE AND ANYDIM_SYSTEM_SQLITE)
  find_package(SQLite3 3.38 REQUIRED)
  set(anydim_system_sqlite -lsqlite3)
endif()

# Only options that the amalgamation honours: those that change its grammar need its generators. No shared memory, no
# mapped memory, no temporary files, no extensions; errors in double quotes are errors.
set(anydim_sqlite_definitions
  SQLITE_DQS=0 SQLITE_THREADSAFE=2 SQLITE_DEFAULT_MEMSTATUS=0 SQLITE_TEMP_STORE=3 SQLITE_MAX_MMAP_SIZE=0
  SQLITE_MAX_ATTACHED=0 SQLITE_MAX_WORKER_THREADS=0 SQLITE_LIKE_DOESNT_MATCH_BLOBS SQLITE_UNTESTABLE HAVE_USLEEP=1
  SQLITE_OMIT_LOAD_EXTENSION SQLITE_OMIT_SHARED_CACHE SQLITE_OMIT_WAL SQLITE_OMIT_DEPRECATED SQLITE_OMIT_JSON
  SQLITE_OMIT_PROGRESS_CALLBACK SQLITE_OMIT_DECLTYPE SQLITE_OMIT_TRACE SQLITE_OMIT_UTF16 SQLITE_OMIT_TCL_VARIABLE
  SQLITE_OMIT_COMPLETE SQLITE_OMIT_GET_TABLE SQLITE_OMIT_AUTHORIZATION SQLITE_OMIT_DATETIME_FUNCS
  SQLITE_OMIT_DESERIALIZE SQLITE_OMIT_COMPILEOPTION_DIAGS)

function(anydim_add_sqlite target)
  set(here ${PROJECT_SOURCE_DIR}/core/dispatch/caches)
  if(NOT ANYDIM_PERSISTENT_CACHE)
    target_sources(${target} PRIVATE ${here}/record_file_absent.cpp)
    return()
  endif()
  target_sources(${target} PRIVATE ${here}/record_file.cpp)
  if(ANYDIM_SYSTEM_SQLITE)
    target_link_libraries(${target} PUBLIC SQLite::SQLite3)
    return()
  endif()
  set(folder ${ANYDIM_SQLITE_FOLDER})
  if(NOT folder)
    find_package(Python3 REQUIRED COMPONENTS Interpreter)
    set(folder ${PROJECT_BINARY_DIR}/sqlite-3.54.1)
    execute_process(COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/fetch_sqlite.py --folder ${folder}
      --downloads ${ANYDIM_DOWNLOADS} COMMAND_ERROR_IS_FATAL ANY)
  endif()
  target_sources(${target} PRIVATE ${folder}/sqlite3.c)
  # Small rather than fast: nobody waits for it. Sanitizers look at our code, not at SQLite's 260,000 lines.
  # Nothing is thrown through it: tables for unwinding would be an eighth of its size.
  set(options -Os -w -ffunction-sections -fdata-sections -fno-unwind-tables -fno-asynchronous-unwind-tables -include ${folder}/anydim_sqlite.h)
  if(ANYDIM_SANITIZE)
    list(APPEND options -fno-sanitize=all)
  endif()
  set_source_files_properties(${folder}/sqlite3.c PROPERTIES
    COMPILE_OPTIONS "${options}" COMPILE_DEFINITIONS "${anydim_sqlite_definitions}"
    OBJECT_DEPENDS ${folder}/anydim_sqlite.h SKIP_LINTING ON)
  set_source_files_properties(${here}/record_file.cpp PROPERTIES
    COMPILE_OPTIONS "-include;${folder}/anydim_sqlite.h" INCLUDE_DIRECTORIES ${folder})
endfunction()
