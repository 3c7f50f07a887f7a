// SPDX-License-Identifier: Apache-2.0
// Reading lines of the verbose format; see call_text.h and docs/verbose.md. Lines come from files and from strangers, so every
// word is checked and named when it is refused.
#include "core/dispatch/observe/call_text.h"
#include "core/ops/text.h"

namespace anydim {

namespace {

constexpr const char* kFields[] = {"anydim",   "version",    "event",  "engine", "name",    "operator", "tensors",
                                   "post_ops", "attributes", "kernel", "tier",   "time_us", "more"};
constexpr size_t kFieldCount = std::size(kFields);

struct Field {
  std::string text;
  size_t place = 0;  // of its first byte in the line
};

Status split_fields(std::string_view line, std::vector<Field>* out) {
  size_t at = 0;
  for (;;) {
    Field f;
    if (at < line.size() && line[at] == '"') {
      f.place = ++at;
      for (;; ++at) {
        if (at >= line.size()) return invalid("the quotation mark at byte {} is not closed", f.place - 1);
        if (line[at] == '"') {
          if (at + 1 >= line.size() || line[at + 1] != '"') break;
          ++at;
        }
        f.text += line[at];
      }
      if (++at < line.size() && line[at] != ',')
        return invalid("`{}` at byte {} follows a closing quotation mark; expected a comma", line[at], at);
    } else {
      const size_t end = std::min(line.find(',', at), line.size());
      f.place = at;
      f.text = line.substr(at, end - at);
      at = end;
    }
    out->push_back(std::move(f));
    if (at >= line.size()) return {};
    ++at;
  }
}

template <class... A> Status refuse(const Field& f, const char* name, size_t offset, fmt::format_string<A...> text, A&&... args) {
  return invalid("field {} at byte {}: {}", name, f.place + offset, formatted(text, std::forward<A>(args)...));
}

Status printed_name(const Field& f, std::string* out) {
  for (size_t i = 0; i < f.text.size(); ++i) {
    if (f.text[i] != '\\') {
      *out += f.text[i];
      continue;
    }
    const auto digit = [&](size_t k) {
      const char c = k < f.text.size() ? f.text[k] : '!';
      return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    };
    const int high = digit(i + 2), low = digit(i + 3);
    if (i + 1 >= f.text.size() || f.text[i + 1] != 'x' || high < 0 || low < 0)
      return refuse(f, "name", i, "expected \\x and two hexadecimal digits");
    *out += static_cast<char>(high * 16 + low);
    i += 3;
  }
  return {};
}

// A cursor over one word.
struct Cursor {
  std::string_view rest;
  bool take(char c) {
    if (!rest.starts_with(c)) return false;
    rest.remove_prefix(1);
    return true;
  }
  // Decimal digits, perhaps with a sign.
  bool number(int64_t* out) {
    size_t n = rest.starts_with('-') ? 1 : 0;
    while (n < rest.size() && rest[n] >= '0' && rest[n] <= '9') ++n;
    if (!parse_number(rest.substr(0, n), out)) return false;
    rest.remove_prefix(n);
    return true;
  }
};

bool read_dim(Cursor& c, TensorText* t) {
  if (t->dims.rank >= kMaxRank) return false;
  const int i = t->dims.rank;
  int64_t value = 0;
  if (!c.number(&value) || value < 0) return false;
  t->dims.push_back(value);
  if (!c.take('?')) return true;
  t->dynamic[i] = true;
  DimPromise& p = t->promises[i];
  if (c.number(&p.min)) {
    if (!c.take('.') || !c.take('.')) return false;
    p.max = kMaxSize;
    c.number(&p.max);
  }
  if (c.take('%') && (!c.number(&p.multiple_of) || p.multiple_of < 1)) return false;
  if (c.take('~') && (!c.number(&p.hint) || p.hint < 0)) return false;
  return p.min >= 0 && p.min <= p.max && p.max <= kMaxSize;
}

// What is wrong with the word, or null.
const char* read_tensor(std::string_view word, TensorText* t) {
  if (word == "-") return nullptr;
  const size_t open = word.find('[');
  if (open == std::string_view::npos) return "expected a dtype and dims in brackets, or -";
  if (!parse_dtype(word.substr(0, open), &t->dtype) || t->dtype == DType::none) return "it does not begin with an element type such as f32";
  Cursor c{word.substr(open + 1)};
  if (!c.take(']')) {
    do {
      if (!read_dim(c, t)) return "expected at most 8 dims, each such as 48 or 48?32..1200%8~320";
    } while (c.take(','));
    if (!c.take(']')) return "expected a comma or ] after a dim";
  }
  const int rank = t->dims.rank;
  t->strides = dense_strides(t->dims);
  if (c.take('@')) {
    Perm order;
    unsigned seen = 0;
    do {
      int64_t axis = 0;
      if (!c.number(&axis) || axis < 0 || axis >= rank || (seen >> axis & 1u)) return "expected each axis once after @";
      seen |= 1u << axis;
      order.push_back(static_cast<int32_t>(axis));
    } while (c.take(','));
    if (order.rank != rank) return "expected each axis once after @";
    t->strides = dense_strides(t->dims, order);
  } else if (c.take(':')) {
    t->strides = {};
    do {
      int64_t stride = 0;
      if (t->strides.rank == rank || !c.number(&stride) || stride <= -kMaxSize || stride >= kMaxSize)
        return "expected one stride per dim after :";
      t->strides.push_back(stride);
    } while (c.take(','));
    if (t->strides.rank != rank) return "expected one stride per dim after :";
  }
  return c.rest.empty() ? nullptr : "something follows the tensor";
}

Status read_tensors(const Field& f, CallText* out) {
  const std::string_view text = f.text;
  for (size_t at = text.find_first_not_of(' '); at < text.size(); at = text.find_first_not_of(' ', at)) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const size_t equals = word.find('=');
    size_t digits = 0;
    while (digits < word.size() && (word[digits] < '0' || word[digits] > '9')) ++digits;
    const std::string_view role = word.substr(0, std::min(digits, equals));
    auto* list = role == "in" || role == "w" ? &out->in : role == "post" ? &out->post_in : role == "out" ? &out->out : nullptr;
    int64_t index = -1;
    if (list == nullptr || equals == std::string_view::npos || !parse_number(word.substr(digits, equals - digits), &index))
      return refuse(f, "tensors", at, "`{}` is not in0=, w1=, post0= or out0= and a tensor", word);
    if (index != static_cast<int64_t>(list->size()))
      return refuse(f, "tensors", at, "`{}` has number {}; expected {}", word, index, list->size());
    TensorText t;
    t.weights = role == "w";
    if (const char* why = read_tensor(word.substr(equals + 1), &t)) return refuse(f, "tensors", at, "`{}`: {}", word, why);
    list->push_back(t);
    at = end;
  }
  if (out->out.empty()) return refuse(f, "tensors", 0, "there is no out0");
  return {};
}

// Words of scales, zero points and the dtype of the result; others, which may grow, are kept as they are.
Status read_more(const Field& f, CallText* out) {
  std::string quantization;
  const std::string_view text = f.text;
  for (size_t at = text.find_first_not_of(' '); at < text.size(); at = text.find_first_not_of(' ', at)) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const bool ours = word.substr(0, 7) == "result=" || (word.size() > 2 && word[0] == 'q' && word[2] == '=');
    std::string* to = ours ? &quantization : &out->more;
    if (!to->empty()) *to += ' ';
    *to += word;
    at = end;
  }
  if (quantization.empty()) return {};
  Quantization q;
  if (Status s = parse_quantization(quantization, &q); !s.ok()) return std::move(s).at(formatted("field more at byte {}", f.place));
  out->quantization = std::make_shared<const Quantization>(std::move(q));
  return {};
}

Status read_attributes(const Field& f, CallText* out) {
  const std::string_view text = f.text;
  for (size_t at = text.find_first_not_of(' '); at < text.size(); at = text.find_first_not_of(' ', at)) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const size_t equals = std::min(word.find('='), word.size());
    const std::string_view key = word.substr(0, equals), value = word.substr(std::min(equals + 1, word.size()));
    bool good = false;
    if (key == "math") {
      for (MathMode m : {MathMode::strict, MathMode::fast, MathMode::reduced})
        if (value == math_name(m)) out->mode = m, good = true;
    } else if (key == "reuse") {
      good = parse_policy(std::string(value).c_str(), &out->reuse) && out->reuse != ReusePolicy::inherit;
    } else if (key == "threads") {
      int64_t n = 0;
      good = parse_number(value, &n) && n >= 1 && n <= 4096;
      if (good) out->threads = static_cast<int>(n);
    } else {
      return refuse(f, "attributes", at, "`{}` is none of math, reuse, threads", word);
    }
    if (!good) return refuse(f, "attributes", at, "`{}` has no value that {} can have", word, key);
    at = end;
  }
  return {};
}

}  // namespace

Status parse_call(std::string_view line, CallText* out) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  std::vector<Field> fields;
  ANYDIM_TRY(split_fields(line, &fields));
  if (fields[0].text != "anydim")
    return refuse(fields[0], kFields[0], 0, "the line begins with `{}`; expected `anydim`", fields[0].text.substr(0, 40));
  if (fields.size() < 2 || fields[1].text != "v1")
    return unimplemented("field version: `{}`; this library reads v1", fields.size() < 2 ? "" : fields[1].text);
  if (fields.size() < 3 || fields[2].text != "execute")
    return unimplemented("field event: `{}`; expected `execute`, whose lines have actual tensors", fields.size() < 3 ? "" : fields[2].text);
  if (fields.size() < kFieldCount)
    return invalid("{} fields; expected {}: {} is missing", fields.size(), kFieldCount, kFields[fields.size()]);
  CallText call;
  call.engine = fields[3].text;
  if (call.engine.empty()) return refuse(fields[3], "engine", 0, "no engine is named");
  ANYDIM_TRY(printed_name(fields[4], &call.name));
  OperatorPtr op;
  if (Status s = parse_operator(fields[5].text, &op); !s.ok())
    return std::move(s).at(formatted("field operator at byte {}", fields[5].place));
  call.op = fields[5].text;
  ANYDIM_TRY(read_tensors(fields[6], &call));
  if (Status s = parse_post_ops(fields[7].text, &call.post_ops); !s.ok())
    return std::move(s).at(formatted("field post_ops at byte {}", fields[7].place));
  ANYDIM_TRY(read_more(fields[12], &call));
  if (const int takes = call.post_ops.operands() + (call.quantization ? call.quantization->tensor_count() : 0);
      call.post_in.size() != static_cast<size_t>(takes))
    return refuse(fields[6], "tensors", 0, "{} tensors of post-ops; `{}` takes {}", call.post_in.size(), fields[7].text, takes);
  if (call.out.size() != static_cast<size_t>(op->output_count()))
    return refuse(fields[6], "tensors", 0, "{} outputs; {} has {}", call.out.size(), op->name(), op->output_count());
  ANYDIM_TRY(read_attributes(fields[8], &call));
  call.kernel = fields[9].text;
  if (call.kernel.empty()) return refuse(fields[9], "kernel", 0, "no kernel is named");
  call.tier = fields[10].text;
  if (!parse_number(fields[11].text, &call.microseconds) || !(call.microseconds >= 0))
    return refuse(fields[11], "time_us", 0, "`{}` is no time", fields[11].text);
  *out = std::move(call);
  return {};
}

}  // namespace anydim
