// SPDX-License-Identifier: Apache-2.0
//! Runs and executions into the caller's memory allocate nothing in Rust, at shapes that are new, too.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use anydim::operators::Matmul;
use anydim::{Bounds, Desc, Dim, Engine, Model, Primitive, Session, TensorView, TensorViewMut};

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, which counts for each thread.
struct Counting;

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|c| c.set(c.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        unsafe { System.dealloc(address, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

fn allocations(work: impl FnOnce()) -> usize {
    let before = COUNT.with(Cell::get);
    work();
    COUNT.with(Cell::get) - before
}

#[test]
fn what_is_counted_is_allocated() {
    assert_eq!(allocations(|| drop(Box::new(1))), 1);
}

#[test]
fn a_run_into_the_callers_memory_allocates_nothing() {
    let bounds = Bounds::new().input("x", [Dim::dynamic(1..=1000)]);
    let model = Model::builder().load_bytes(&common::relu()).expect("a model");
    let session = Session::builder().threads(1).bounds(bounds.clone()).over(&model).expect("a session");
    let mut context = model.context().threads(1).bounds(&bounds).build().expect("a context");
    let (x, mut y) = (vec![1.0f32; 1000], vec![0.0f32; 1000]);
    for n in [10usize, 11, 1000, 3] {
        let count = allocations(|| {
            let inputs = [TensorView::new(&x[..n], &[n]).expect("as many")];
            let mut outputs = [TensorViewMut::new(&mut y[..n], &[n]).expect("as many")];
            session.run_into(&inputs, &mut outputs).expect("it runs");
            context.run_into(&inputs, &mut outputs).expect("it runs");
        });
        assert_eq!(count, 0, "at {n}");
    }
}

#[test]
fn an_execution_into_the_callers_memory_allocates_nothing() {
    let cpu = Engine::builder().threads(1).build().expect("an engine");
    let mut stream = cpu.stream().expect("a stream");
    let (b, a, mut y) = (vec![1.0f32; 32 * 8], vec![1.0f32; 100 * 32], vec![0.0f32; 100 * 8]);
    let product = Primitive::builder(&cpu, Matmul::new())
        .input(Desc::f32([Dim::dynamic(1..=100), 32.into()]))
        .constant(TensorView::new(&b, &[32, 8]).expect("as many"))
        .build()
        .expect("a primitive");
    for n in [1usize, 7, 100] {
        let count = allocations(|| {
            let inputs = [TensorView::new(&a[..n * 32], &[n, 32]).expect("as many")];
            let mut outputs = [TensorViewMut::new(&mut y[..n * 8], &[n, 8]).expect("as many")];
            product.execute_into(&mut stream, &inputs, &mut outputs).expect("it runs");
        });
        assert_eq!(count, 0, "at {n}");
    }
    assert!(y.iter().all(|&v| v == 32.0));
}
