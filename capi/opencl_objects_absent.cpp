// SPDX-License-Identifier: Apache-2.0
// Bodies of the functions that take the host program's own OpenCL objects, of a build without OpenCL.
#include "anydim/anydim.h"
#include "capi/objects.h"

namespace anydim::capi::body {

namespace {

Status absent() { return unimplemented("this library was built without OpenCL"); }

}  // namespace

Status engine_create_in_opencl(void*, void*, const anydim_engine_options_t&, std::unique_ptr<EngineObject>*) { return absent(); }
Status stream_create_in_opencl(EngineObject&, void*, std::unique_ptr<StreamObject>*) { return absent(); }
Status memory_import_opencl(EngineObject&, void*, std::unique_ptr<MemoryObject>*) { return absent(); }

}  // namespace anydim::capi::body
