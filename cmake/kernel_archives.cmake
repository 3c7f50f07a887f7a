# SPDX-License-Identifier: Apache-2.0
# Archives of our own kernels with C entries (core/kernels/archive), one for each instruction set: for programs that `anydim export
# --kernels` writes. Nothing is compiled twice: an archive is made of the library's own objects, of what its entries reach.

# How panels of weights lie (TileEngine): floats of a vector, and the granule of the last panel; entries.h says more.
set(anydim_archive_vector_avx2 8)
set(anydim_archive_vector_avx512 16)
set(anydim_archive_vector_portable 8)

# Appends to the list `out` "set archive" for each archive of this build. None where the tools that cut objects are not the usual ones.
function(anydim_add_kernel_archives out)
  if(ANYDIM_SANITIZE OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU" OR NOT CMAKE_OBJCOPY OR NOT CMAKE_LINKER OR APPLE)
    return()
  endif()
  set(sets portable)
  if(anydim_processor STREQUAL "x86")
    set(sets avx2 avx512)
  endif()
  set(archives)
  foreach(set IN LISTS sets)
    set(target anydim_kernels_${set})
    set(vector ${anydim_archive_vector_${set}})
    add_library(${target}_entries OBJECT ${PROJECT_SOURCE_DIR}/core/kernels/archive/entries.cpp)
    target_include_directories(${target}_entries PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/capi/include)
    target_compile_definitions(${target}_entries PRIVATE ANYDIM_ARCHIVE_SET=${set} ADK_VECTOR=${vector} ADK_GRANULE=8
      ADK_FORM=adk_panels_${vector}_8)
    target_compile_options(${target}_entries PRIVATE -Os -ffunction-sections -fdata-sections -fno-exceptions -fno-rtti
      -fno-threadsafe-statics -fno-unwind-tables -fno-asynchronous-unwind-tables)
    set(files "conv/(geometry|k_list|patches|tile_task)|conv/depthwise/depthwise_${set}|tiles/(work_split|tile_engine_${set})")
    string(APPEND files "|epilogue/(epilogue|epilogue_${set})|eltwise/rows_${set}|matmul/product")
    set(objects "$<FILTER:$<TARGET_OBJECTS:anydim_core>,INCLUDE,core/kernels/(${files})\\.cpp>")
    set(archive ${PROJECT_BINARY_DIR}/lib/kernels/libanydim_kernels_${set}.a)
    set(object ${PROJECT_BINARY_DIR}/lib/kernels/${set}.o)
    add_custom_command(OUTPUT ${archive}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/lib/kernels
      COMMAND ${CMAKE_LINKER} -r --gc-sections -u adk_convolution -u adk_depthwise -u adk_product -u adk_panels_${vector}_8
        -o ${object} $<TARGET_OBJECTS:${target}_entries> ${objects}
      COMMAND ${CMAKE_OBJCOPY} --strip-unneeded --wildcard "--keep-global-symbol=adk_*" ${object}
      COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
      COMMAND ${CMAKE_AR} rcsD ${archive} ${object}
      DEPENDS ${target}_entries $<TARGET_OBJECTS:${target}_entries> ${objects}
      COMMENT "Kernels for ${set} as an archive" COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND archives "${set} ${archive}")
  endforeach()
  set(${out} ${archives} PARENT_SCOPE)
endfunction()
