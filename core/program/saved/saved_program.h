// SPDX-License-Identifier: Apache-2.0
// A compiled program as a file, with its constants packed as kernels read them: what a process maps in place of a model. Nothing is
// imported, rewritten, chosen or packed when it is loaded; its bytes are shared by all processes that map it. docs/programs.md is the
// page for users. (core/program/program_file.h writes programs for translators, as text.)
//
// The file is a CheckedFile whose description is a SavedFile (fields.h), then the program, field by field. Behind it lie the constants,
// each at a multiple of a cache line and followed by the padding that kernels may read.
#pragma once

#include <memory>
#include <string>

#include "core/base/files/checked_file.h"
#include "core/program/model_facts.h"
#include "core/program/program.h"

namespace anydim {

inline constexpr CheckedFileKind kProgramFile{
    {'A', 'N', 'Y', 'D', 'I', 'M', 'P', 'R'}, 1, "program file", "save the program again from its model", Code::invalid_model};

// Fails with unimplemented and all that cannot be saved, and as NewFile does.
Status save_program(const Program& program, const ModelFacts& facts, const std::string& path, bool sync = true);

// The program in `file`, which stays as long as the program, for a host engine. `name`: of the file, for messages. `reuse`: in place of
// what was saved, unless it is inherit.
//   invalid_model  the description makes no sense
//   unimplemented  saved by another version, or for a CPU that has more than this one
// Every count, index and type that memory safety rests on is checked: a digest can be right by intent.
Status load_program(const EnginePtr& engine, const std::shared_ptr<const CheckedFile>& file, const std::string& name, ReusePolicy reuse,
                    ProgramPtr* out, ModelFacts* facts);

namespace saved {

// Whether indices, ranks and dtypes of a program that was read, but for those of its dims, fit one another; else a sentence.
std::string what_is_wrong(const Program& program);

}  // namespace saved
}  // namespace anydim
