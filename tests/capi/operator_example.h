// SPDX-License-Identifier: Apache-2.0
// What the generated examples of operators are made of; operators_test.cpp runs them.
#pragma once

#include <cstring>
#include <vector>

#include "anydim/anydim.h"

struct ExampleInput {
  anydim_dtype_t dtype;
  std::vector<int64_t> dims[2];
  int64_t low, high;  // of integers; of reals it says nothing
};

struct OperatorExample {
  const char* kind;
  void (*fill)(void* room);  // the operator's struct
  std::vector<ExampleInput> inputs;
  int outputs;
};
