// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! Handles that destroy themselves. Send and Sync are what the API promises of each.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicPtr, Ordering};

use anydim_sys as sys;

macro_rules! handle {
    ($name:ident, $target:ty, $raw:ty, $destroy:path) => {
        /// Null once it was closed. The marker takes Send and Sync away, which an atomic has by itself.
        #[derive(Debug)]
        #[repr(transparent)]
        pub(crate) struct $name(AtomicPtr<$target>, PhantomData<*mut ()>);

        #[allow(dead_code)] // not each is used in every way
        impl $name {
            /// Of a handle that is the caller's.
            pub(super) fn new(raw: $raw) -> Self {
                Self(AtomicPtr::new(raw as *mut $target), PhantomData)
            }

            pub(super) fn null() -> $raw {
                std::ptr::null_mut()
            }

            pub(super) fn raw(&self) -> $raw {
                self.0.load(Ordering::Relaxed)
            }

            /// Destroys it now, from any thread; calls find that it is gone, and those that run end.
            pub(crate) fn close(&self) {
                // Null does nothing, and no other thread destroys it again.
                unsafe { $destroy(self.0.swap(std::ptr::null_mut(), Ordering::Relaxed)) }
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                self.close();
            }
        }

        // A handle is a number that every call checks: one thread may make it and another use or destroy it.
        unsafe impl Send for $name {}
    };
}

handle!(TextHandle, sys::anydim_text_s, sys::anydim_text_t, sys::anydim_text_destroy);
// Many threads may use it at once.
unsafe impl Sync for TextHandle {}
handle!(MemoryHandle, sys::anydim_memory_s, sys::anydim_memory_t, sys::anydim_memory_destroy);
// Many threads may use it at once.
unsafe impl Sync for MemoryHandle {}
handle!(DescHandle, sys::anydim_desc_s, sys::anydim_desc_t, sys::anydim_desc_destroy);
// Many threads may use it at once.
unsafe impl Sync for DescHandle {}
handle!(EngineHandle, sys::anydim_engine_s, sys::anydim_engine_t, sys::anydim_engine_destroy);
// Many threads may use it at once.
unsafe impl Sync for EngineHandle {}
handle!(StreamHandle, sys::anydim_stream_s, sys::anydim_stream_t, sys::anydim_stream_destroy);
handle!(TensorHandle, sys::anydim_tensor_s, sys::anydim_tensor_t, sys::anydim_tensor_destroy);
// Many threads may use it at once.
unsafe impl Sync for TensorHandle {}
handle!(AttrHandle, sys::anydim_attr_s, sys::anydim_attr_t, sys::anydim_attr_destroy);
// Many threads may use it at once.
unsafe impl Sync for AttrHandle {}
handle!(WeightsHandle, sys::anydim_weights_s, sys::anydim_weights_t, sys::anydim_weights_destroy);
// Many threads may use it at once.
unsafe impl Sync for WeightsHandle {}
handle!(PrimitiveHandle, sys::anydim_primitive_s, sys::anydim_primitive_t, sys::anydim_primitive_destroy);
// Many threads may use it at once.
unsafe impl Sync for PrimitiveHandle {}
handle!(BoundsHandle, sys::anydim_bounds_s, sys::anydim_bounds_t, sys::anydim_bounds_destroy);
handle!(ModelHandle, sys::anydim_model_s, sys::anydim_model_t, sys::anydim_model_destroy);
// Many threads may use it at once.
unsafe impl Sync for ModelHandle {}
handle!(LayersHandle, sys::anydim_layers_s, sys::anydim_layers_t, sys::anydim_layers_destroy);
handle!(LayoutsHandle, sys::anydim_layouts_s, sys::anydim_layouts_t, sys::anydim_layouts_destroy);
handle!(ModelBuilderHandle, sys::anydim_model_builder_s, sys::anydim_model_builder_t, sys::anydim_model_builder_destroy);
handle!(ContextHandle, sys::anydim_context_s, sys::anydim_context_t, sys::anydim_context_destroy);
handle!(CancellationHandle, sys::anydim_cancellation_s, sys::anydim_cancellation_t, sys::anydim_cancellation_destroy);
// Many threads may use it at once.
unsafe impl Sync for CancellationHandle {}
handle!(SessionHandle, sys::anydim_session_s, sys::anydim_session_t, sys::anydim_session_destroy);
// Many threads may use it at once.
unsafe impl Sync for SessionHandle {}
handle!(StateHandle, sys::anydim_state_s, sys::anydim_state_t, sys::anydim_state_destroy);
handle!(StreamingHandle, sys::anydim_streaming_s, sys::anydim_streaming_t, sys::anydim_streaming_destroy);
handle!(CallHandle, sys::anydim_call_s, sys::anydim_call_t, sys::anydim_call_destroy);
// Many threads may use it at once.
unsafe impl Sync for CallHandle {}
