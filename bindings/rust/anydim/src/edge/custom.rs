// SPDX-License-Identifier: Apache-2.0
//! Operators that a program brings: the callbacks of the C API over a trait. A panic of an operator ends there and is reported as a failure
//! of the call.

use std::ffi::CString;
use std::fmt;
use std::marker::PhantomData;
use std::os::raw::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};

use anydim_sys as sys;

use super::elements::AnyBits;
use super::host::drop_user;
use super::views::{list, TensorView};
use super::{c_string, check, owned};
use crate::custom::CustomOperator;
use crate::error::invalid;
use crate::{Dtype, Result};

/// A node whose operator is the program's.
#[derive(Clone, Copy)]
pub struct CustomNode<'a>(&'a sys::anydim_custom_node_t);

/// An input of a node: of its rule of shapes, with dims that are not known yet as negative numbers, or of its kernel.
#[derive(Clone, Copy)]
pub struct CustomInput<'a>(&'a sys::anydim_view_t);

/// An output of a node, whose elements its kernel writes.
pub struct CustomOutput<'a>(sys::anydim_view_t, PhantomData<&'a mut [u8]>);

/// An operator that takes no such node; the text says why.
pub type CustomFailure = String;

impl CustomNode<'_> {
    /// Its name in the model.
    pub fn name(&self) -> String {
        owned(self.0.name)
    }

    /// The operator's name.
    pub fn op_type(&self) -> String {
        owned(self.0.op_type)
    }

    /// The version of the operator's domain that the model imports.
    pub fn version(&self) -> i64 {
        self.0.version
    }

    /// An attribute of this type; none if the model does not set it.
    fn attribute(&self, name: &str, kind: i32) -> Option<sys::anydim_custom_attribute_t> {
        let name = CString::new(name).ok()?;
        let mut found = sys::anydim_custom_attribute_t::INIT;
        let status = unsafe { sys::anydim_custom_node_find_attribute(self.0, name.as_ptr(), &mut found) };
        (status == sys::ANYDIM_STATUS_OK && found.r#type == kind).then_some(found)
    }

    fn entries<T: Copy>(&self, name: &str, kind: i32) -> Option<Vec<T>> {
        let found = self.attribute(name, kind)?;
        if found.count <= 0 || found.data.is_null() {
            return Some(Vec::new());
        }
        // As many entries of this type as the library says.
        Some(unsafe { std::slice::from_raw_parts(found.data as *const T, found.count as usize) }.to_vec())
    }

    /// Whole numbers of an attribute, one or a list; none if the model does not set it, or sets one of another type.
    pub fn integers(&self, name: &str) -> Option<Vec<i64>> {
        self.entries(name, sys::ANYDIM_CUSTOM_ATTRIBUTE_INTEGERS)
    }

    /// Floats of an attribute, one or a list; none if the model does not set it, or sets one of another type.
    pub fn reals(&self, name: &str) -> Option<Vec<f32>> {
        self.entries(name, sys::ANYDIM_CUSTOM_ATTRIBUTE_REALS)
    }

    /// Texts of an attribute, one or a list; none if the model does not set it, or sets one of another type.
    pub fn texts(&self, name: &str) -> Option<Vec<String>> {
        let texts: Vec<sys::anydim_string_t> = self.entries(name, sys::ANYDIM_CUSTOM_ATTRIBUTE_TEXTS)?;
        Some(texts.into_iter().map(owned).collect())
    }
}

impl fmt::Debug for CustomNode<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CustomNode").field("name", &self.name()).field("op_type", &self.op_type()).finish()
    }
}

impl<'a> CustomInput<'a> {
    /// The element type; none for an input that is absent.
    pub fn dtype(&self) -> Option<Dtype> {
        Dtype::from_number(self.0.dtype)
    }

    /// The dims. A negative number stands for one that is not known when the model is loaded; equal numbers are the same dim.
    pub fn dims(&self) -> &'a [i64] {
        super::dims_of(&self.0.dims)
    }

    /// The elements; none where they are not known, and for an input that is absent.
    pub fn view(&self) -> Option<TensorView<'a>> {
        let is_there = self.dtype().is_some() && self.dims().iter().all(|&d| d >= 0);
        let is_empty = self.dims().contains(&0);
        (is_there && (is_empty || !self.0.data.is_null())).then(|| TensorView::of(*self.0))
    }

    /// The elements of a kernel's input, dense and row-major.
    ///
    /// Errors: what a kernel returns then, for another type and for an input that is absent.
    pub fn as_slice<T: AnyBits>(&self) -> std::result::Result<&'a [T], CustomFailure> {
        let view = self.view().ok_or_else(|| "an input is absent".to_owned())?;
        view.as_slice().map_err(|e| e.to_string())
    }
}

impl fmt::Debug for CustomInput<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CustomInput").field("dtype", &self.dtype()).field("dims", &self.dims()).finish()
    }
}

impl CustomOutput<'_> {
    /// The element type.
    pub fn dtype(&self) -> Dtype {
        Dtype::from_number(self.0.dtype).unwrap_or(Dtype::U8)
    }

    /// The dims.
    pub fn dims(&self) -> &[i64] {
        super::dims_of(&self.0.dims)
    }

    /// The elements to write, dense and row-major.
    ///
    /// Errors: what a kernel returns then, for another type.
    pub fn as_mut_slice<T: AnyBits>(&mut self) -> std::result::Result<&mut [T], CustomFailure> {
        if self.0.dtype != T::DTYPE as i32 {
            return Err(format!("an output's dtype is {}; {} is asked for", self.dtype(), T::DTYPE));
        }
        let count: i64 = self.dims().iter().product();
        if count <= 0 {
            return Ok(&mut []);
        }
        // The library's memory, aligned, of so many elements, which nobody else uses during the call; any bits are a value.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.0.data as *mut T, count as usize) })
    }
}

impl fmt::Debug for CustomOutput<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CustomOutput").field("dtype", &self.dtype()).field("dims", &self.dims()).finish()
    }
}

type Operator = Box<dyn CustomOperator>;

/// What a callback answers: nothing, or a failure whose text the library gets.
fn answer(done: std::thread::Result<std::result::Result<(), CustomFailure>>, status: i32) -> i32 {
    let why = match done {
        Ok(Ok(())) => return sys::ANYDIM_STATUS_OK,
        Ok(Err(why)) => why,
        Err(_) => "the operator panicked".to_owned(),
    };
    if let Ok(why) = CString::new(why.replace('\0', "\u{fffd}")) {
        unsafe { sys::anydim_custom_operator_fail(why.as_ptr()) };
    }
    status
}

/// The inputs of a callback.
///
/// # Safety
/// There are so many, which live until the callback returns.
unsafe fn inputs_of<'a>(inputs: *const sys::anydim_view_t, count: i64) -> Vec<CustomInput<'a>> {
    let views = if count > 0 { unsafe { std::slice::from_raw_parts(inputs, count as usize) } } else { &[] };
    views.iter().map(CustomInput).collect()
}

unsafe extern "C" fn shapes(
    user: *mut c_void,
    node: *const sys::anydim_custom_node_t,
    inputs: *const sys::anydim_view_t,
    input_count: i64,
    outputs: *mut sys::anydim_view_t,
    output_count: i64,
) -> i32 {
    let (operator, node) = unsafe { (&*user.cast::<Operator>(), CustomNode(&*node)) };
    let done = catch_unwind(AssertUnwindSafe(|| {
        let found = operator.shapes(&node, &unsafe { inputs_of(inputs, input_count) })?;
        let wanted = output_count.max(0) as usize;
        if found.len() < wanted {
            return Err(format!("the rule of shapes gives {} outputs; the node has {wanted}", found.len()));
        }
        for (i, (dtype, dims)) in found.iter().take(wanted).enumerate() {
            if dims.len() > sys::ANYDIM_MAX_RANK {
                return Err(format!("output {i} has {} dims; expected at most {}", dims.len(), sys::ANYDIM_MAX_RANK));
            }
            let mut made = list(&[]);
            made.rank = dims.len() as i32;
            made.values[..dims.len()].copy_from_slice(dims);
            let output = unsafe { &mut *outputs.add(i) };
            output.dtype = *dtype as i32;
            output.dims = made;
        }
        Ok(())
    }));
    answer(done, sys::ANYDIM_STATUS_INVALID_ARGUMENT)
}

unsafe extern "C" fn compute(
    user: *mut c_void,
    node: *const sys::anydim_custom_node_t,
    inputs: *const sys::anydim_view_t,
    input_count: i64,
    outputs: *mut sys::anydim_view_t,
    output_count: i64,
) -> i32 {
    let (operator, node) = unsafe { (&*user.cast::<Operator>(), CustomNode(&*node)) };
    let done = catch_unwind(AssertUnwindSafe(|| {
        let inputs = unsafe { inputs_of(inputs, input_count) };
        let views = if output_count > 0 {
            unsafe { std::slice::from_raw_parts(outputs, output_count as usize) }
        } else {
            &[]
        };
        let mut outputs: Vec<CustomOutput<'_>> = views.iter().map(|&view| CustomOutput(view, PhantomData)).collect();
        operator.compute(&node, &inputs, &mut outputs)
    }));
    answer(done, sys::ANYDIM_STATUS_INVALID_DATA)
}

/// A set of operators, which destroys itself.
#[derive(Debug)]
pub(crate) struct CustomOperatorsHandle(sys::anydim_custom_operators_t);

// A handle is a number that every call checks; a second user at the same time is refused.
unsafe impl Send for CustomOperatorsHandle {}
unsafe impl Sync for CustomOperatorsHandle {}

impl CustomOperatorsHandle {
    pub(crate) fn create() -> Result<Self> {
        let mut made = std::ptr::null_mut();
        check(unsafe { sys::anydim_custom_operators_create(&mut made) })?;
        Ok(Self(made))
    }

    pub(super) fn raw(&self) -> sys::anydim_custom_operators_t {
        self.0
    }

    pub(crate) fn add(&self, domain: &str, op_type: &str, operator: Operator) -> Result<()> {
        let (domain, name) = (c_string(domain.as_bytes(), "domain")?, c_string(op_type.as_bytes(), "op_type")?);
        if op_type.is_empty() {
            return Err(invalid("op_type", "op_type is empty; expected the operator's name"));
        }
        let mut definition = sys::anydim_custom_operator_t::INIT;
        definition.shapes = Some(shapes);
        definition.compute = Some(compute);
        definition.user = Box::into_raw(Box::new(operator)).cast();
        definition.finalizer = Some(drop_user::<Operator>);
        let added =
            check(unsafe { sys::anydim_custom_operators_add(self.0, domain.as_ptr(), name.as_ptr(), &definition) });
        if added.is_err() {
            // The finalizer is not called where the call fails.
            unsafe { drop_user::<Operator>(definition.user) };
        }
        added
    }
}

impl Drop for CustomOperatorsHandle {
    fn drop(&mut self) {
        unsafe { sys::anydim_custom_operators_destroy(self.0) }
    }
}
