// SPDX-License-Identifier: Apache-2.0
// Loads functions of ONNX Runtime's tables by their numbers.
#include "bindings/onnxruntime/ort_abi.h"

#include <cstdlib>
#include <cstring>

namespace anydim::ort {
namespace {

class Table {
 public:
  explicit Table(const void* functions) noexcept : functions_(static_cast<void* const*>(functions)) {}
  template <class F> void load(size_t number, F** to) const noexcept { std::memcpy(to, functions_ + number, sizeof(*to)); }

 private:
  void* const* functions_;
};

// "1.31.1" is at least 1.24.
bool at_least(const char* version, int minor) noexcept {
  const char* const dot = std::strchr(version, '.');
  const int major = std::atoi(version);
  return major > 1 || (major == 1 && dot != nullptr && std::atoi(dot + 1) >= minor);
}

}  // namespace

Api::Api(const OrtApiBase& base) {
  // Asking for a version that is not there would write to the program's standard error.
  const char* const version = base.get_version_string();
  if (!at_least(version, static_cast<int>(kApiVersion))) return;
  const void* const functions = base.get_api(kApiVersion);
  if (functions == nullptr) return;
  const Table api(functions);
  api.load(1, &get_error_code);
  api.load(2, &get_error_message);
  api.load(51, &get_tensor_mutable_data);
  api.load(55, &cast_to_tensor_info);
  api.load(56, &get_onnx_type);
  api.load(60, &get_tensor_element_type);
  api.load(61, &get_dimensions_count);
  api.load(62, &get_dimensions);
  api.load(63, &get_symbolic_dimensions);
  api.load(65, &get_tensor_type_and_shape);
  api.load(90, &kernel_input);
  api.load(91, &kernel_output);
  api.load(93, &release_status);
  api.load(96, &release_value);
  api.load(99, &release_tensor_type_and_shape_info);
  api.load(247, &log);
  api.load(272, &attribute_read);
  api.load(274, &kernel_parallel_for);
  api.load(289, &value_name);
  api.load(290, &value_type);
  api.load(298, &key_value_pairs);
  api.load(300, &release_key_value_pairs);
  api.load(307, &device_type);
  api.load(326, &value_initializer);
  api.load(331, &value_is_constant);
  api.load(332, &value_is_from_outside);
  api.load(336, &graph_opset_count);
  api.load(337, &graph_opsets);
  api.load(338, &graph_input_count);
  api.load(339, &graph_inputs);
  api.load(340, &graph_output_count);
  api.load(341, &graph_outputs);
  api.load(342, &graph_initializer_count);
  api.load(343, &graph_initializers);
  api.load(344, &graph_node_count);
  api.load(345, &graph_nodes);
  api.load(346, &graph_parent);
  api.load(348, &node_id);
  api.load(349, &node_name);
  api.load(350, &node_operator);
  api.load(351, &node_domain);
  api.load(353, &node_input_count);
  api.load(354, &node_inputs);
  api.load(355, &node_output_count);
  api.load(356, &node_outputs);
  api.load(357, &node_implicit_input_count);
  api.load(358, &node_implicit_inputs);
  api.load(359, &node_attribute_count);
  api.load(360, &node_attributes);
  api.load(362, &attribute_tensor);
  api.load(363, &attribute_type);
  api.load(364, &attribute_name);
  api.load(365, &node_body_count);
  api.load(366, &node_bodies);
  api.load(368, &node_provider);
  api.load(378, &get_tensor_data);
  api.load(379, &session_config_entries);
  if (at_least(version, 24)) Table(base.get_api(24)).load(390, &has_shape);
  fuses_implicit_inputs = at_least(version, 31);
  one_graph_has_parts = !at_least(version, 24);
  const void* (*get_ep_api)() = nullptr;
  api.load(317, &get_ep_api);
  const Table providers(get_ep_api());
  providers.load(0, &create_ep_device);
  providers.load(2, &add_nodes_to_fuse);
  if (at_least(version, static_cast<int>(kProfilingVersion))) {
    providers.load(65, &create_profiling_event);
    providers.load(66, &release_profiling_event);
    providers.load(72, &add_profiling_events);
  }
  api.load(0, &create_status);
}

}  // namespace anydim::ort
