# SPDX-License-Identifier: Apache-2.0
# The Python module with a wrong kernel, for tests/cli/test_python_commands.py: cmake --build build --target capi_planted
if(ANYDIM_PYTHON AND TARGET _capi)
  add_library(capi_planted MODULE EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/planted_kernel.cpp $<TARGET_OBJECTS:_capi>
    $<TARGET_OBJECTS:anydim_capi> $<TARGET_OBJECTS:anydim_core> $<TARGET_OBJECTS:anydim_ort_objects>)
  target_include_directories(capi_planted PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(capi_planted PRIVATE anydim_core ${anydim_system_sqlite})
  target_link_options(capi_planted PRIVATE -Wl,--wrap=_ZN6anydim14pool_task_avx2ERKNS_7PoolJobEl)
  set_target_properties(capi_planted PROPERTIES PREFIX "" OUTPUT_NAME _capi LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/planted/anydim)
endif()
