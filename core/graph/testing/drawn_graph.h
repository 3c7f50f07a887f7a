// SPDX-License-Identifier: Apache-2.0
// For tests only: graphs made at random from what moves, shares, resizes and overwrites memory. Input: x [d1, 4, d2, d3].
#pragma once

#include <random>

#include "core/graph/testing/builder.h"

namespace anydim::testing {

inline Graph random_graph(std::mt19937_64& random) {
  Builder b(random());
  const ValueId x = b.input("x", {-1, 4, -2, -3});
  std::vector<ValueId> maps{x, b.conv(x, 8, 1)};
  const auto any = [&] { return maps[random() % maps.size()]; };
  const auto channels = [&](ValueId v) { return b.dims(v)[1].number(); };
  const auto same_plane = [&](ValueId v, ValueId w) {
    return b.dims(v)[0] == b.dims(w)[0] && b.dims(v)[2] == b.dims(w)[2] && b.dims(v)[3] == b.dims(w)[3];
  };
  const int nodes = 5 + static_cast<int>(random() % 25);
  for (int i = 0; i < nodes; ++i) {
    const ValueId v = any();
    switch (random() % 13) {
      case 0: maps.push_back(b.conv(v, 4 + static_cast<int64_t>(random() % 12), random() % 2 ? 3 : 1)); break;
      case 1: maps.push_back(b.unary(UnaryFunction::exp, b.unary(UnaryFunction::clip, v, -1, 1))); break;
      case 2: {
        const ValueId w = any();
        if (channels(v) == channels(w) && same_plane(v, w)) maps.push_back(b.plus(v, w));
        break;
      }
      case 3:
      case 4: {
        std::vector<ValueId> parts{v};
        for (size_t k = random() % 3; k-- > 0;)
          if (const ValueId w = any(); same_plane(v, w)) parts.push_back(w);
        maps.push_back(b.concat(parts, 1));
        break;
      }
      case 5: {
        if (channels(v) < 2) break;
        const int64_t at = 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(channels(v) - 1));
        maps.push_back(b.slice(v, 1, 0, at));
        maps.push_back(b.slice(v, 1, at, channels(v) - at));
        if (random() % 2) maps.push_back(b.concat({maps[maps.size() - 2], maps.back(), b.relu(maps.back())}, 1));
        break;
      }
      case 6: maps.push_back(b.max_pool(v, 3, 1)); break;
      case 7: maps.push_back(b.times(v, b.unary(UnaryFunction::sigmoid, b.global_average(v)))); break;
      case 8: {
        // There and back again through another rank and order.
        const SymDims d = b.dims(v);
        const ValueId t = b.transpose(b.reshape(v, {d[0], d[1], b.graph.dims.mul(d[2], d[3])}), {0, 2, 1});
        const ValueId e = random() % 2 ? b.unary(UnaryFunction::tanh, t) : t;
        maps.push_back(b.reshape(b.transpose(e, {0, 2, 1}), d));
        break;
      }
      case 9: {
        const ValueId large = b.enlarge(v, 2);
        maps.push_back(random() % 2 ? large : b.plus(large, b.enlarge(b.relu(v), 2)));
        break;
      }
      case 10: maps.push_back(b.conv(v, 8, 3, 2)); break;
      case 11: {
        // Joined along H, and along a batch that is also a transposed axis.
        const ValueId tall = b.concat({v, b.unary(UnaryFunction::neg, v)}, 2);
        maps.push_back(random() % 2
                           ? tall
                           : b.transpose(b.concat({b.transpose(tall, {1, 0, 2, 3}), b.transpose(tall, {1, 0, 2, 3})}, 0), {1, 0, 2, 3}));
        break;
      }
      default: maps.push_back(b.softmax(v, random() % 2 ? 1 : 3)); break;
    }
  }
  b.output(maps.back(), "last");
  if (random() % 2) b.output(any(), "some");
  return std::move(b.graph);
}

}  // namespace anydim::testing
