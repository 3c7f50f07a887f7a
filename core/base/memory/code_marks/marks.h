// SPDX-License-Identifier: Apache-2.0
// Empty functions whose addresses say where the kernels of each instruction set lie, as far as the linker keeps the order of its
// files: those of a set from its mark to the next; behind them what loads models, and SQLite. cmake/instruction_sets.cmake writes their
// definitions, each a file, for the sets of the processor that is built for, and puts them in their places.
#pragma once

namespace anydim {

#define ANYDIM_SET(name, ...) void code_mark_##name() noexcept;
#include "core/base/instruction_sets.def"
void code_mark_loading() noexcept;
void code_mark_end() noexcept;

}  // namespace anydim
