# SPDX-License-Identifier: Apache-2.0
# Puts the OpenCL engine's kernels into the library: opencl_sources.inc has a line {"name", R"CL(text)CL"}, for each .cl file.
function(anydim_add_opencl_sources)
  set(folder ${PROJECT_SOURCE_DIR}/core/engines/opencl/kernels/source)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.cl)
  set(all "")
  foreach(path IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    get_filename_component(name ${path} NAME_WE)
    file(READ ${path} text)
    string(APPEND all "{\"${name}\", R\"CL(${text})CL\"},\n")
  endforeach()
  # Written only if it changed, so that nothing is compiled again for nothing.
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/opencl/opencl_sources.inc CONTENT "@all@" @ONLY)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/core/engines/opencl/kernels/program_text.cpp PROPERTIES
    INCLUDE_DIRECTORIES ${PROJECT_BINARY_DIR}/opencl)
endfunction()
