// SPDX-License-Identifier: Apache-2.0
// The one way in which what is compiled for instruction sets is exposed, and how lists of kernels follow from it.
//
// A *part* is a struct whose static members are named after sets: a constant (a table of functions), or a function. A family's header
// declares those that it has,
//   struct PoolTask {
//     using Function = void(const PoolJob& job, int64_t task) noexcept;
//     static Function avx512, avx2, portable;
//   };
// and the file pool_avx2.cpp defines PoolTask::avx2. A list has one kernel for each member whose processor the library is built for:
//   static const KernelsOfSets<"pool.channels", PoolKernel, PoolTask> channels;
//   static const auto all = kernel_list(channels, &reference);
// Members for other processors are declared there, too, and nothing names them. Whoever adds an instruction set to a family adds a member
// and its file.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "core/kernels/kept.h"
#include "core/kernels/kernel.h"

namespace anydim {

// The sets as types, and what they have of a part.
namespace sets {

struct none {
  static constexpr Isa kIsa = Isa::none;
};
#define ANYDIM_EXTENSION(name_, processor_, base_, ...)                                 \
  struct name_ {                                                                        \
    using Base = base_;                                                                 \
    static constexpr char kName[] = #name_;                                             \
    static constexpr Isa kIsa = Isa::name_;                                             \
    static constexpr bool kBuilt = is_built_for(Processor::processor_);                 \
    template <class Part> static constexpr bool kHas = requires { Part::name_; };       \
    template <class Part> static constexpr auto& own() noexcept { return Part::name_; } \
  };
#define ANYDIM_SET ANYDIM_EXTENSION
#include "core/base/instruction_sets.def"

template <class... Sets> struct List {};
template <class Reversed, class... Left> struct Reverse;
template <class... Done> struct Reverse<List<Done...>> { using Type = List<Done...>; };
template <class... Done, class First, class... Rest>
struct Reverse<List<Done...>, First, Rest...> : Reverse<List<First, Done...>, Rest...> {};
template <class... Sets> struct BestFirst;
template <class... Sets> struct BestFirst<none, Sets...> : Reverse<List<>, Sets...> {};
// All of them, the best first.
using All = BestFirst<none
#define ANYDIM_EXTENSION(name, ...) , name
#define ANYDIM_SET ANYDIM_EXTENSION
#include "core/base/instruction_sets.def"
                      >::Type;

// What `Set` has of a part: a member of its own, or that of the set that it adds to.
template <class Part, class Set> constexpr auto& part() noexcept {
  if constexpr (Set::template kHas<Part>) return Set::template own<Part>();
  else return part<Part, typename Set::Base>();
}
template <class Part, class Set> inline constexpr bool kBuilt = Set::kBuilt&& Set::template kHas<Part>&& subset::keeps_set(Set::kName);

}  // namespace sets

template <class Part> struct PointerTo { using Type = const Part*; };
template <class Part>
requires requires { typename Part::Function; }
struct PointerTo<Part> {
  using Type = typename Part::Function*;
};

// A member of a part in this library: its set, and where it is.
template <class Part> struct PartOfSet {
  const char* name;
  Isa isa;
  typename PointerTo<Part>::Type part;
};
// All of them, the best set's first.
template <class Part> constexpr auto parts_of_sets() noexcept {
  return []<class... Sets>(sets::List<Sets...>) {
    std::array<PartOfSet<Part>, (size_t{0} + ... + (sets::kBuilt<Part, Sets> ? 1 : 0))> list{};
    size_t n = 0;
    const auto add = [&]<class Set>() {
      if constexpr (sets::kBuilt<Part, Set>) list[n++] = {Set::kName, Set::kIsa, &Set::template own<Part>()};
    };
    (add.template operator()<Sets>(), ...);
    return list;
  }(sets::All{});
}
// That of the best set whose features are in `features`, or null.
template <class Part> auto find_part(Isa features) noexcept {
  for (const PartOfSet<Part>& p : parts_of_sets<Part>())
    if (features.includes(p.isa)) return p.part;
  return typename PointerTo<Part>::Type{};
}

// The kernels of one class for all sets for which the library has a member of the first part, the best first: each is made of its name
// ("pool.channels" and ".avx2"), its set, what that set has of each part, and what the constructor is given. A subset build has some.
template <StaticName kName, class Kernel, class Part, class... More> class KernelsOfSets {
  template <class Set>
  static constexpr auto kFullName = [] {
    std::array<char, sizeof(kName.text) + sizeof(Set::kName)> name{};
    char* const dot = std::copy(kName.text, kName.text + sizeof(kName.text) - 1, name.data());
    *dot = '.';
    std::copy(Set::kName, Set::kName + sizeof(Set::kName), dot + 1);
    return name;
  }();

  template <class Set> static constexpr bool kKept = sets::kBuilt<Part, Set>&& subset::keeps_kernel(kFullName<Set>.data());

  template <class Set, class... Arguments> static constexpr Kernel made(const Arguments&... more) noexcept {
    return Kernel(kFullName<Set>.data(), Set::kIsa, sets::part<Part, Set>(), sets::part<More, Set>()..., more...);
  }
  template <class... Built> struct Kernels {
    using Sets = sets::List<Built...>;
    std::array<Kernel, sizeof...(Built)> list;
    template <class... Arguments> constexpr explicit Kernels(const Arguments&... more) noexcept : list{made<Built>(more...)...} {}
  };
  template <class Kept, class... Left> struct Choose;
  template <class... Kept> struct Choose<sets::List<Kept...>, sets::List<>> { using Type = Kernels<Kept...>; };
  template <class... Kept, class First, class... Rest>
  struct Choose<sets::List<Kept...>, sets::List<First, Rest...>>
      : Choose<std::conditional_t<kKept<First>, sets::List<Kept..., First>, sets::List<Kept...>>, sets::List<Rest...>> {};
  using Type = typename Choose<sets::List<>, sets::All>::Type;
  Type kernels_;

 public:
  using Sets = typename Type::Sets;
  static constexpr size_t kCount = std::tuple_size_v<decltype(Type::list)>;
  template <class... Arguments> constexpr explicit KernelsOfSets(const Arguments&... more) noexcept : kernels_(more...) {}
  constexpr const Kernel& operator[](size_t i) const noexcept { return kernels_.list[i]; }
  // That of a set, or null.
  template <class Set> constexpr const Kernel* of() const noexcept {
    return [&]<class... Built>(sets::List<Built...>) -> const Kernel* {
      size_t i = 0;
      const bool found = ((std::is_same_v<Built, Set> || (++i, false)) || ...);
      return found ? &kernels_.list[i] : nullptr;
    }(Sets{});
  }
  constexpr auto begin() const noexcept { return kernels_.list.begin(); }
  constexpr auto end() const noexcept { return kernels_.list.end(); }
};

// Several KernelsOfSets of which each set's kernels stand together: a family whose classes take problems of one operator.
template <class... Groups> struct SetBySet {
  static constexpr size_t kCount = (Groups::kCount + ...);
  std::array<const HostKernel*, kCount> list;
  constexpr explicit SetBySet(const Groups&... groups) noexcept {
    size_t n = 0;
    [&]<class... Sets>(sets::List<Sets...>) {
      const auto add = [&]<class Set>(const auto& group) {
        if (const HostKernel* const kernel = group.template of<Set>(); kernel != nullptr) list[n++] = kernel;
      };
      const auto add_all = [&]<class Set>() { (add.template operator()<Set>(groups), ...); };
      (add_all.template operator()<Sets>(), ...);
    }(sets::All{});
  }
};

namespace detail {
template <class T> struct CountOf { static constexpr size_t kCount = T::kCount; };
template <class K> struct CountOf<const K*> { static constexpr size_t kCount = 1; };
template <class K> struct CountOf<K*> { static constexpr size_t kCount = 1; };
template <> struct CountOf<LeftOut> { static constexpr size_t kCount = 0; };
}  // namespace detail

// A family's list, in the order of preference: of KernelsOfSets, SetBySet and pointers to kernels, or what kept() says of them.
template <class... Parts> constexpr auto kernel_list(const Parts&... parts) noexcept {
  std::array<const HostKernel*, (detail::CountOf<Parts>::kCount + ...)> list{};
  [[maybe_unused]] size_t n = 0;
  [[maybe_unused]] const auto add = [&]<class T>([[maybe_unused]] const T& part) {
    if constexpr (std::is_pointer_v<T>) list[n++] = part;
    else if constexpr (std::is_same_v<T, LeftOut>) return;
    else if constexpr (requires { part.list; })
      for (const HostKernel* kernel : part.list) list[n++] = kernel;
    else
      for (size_t i = 0; i < T::kCount; ++i) list[n++] = &part[i];
  };
  (add(parts), ...);
  return list;
}

}  // namespace anydim
