# SPDX-License-Identifier: Apache-2.0
# Which systems Anydim builds for: 64-bit Linux. docs/porting.md lists what another one would have to change.
function(anydim_refuse_other_systems)
  set(system ${CMAKE_HOST_SYSTEM_NAME})
  if(CMAKE_SYSTEM_NAME)
    set(system ${CMAKE_SYSTEM_NAME})
  endif()
  if(NOT system STREQUAL "Linux")
    message(FATAL_ERROR "Anydim builds for Linux, and this is ${system}: docs/porting.md lists what would have to change.")
  endif()
  if(CMAKE_SIZEOF_VOID_P AND NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
    message(FATAL_ERROR "Anydim builds for 64-bit processors, and here an address has ${CMAKE_SIZEOF_VOID_P} bytes: sizes and handles are 64-bit numbers.")
  endif()
endfunction()
