# SPDX-License-Identifier: Apache-2.0
# How each file of the core is optimised, as one table. The rule is "small" (-Os): most code meets a node of a model once, or is what people
# read. Rows name the exceptions; the first row that matches a file says its level. A row that matches no file is an error.
# Not for instruction sets (CMakeLists.txt): their files are at -O3 where no row says otherwise.

# Plain loops by the hundred, and loops over vectors that are written out: without -O3's copies of each loop (47 instead of 250 kB of
# convert_rows, 500 kB less of the others). What must be unrolled says so itself.
set(anydim_loops -O2 -ftree-vectorize)
set(anydim_loops_files
  "core/kernels/conv/(bytes/[a-z_]+_vnni_avx2|depthwise/depthwise_avx[0-9]+)"
  "core/kernels/int_tiles/([a-z_]+_vnni_avx2|run)"
  "core/kernels/quantized/(convert_rows|look_up)_avx[0-9]+"
  "core/kernels/doubles/rows_avx[0-9]+"
  "core/kernels/eltwise/(lanes|typed_rows)_avx[0-9]+"
  "core/kernels/matmul/integer_tiles_avx[0-9]+"
  "core/kernels/reduce/(arg_lines|integer_steps|strips)_avx[0-9]+"
  "core/kernels/gather/(topk|patterns|by_index|indexed_move)"
  "core/kernels/detect/roi_align"
  "core/kernels/signal/elimination_portable"
  "core/kernels/copy/[a-z_]+"
  "core/kernels/resize/lines_avx[0-9]+"
  "core/graph/passes/tiny_parameters")

# Movers and what is one number per column have no vector type: their plain loops become vectors at this level.
set(anydim_plain_loops -O3)
set(anydim_plain_loops_files
  "core/kernels/gather/[a-z_]+"
  "core/kernels/detect/(deform_channels|(deform|fold)_lines_portable|fold_lines|kernels|non_max_suppression)"
  "core/kernels/tree_ensemble/packed")

# In the folders of `fast`, what is small all the same: references, lists of kernels, what a run meets once or never.
set(anydim_small -Os)
set(anydim_small_files
  "core/base/(environment|files/new_file|text/(format|number_text))"
  "core/engines/cpu/kind"
  "core/run/context/device_places"
  "core/dispatch/caches/persistent_[a-z_]+"
  "core/engines/opencl/kernels/[a-z_]+"
  "core/kernels/append/[a-z_]+"
  "core/kernels/(attention|compressed_matmul|conv|conv/winograd|eltwise|matmul|norm|pool|quantized|reduce|resize|tree_ensemble|unique)/reference"
  "core/kernels/conv/(bytes/transposed|depthwise/depthwise_portable)"
  "core/kernels/detect/(deform_columns|fold)"
  "core/kernels/doubles/doubles"
  "core/kernels/eltwise/(narrow|select_cast)"
  "core/kernels/epilogue/epilogue_portable"
  "core/kernels/half/half"
  "core/kernels/quantized/(combine|convert)"
  "core/kernels/recurrent/(doubles|integers|panels|reference|tiles)"
  "core/kernels/reduce/(reference_arg_cumsum|running_sums)"
  "core/kernels/resize/(lines_shape|resize)"
  "core/kernels/signal/kernels"
  "core/kernels/strings/(kernels|make)"
  "core/kernels/tree_ensemble/couple_pairs")
# Where there are kernels for vectors, large portable ones are slow anyway; elsewhere they are what runs.
if(anydim_processor STREQUAL "x86")
  list(APPEND anydim_small_files
    "core/kernels/(attention/rows|compressed_matmul/(numbers|rounded_rows)|conv/winograd/steps|eltwise/(lanes|(typed_)?rows)|matmul/(column|integer_tiles)|tiles/(tile|reduced)_engine|norm/rows)_portable"
    "core/kernels/(int_tiles/tiles|quantized/(convert_rows|look_up)|pool/pool|doubles/rows|recurrent/cells)_portable"
    "core/kernels/(reduce/(arg_lines|integer_steps|strips)|resize/lines)_portable")
endif()

# What every run passes through.
set(anydim_fast -O2)
set(anydim_fast_files
  "core/base/[a-z_/0-9]+"
  "core/tensor/[a-z_]+"
  "core/kernels/[a-z_0-9/]+"
  "core/engines/(cpu/[a-z_]+|opencl/stream)"
  "core/dispatch/(primitive/[a-z_]+|caches/primitive_cache|observe/counters|tuning/(cost|plan_records|tiers))"
  "core/program/(memory_plan|program|reference_values)"
  "core/run/context/(caller_tensors|context[a-z_]*|control_flow|copy_elements|host_arena|operand_views|requested_outputs|shape_[a-z]+|step_runner)"
  "core/run/(session/session|batching/batch_split)")

# Sets COMPILE_OPTIONS of the sources. Options of an instruction set stay; what comes last counts.
function(anydim_optimize)
  set(rest ${ARGN})
  foreach(level loops plain_loops small fast)
    foreach(names IN LISTS anydim_${level}_files)  # one by one: a regex of CMake's has few groups
      set(found ${rest})
      list(FILTER found INCLUDE REGEX "/${names}\\.cpp$")
      if(level STREQUAL "plain_loops" OR level STREQUAL "fast")
        list(FILTER found EXCLUDE REGEX ${anydim_set_files})  # -O3 with their instruction set
      endif()
      if(NOT found)
        if(anydim_processor STREQUAL "x86" AND NOT ANYDIM_OPERATORS AND ANYDIM_IMPORTER AND ANYDIM_OPENCL)  # others have fewer files
          message(FATAL_ERROR "cmake/optimization.cmake: no file of level ${level} is left for the row ${names}")
        endif()
        continue()
      endif()
      list(REMOVE_ITEM rest ${found})
      set_property(SOURCE ${found} APPEND PROPERTY COMPILE_OPTIONS ${anydim_${level}})
    endforeach()
  endforeach()
  list(FILTER rest EXCLUDE REGEX ${anydim_set_files})
  set_property(SOURCE ${rest} APPEND PROPERTY COMPILE_OPTIONS -Os)
endfunction()
