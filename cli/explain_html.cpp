// SPDX-License-Identifier: Apache-2.0
// The graph of `anydim explain --html` as one file: nodes in rows by their distance from the inputs, with kernel, engine, layout, dims and
// time; warmer boxes took a larger part of the time. No script, nothing from a network. The facts are those of explain's JSON.
#include "cli/explain_html.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/print.h"
#include "cli/table.h"

namespace anydim_cli {

namespace {

using Json = nlohmann::ordered_json;
constexpr int kWidth = 218, kHeight = 76, kGapX = 22, kGapY = 40, kMargin = 24, kLane = 14, kLetters = 33;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : shown(text, 1000)) {
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

// As much as a box has room for. The end of a path of names says more than its beginning; of all else the beginning says more.
std::string end_of(const std::string& text) {
  return escaped(text.size() <= kLetters ? text : "…" + text.substr(text.size() - kLetters + 1));
}
std::string begin_of(const std::string& text) { return escaped(text.size() <= kLetters ? text : text.substr(0, kLetters - 1) + "…"); }

struct Box {
  std::string title, details;  // details: of its tool tip
  std::string lines[4];
  std::vector<size_t> from;
  std::vector<std::string> layouts;  // of each edge in `from`
  double share = 0;
  bool end = false;  // an input or output of the model
  int row = 0;
  double center = 0;
};

std::string dims_text(const Json& operand) {
  std::string text;
  for (const auto& d : operand["dims"]) text += (text.empty() ? "" : "×") + d.dump();
  return text.empty() ? "scalar" : text;
}

std::string time_of(int64_t nanoseconds) { return nanoseconds < 0 ? "-" : time_text(static_cast<double>(nanoseconds) / 1e9); }

// Where an operand lies in its memory.
struct Range {
  std::string memory;
  int64_t begin = 0, end = 0;
};

Range range_of(const Json& operand, int depth) {
  const auto place = operand.value("place", std::string());
  const size_t plus = place.rfind('+');
  Range range{formatted("{} {}", depth, place.substr(0, plus))};
  if (plus == std::string::npos) return {range.memory, 0, 1};
  const std::string dtype = operand["dtype"].get<std::string>();
  const size_t digit = dtype.find_first_of("0123456789");
  const int64_t bytes = std::max(1, digit == std::string::npos ? 1 : std::atoi(dtype.c_str() + digit) / 8);
  range.begin = range.end = std::atoll(place.c_str() + plus + 1);
  for (size_t d = 0; d < operand["dims"].size(); ++d) {
    const int64_t dim = operand["dims"][d].get<int64_t>(), last = (dim - 1) * operand["strides"][d].get<int64_t>() * bytes;
    if (dim == 0) return range;
    (last < 0 ? range.begin : range.end) += last;
  }
  range.end += bytes;
  return range;
}

class Picture {
 public:
  Picture(const Json& run, const std::function<std::string(const Json&)>& layout) : run_(run), layout_(layout) {
    for (const Json& n : run["nodes"])
      if (!n.contains("depth")) total_ += std::max<int64_t>(n["nanoseconds"].get<int64_t>(), 0);
    for (const Json& n : run["nodes"]) add(n);
    add_outputs();
    place();
  }
  std::string svg() const;
  int64_t total() const { return total_; }

 private:
  void add(const Json& n) {
    Box box;
    const int depth = n.value("depth", 0);
    // Bodies that ended have no memory any more.
    std::erase_if(written_, [&](const auto& memory) { return std::atoi(memory.first.c_str()) > depth; });
    const auto time = n["nanoseconds"].get<int64_t>();
    const std::string name = n["name"].get<std::string>(), kernel = n["kernel"].get<std::string>(), post = n["post_ops"].get<std::string>();
    const std::string engine = n["engine"].get<std::string>();
    for (const char* list : {"inputs", "post_inputs"})
      for (const Json& in : n[list]) {
        const std::string place = in.value("place", ""), tensor = in["name"].get<std::string>();
        if (place.empty() || place == "weights" || place == "constant") continue;
        const Range range = range_of(in, depth);
        if (!made_.contains(tensor) && place.rfind("input", 0) == 0 && !written_.contains(range.memory)) {
          Box input;
          input.title = tensor;
          input.lines[0] = dims_text(in) + " " + in["dtype"].get<std::string>();
          input.details = "input " + tensor;
          input.end = true;
          made_[tensor] = boxes_.size();
          written_[range.memory].emplace_back(range, boxes_.size());
          boxes_.push_back(std::move(input));
        }
        for (const size_t from : makers(tensor, range)) {
          box.from.push_back(from);
          box.layouts.push_back(layout_(in));
        }
      }
    const Json& out = n["outputs"][0];
    box.title = name;
    box.share = total_ > 0 ? static_cast<double>(std::max<int64_t>(time, 0)) / static_cast<double>(total_) : 0;
    box.lines[0] = kernel;
    box.lines[1] = post.empty() ? "" : "+ " + post;
    box.lines[2] = dims_text(out) + ", " + layout_(out);
    box.lines[3] = formatted("{}, {:.1f} %, {}", time_of(time), 100 * box.share, engine);
    box.details = formatted(
        "{} ({})\noperator: {}\nkernel: {}\nengine: {}, plan: {}, math: {}\npost-ops: {}\noutput: {}, {}\nbytes: {}, scratch: {}\ntime: {}",
        name, n["type"].get<std::string>(), n["operator"].get<std::string>(), kernel, engine,
        n["tier"].get<std::string>() == "specialised" ? "measured" : "estimated",
        n["math"].get<std::string>(), post.empty() ? "none" : post, dims_text(out), layout_(out), n["bytes"].get<int64_t>(),
        n["scratch"].get<int64_t>(), time_of(time));
    for (const Json& o : n["outputs"]) {
      made_[o["name"].get<std::string>()] = boxes_.size();
      Range range = range_of(o, depth);
      written_[range.memory].emplace_back(std::move(range), boxes_.size());
      if (o.value("place", "").rfind("output", 0) == 0) outputs_.push_back({boxes_.size(), o});
    }
    boxes_.push_back(std::move(box));
  }
  // Who made what an operand reads: by its name, or, of a view (a reshape, a transpose, a slice, a concat), who wrote there last.
  std::vector<size_t> makers(const std::string& tensor, const Range& range) const {
    if (const auto made = made_.find(tensor); made != made_.end()) return {made->second};
    std::vector<size_t> found;
    const auto written = written_.find(range.memory);
    if (written == written_.end()) return found;
    std::vector<std::pair<int64_t, int64_t>> open = {{range.begin, range.end}};
    for (auto w = written->second.rbegin(); w != written->second.rend() && !open.empty(); ++w) {
      std::vector<std::pair<int64_t, int64_t>> left;
      bool overlaps = false;
      for (const auto& [begin, end] : open) {
        if (w->first.end <= begin || w->first.begin >= end) {
          left.emplace_back(begin, end);
          continue;
        }
        overlaps = true;
        if (begin < w->first.begin) left.emplace_back(begin, w->first.begin);
        if (w->first.end < end) left.emplace_back(w->first.end, end);
      }
      if (overlaps && std::find(found.begin(), found.end(), w->second) == found.end()) found.push_back(w->second);
      open = std::move(left);
    }
    return found;
  }
  void add_outputs() {
    for (const auto& [from, o] : outputs_) {
      Box box;
      box.title = o["name"].get<std::string>();
      box.lines[0] = dims_text(o) + " " + o["dtype"].get<std::string>();
      box.details = "output " + box.title;
      box.end = true;
      box.from = {from};
      box.layouts = {layout_(o)};
      boxes_.push_back(std::move(box));
    }
  }
  // Rows by the longest way from an input; in a row each box is as near to the mean of its sources as its neighbours permit. A line that
  // passes rows has a lane between the boxes of each, one for all that read the same box.
  void place() {
    std::vector<int> last(boxes_.size(), 0);  // row that reads it
    for (Box& b : boxes_) {
      for (const size_t f : b.from) b.row = std::max(b.row, boxes_[f].row + 1);
      for (const size_t f : b.from) last[f] = std::max(last[f], b.row);
      rows_ = std::max(rows_, b.row + 1);
    }
    struct Spot {
      double wanted, width;
      double* center;
    };
    double least = 0;
    for (int row = 0; row < rows_; ++row) {
      std::vector<Spot> spots;
      for (size_t i = 0; i < boxes_.size(); ++i) {
        Box& b = boxes_[i];
        if (b.row < row && row < last[i]) spots.push_back({center_at(i, row - 1), kLane, &lanes_[{i, row}]});
        if (b.row != row) continue;
        double sum = 0;
        for (const size_t f : b.from) sum += center_at(f, row - 1);
        spots.push_back({b.from.empty() ? 0 : sum / static_cast<double>(b.from.size()), kWidth, &b.center});
      }
      std::stable_sort(spots.begin(), spots.end(), [](const Spot& a, const Spot& b) { return a.wanted < b.wanted; });
      double wanted = 0, placed = 0, edge = -1e18;
      for (const Spot& spot : spots) {
        wanted += spot.wanted;
        *spot.center = std::max(spot.wanted, edge + spot.width / 2);
        edge = *spot.center + spot.width / 2 + kGapX;
        placed += *spot.center;
      }
      for (const Spot& spot : spots) {
        *spot.center += (wanted - placed) / static_cast<double>(spots.size());
        least = std::min(least, *spot.center - spot.width / 2);
      }
    }
    for (auto& [lane, center] : lanes_) center += kMargin - least;
    for (Box& b : boxes_) {
      b.center += kMargin - least;
      right_ = std::max(right_, b.center + kWidth / 2.0);
    }
    for (const auto& [lane, center] : lanes_) right_ = std::max(right_, center + kLane / 2.0);
  }
  // Where the line of a box's result is in a row.
  double center_at(size_t box, int row) const { return boxes_[box].row == row ? boxes_[box].center : lanes_.at({box, row}); }
  static std::string curve(double x0, double y0, double x1, double y1) {
    const double bend = std::max(20.0, (y1 - y0) / 2);
    return formatted("C{:.0f} {:.0f} {:.0f} {:.0f} {:.0f} {:.0f}", x0, y0 + bend, x1, y1 - bend, x1, y1);
  }
  std::string line(size_t from, const Box& to) const {
    double x = boxes_[from].center, bottom = y(boxes_[from]) + kHeight;
    std::string path = formatted("M{:.0f} {:.0f}", x, bottom);
    for (int row = boxes_[from].row + 1; row < to.row; ++row) {
      const double lane = center_at(from, row), top = kMargin + row * (kHeight + kGapY);
      path += curve(x, bottom, lane, top) + formatted("V{:.0f}", top + kHeight);
      x = lane;
      bottom = top + kHeight;
    }
    return path + curve(x, bottom, to.center, y(to));
  }
  static double y(const Box& b) { return kMargin + b.row * (kHeight + kGapY); }

  const Json& run_;
  const std::function<std::string(const Json&)>& layout_;
  std::vector<Box> boxes_;
  std::vector<std::pair<size_t, Json>> outputs_;
  std::map<std::string, size_t> made_;                                    // tensor -> box
  std::map<std::string, std::vector<std::pair<Range, size_t>>> written_;  // memory -> what was written there, by which box
  std::map<std::pair<size_t, int>, double> lanes_;                        // by box and row, its middle
  int64_t total_ = 0;
  int rows_ = 0;
  double right_ = 0;
};

std::string Picture::svg() const {
  std::string out =
      formatted("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{}\" role=\"img\" aria-label=\"the graph\">\n",
                right_ + kMargin, 2 * kMargin + rows_ * (kHeight + kGapY) - kGapY);
  for (const Box& b : boxes_)
    for (size_t e = 0; e < b.from.size(); ++e) {
      const char* kind = b.layouts[e] == "channels last" ? "last" : b.layouts[e] == "row-major" ? "major" : "axes";
      out += formatted("<path class=\"{}\" d=\"{}\"><title>{}</title></path>\n", kind, line(b.from[e], b), escaped(b.layouts[e]));
    }
  for (const Box& b : boxes_) {
    // From white to orange by the square root of the share, so that small parts are distinguished.
    const int cool = 255 - static_cast<int>(std::lround(150 * std::sqrt(std::min(1.0, b.share * 4))));
    const std::string fill = b.end ? "#dfe8f3" : formatted("rgb(255,{},{})", 255 - (255 - cool) / 2, cool);
    const double x = b.center - kWidth / 2.0;
    out += formatted("<g><title>{}</title><rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{}\" height=\"{}\" rx=\"5\" fill=\"{}\"/>",
                     escaped(b.details), x, y(b), kWidth, kHeight, fill);
    out += formatted("<text class=\"name\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>", x + 7, y(b) + 14, end_of(b.title));
    for (int i = 0; i < 4; ++i)
      if (!b.lines[i].empty())
        out += formatted("<text x=\"{:.0f}\" y=\"{:.0f}\">{}</text>", x + 7, y(b) + 28 + 14 * i, begin_of(b.lines[i]));
    out += "</g>\n";
  }
  return out + "</svg>\n";
}

}  // namespace

std::string graph_page(const std::string& title, const Json& run, const std::function<std::string(const Json&)>& layout) {
  const Picture picture(run, layout);
  std::map<std::string, std::pair<int64_t, int64_t>> kernels;  // nodes, nanoseconds
  for (const Json& n : run["nodes"]) {
    if (n.contains("depth")) continue;
    auto& [count, time] = kernels[n["kernel"].get<std::string>()];
    ++count;
    time += std::max<int64_t>(n["nanoseconds"].get<int64_t>(), 0);
  }
  std::vector<std::pair<std::string, std::pair<int64_t, int64_t>>> sorted(kernels.begin(), kernels.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second.second > b.second.second; });
  std::string rows;
  for (const auto& [kernel, use] : sorted)
    rows += formatted("<tr><td>{}</td><td>{}</td><td>{}</td><td>{:.1f} %</td></tr>\n", escaped(kernel), use.first, time_of(use.second),
                      picture.total() > 0 ? 100.0 * static_cast<double>(use.second) / static_cast<double>(picture.total()) : 0.0);
  return formatted(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title>\n<style>\n"
      "body{{font:14px sans-serif;margin:24px;color:#222}} svg{{display:block;background:#fff}}\n"
      "svg rect{{stroke:#666;stroke-width:1}} svg text{{font:11px sans-serif}} svg .name{{font-weight:bold}}\n"
      "svg path{{fill:none;stroke-width:1.6}} .major{{stroke:#888}} .last{{stroke:#2b6ca3}} .axes{{stroke:#8a4bb0}}\n"
      "table{{border-collapse:collapse;margin:12px 0}} td,th{{padding:3px 10px;border-bottom:1px solid #ddd;text-align:right}}\n"
      "td:first-child,th:first-child{{text-align:left}} .scroll{{overflow:auto;border:1px solid #ddd}}\n</style></head><body>\n"
      "<h1>{0}</h1>\n<p>{1} nodes on {2} ({3}); nodes take {4}; {5} of {6} memory in use; weights {7}.</p>\n"
      "<table><tr><th>kernel</th><th>nodes</th><th>time</th><th>part</th></tr>\n{8}</table>\n"
      "<p>A box is a node: its name, kernel, fused post-ops, output dims and layout, time with its part, engine. Warmer boxes took\n"
      "a larger part. Lines: <span style=\"color:#888\">row-major</span>, <span style=\"color:#2b6ca3\">channels last</span>,\n"
      "<span style=\"color:#8a4bb0\">other layouts</span>. A tool tip has the rest.</p>\n"
      "<div class=\"scroll\">\n{9}</div>\n</body></html>\n",
      escaped(title), run["nodes"].size(), escaped(run["engine"].get<std::string>()), escaped(run["isa"].get<std::string>()),
      time_of(picture.total()), bytes_text(run["used_bytes"].get<int64_t>()), bytes_text(run["arena_bytes"].get<int64_t>()),
      bytes_text(run["weight_bytes"].get<int64_t>()), rows, picture.svg());
}

}  // namespace anydim_cli
