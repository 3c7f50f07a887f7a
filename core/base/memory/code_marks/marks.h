// SPDX-License-Identifier: Apache-2.0
// Empty functions whose addresses say where the kernels of each instruction set lie, as far as the linker keeps the order of its
// files: portable ones from the first mark to the second, and so on; behind them what loads models, and SQLite.
#pragma once

namespace anydim {

void code_mark_portable() noexcept;
void code_mark_avx2() noexcept;
void code_mark_avx512() noexcept;
void code_mark_loading() noexcept;
void code_mark_end() noexcept;

}  // namespace anydim
