// SPDX-License-Identifier: Apache-2.0
// Every operator through C: the examples of its description, at two shapes each, by the kernel that is chosen and by the scalar
// reference. An operator that is described and not run here fails the test.
#include <cmath>
#include <random>
#include <set>

#include "tests/capi/generated/operator_examples.h"
#include "tests/capi/support.h"

namespace {

size_t bytes_of(anydim_dtype_t t) {
  switch (t) {
    case ANYDIM_F64:
    case ANYDIM_I64:
    case ANYDIM_U64: return 8;
    case ANYDIM_F32:
    case ANYDIM_I32:
    case ANYDIM_U32: return 4;
    case ANYDIM_F16:
    case ANYDIM_BF16:
    case ANYDIM_I16:
    case ANYDIM_U16: return 2;
    default: return 1;
  }
}

int64_t count_of(const std::vector<int64_t>& dims) {
  int64_t n = 1;
  for (const int64_t d : dims) n *= d;
  return n;
}

// A tensor with memory of its own.
struct Memory {
  Memory(anydim_dtype_t dtype, const std::vector<int64_t>& dims)
      : bytes(std::max<size_t>(static_cast<size_t>(count_of(dims)) * bytes_of(dtype), 8), 0xcd), view(view_of(dtype, dims, bytes.data())) {}
  Memory(const Memory&) = delete;
  std::vector<unsigned char> bytes;
  anydim_view_t view;
};

class Operators : public Api {
 protected:
  // Any operator's struct.
  union Room {
    Room() : op{} {}
    anydim_op_t op;
    char bytes[512];
  };

  anydim_primitive_t make(const OperatorExample& e, const char* kernel) {
    Room room;
    e.fill(&room);
    anydim_attr_t attr = nullptr;
    EXPECT_OK(anydim_attr_create(&attr));
    if (kernel != nullptr) {
      EXPECT_OK(anydim_attr_set_kernel(attr, kernel));
    }
    std::vector<anydim_desc_t> descs;
    for (const ExampleInput& in : e.inputs) {
      std::vector<anydim_dim_t> dims;  // those that differ are dynamic
      for (size_t i = 0; i < in.dims[0].size(); ++i)
        dims.push_back(in.dims[0][i] == in.dims[1][i] ? anydim_dim_fixed(in.dims[0][i]) : anydim_dim_dynamic(0, 4096));
      descs.push_back(desc(dims, in.dtype));
    }
    anydim_primitive_t p = nullptr;
    EXPECT_OK(anydim_primitive_create(engine, &room.op, attr, descs.data(), static_cast<int32_t>(descs.size()), nullptr, &p)) << e.kind;
    for (anydim_desc_t d : descs) anydim_desc_destroy(d);
    anydim_attr_destroy(attr);
    return p;
  }

  std::string reference_of(const std::string& kind) {
    anydim_engine_info_t about = ANYDIM_ENGINE_INFO_INIT;
    EXPECT_OK(anydim_engine_query(engine, &about));
    for (int32_t i = 0; i < about.kernels; ++i) {
      anydim_kernel_info_t k = ANYDIM_KERNEL_INFO_INIT;
      EXPECT_OK(anydim_engine_get_kernel(engine, i, &k));
      if (kind == k.op.data && std::strstr(k.name.data, "reference") != nullptr) return k.name.data;
    }
    ADD_FAILURE() << kind << " has no reference kernel";
    return "";
  }

  void fill(const ExampleInput& in, Memory* memory) {
    const auto n = memory->bytes.size() / bytes_of(in.dtype);
    for (size_t i = 0; i < n; ++i) {
      const double real = std::uniform_real_distribution<double>(-2, 2)(random);
      const int64_t whole = std::uniform_int_distribution<int64_t>(in.low, in.high)(random);
      unsigned char* const at = memory->bytes.data() + i * bytes_of(in.dtype);
      if (in.dtype == ANYDIM_F32) {
        const auto v = static_cast<float>(real);
        std::memcpy(at, &v, sizeof(v));
      } else if (in.dtype == ANYDIM_F64) {
        std::memcpy(at, &real, sizeof(real));
      } else {
        std::memcpy(at, &whole, bytes_of(in.dtype));
      }
    }
  }

  using Outputs = std::vector<std::vector<unsigned char>>;
  Outputs run(anydim_primitive_t p, const std::vector<anydim_view_t>& in, int outputs) {
    std::vector<std::unique_ptr<Memory>> made;
    std::vector<anydim_view_t> out;
    const auto in_count = static_cast<int32_t>(in.size());
    for (int32_t o = 0; o < outputs; ++o) {
      anydim_dims_t dims;
      anydim_dtype_t dtype = 0;
      EXPECT_OK(anydim_primitive_get_output_dims(p, in.data(), in_count, o, &dims));
      EXPECT_OK(anydim_primitive_get_output_dtype(p, o, &dtype));
      const std::vector<int64_t> sizes(dims.values, dims.values + dims.rank);
      out.push_back(made.emplace_back(std::make_unique<Memory>(dtype, sizes))->view);
    }
    EXPECT_OK(anydim_primitive_execute(p, stream, in.data(), in_count, out.data(), outputs));
    Outputs bytes;
    for (const auto& m : made) bytes.push_back(m->bytes);
    return bytes;
  }

  std::mt19937 random{20261123};
};

TEST_F(Operators, EachGivesTheReferencesBitsAtTwoShapes) {
  std::set<std::string> seen;
  for (const OperatorExample& e : operator_examples()) {
    SCOPED_TRACE(e.kind);
    seen.insert(e.kind);
    anydim_primitive_t chosen = make(e, nullptr), reference = make(e, reference_of(e.kind).c_str());
    ASSERT_NE(chosen, nullptr);
    ASSERT_NE(reference, nullptr);
    for (int shape = 0; shape < 2; ++shape) {
      std::vector<std::unique_ptr<Memory>> inputs;
      std::vector<anydim_view_t> in;
      for (const ExampleInput& i : e.inputs) {
        in.push_back(inputs.emplace_back(std::make_unique<Memory>(i.dtype, i.dims[shape]))->view);
        fill(i, inputs.back().get());
      }
      const Outputs got = run(chosen, in, e.outputs), expected = run(reference, in, e.outputs);
      EXPECT_EQ(got, expected) << "at shape " << shape;
      EXPECT_NE(got[0], std::vector<unsigned char>(got[0].size(), 0xcd)) << "nothing was written";
    }
    anydim_primitive_destroy(chosen);
    anydim_primitive_destroy(reference);
  }
  EXPECT_EQ(seen.size(), static_cast<size_t>(kDescribedOperators));
}

// An older program's struct is shorter; a newer one's is longer and asks for nothing where the rest is zero.
TEST_F(Operators, StructsOfOtherSizesAreReadAsFarAsTheyAreKnown) {
  anydim_desc_t d = desc({anydim_dim_fixed(2), anydim_dim_fixed(3)});
  struct {
    anydim_softmax_t softmax = ANYDIM_SOFTMAX_INIT;
    int64_t more = 0;
  } longer;
  anydim_primitive_t p = nullptr;
  longer.softmax.op.size = sizeof(longer);
  EXPECT_OK(anydim_primitive_create(engine, &longer.softmax.op, nullptr, &d, 1, nullptr, &p));
  anydim_primitive_destroy(p);
  longer.more = 1;
  EXPECT_STATUS(anydim_primitive_create(engine, &longer.softmax.op, nullptr, &d, 1, nullptr, &p), ANYDIM_STATUS_UNIMPLEMENTED);
  anydim_softmax_t shorter = ANYDIM_SOFTMAX_INIT;
  shorter.op.size = offsetof(anydim_softmax_t, log);
  shorter.log = 1;
  shorter.axis = 7;
  EXPECT_STATUS(anydim_primitive_create(engine, &shorter.op, nullptr, &d, 1, nullptr, &p), ANYDIM_STATUS_INVALID_ARGUMENT, "axis", "7");
  shorter.axis = 0;
  p = nullptr;
  EXPECT_OK(anydim_primitive_create(engine, &shorter.op, nullptr, &d, 1, nullptr, &p));
  anydim_text_t text = nullptr;
  ASSERT_OK(anydim_primitive_explain(p, nullptr, 0, &text));
  anydim_string_t json;
  ASSERT_OK(anydim_text_get_data(text, &json));
  EXPECT_NE(std::strstr(json.data, "softmax axis=0 log=0"), nullptr) << json.data;
  anydim_text_destroy(text);
  anydim_primitive_destroy(p);
  anydim_desc_destroy(d);
}

TEST_F(Operators, WhatIsNoAttributeIsRefusedByName) {
  anydim_desc_t d = desc({anydim_dim_fixed(2), anydim_dim_fixed(3)});
  anydim_primitive_t p = nullptr;
  anydim_shape_tensor_t values = ANYDIM_SHAPE_TENSOR_INIT;
  values.values_count = 3;
  EXPECT_STATUS(anydim_primitive_create(engine, &values.op, nullptr, nullptr, 0, nullptr, &p), ANYDIM_STATUS_INVALID_ARGUMENT, "values",
                "null");
  values.values_count = -1;
  EXPECT_STATUS(anydim_primitive_create(engine, &values.op, nullptr, nullptr, 0, nullptr, &p), ANYDIM_STATUS_INVALID_ARGUMENT, "values",
                "-1");
  anydim_resize_t resize = ANYDIM_RESIZE_INIT;
  resize.scales.count = 17;
  EXPECT_STATUS(anydim_primitive_create(engine, &resize.op, nullptr, &d, 1, nullptr, &p), ANYDIM_STATUS_INVALID_ARGUMENT, "scales.count",
                "17");
  anydim_cast_t cast = ANYDIM_CAST_INIT;
  cast.to = 0;
  EXPECT_STATUS(anydim_primitive_create(engine, &cast.op, nullptr, &d, 1, nullptr, &p), ANYDIM_STATUS_INVALID_ARGUMENT, "to", "0");
  anydim_transpose_t transpose = ANYDIM_TRANSPOSE_INIT;
  transpose.perm.rank = 2;
  transpose.perm.values[0] = INT64_C(1) << 32;
  EXPECT_STATUS(anydim_primitive_create(engine, &transpose.op, nullptr, &d, 1, nullptr, &p), ANYDIM_STATUS_INVALID_ARGUMENT, "perm[0]");
  anydim_gather_t gather = ANYDIM_GATHER_INIT;
  gather.axis = -1;
  EXPECT_STATUS(anydim_primitive_create(engine, &gather.op, nullptr, &d, 1, nullptr, &p), ANYDIM_STATUS_INVALID_ARGUMENT, "axis", "-1");
  EXPECT_EQ(p, nullptr);
  anydim_desc_destroy(d);
}

}  // namespace
