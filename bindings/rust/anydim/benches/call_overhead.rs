// SPDX-License-Identifier: Apache-2.0
//! What a run into the caller's memory costs over the same call of C: a model that computes next to nothing, the two alternately,
//! medians of many rounds. `cargo bench` prints nanoseconds; nothing is asserted, since a busy machine proves nothing.

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;

use anydim::{Bounds, Context, Dim, Model, Session, TensorView, TensorViewMut};
use anydim_sys as sys;

const CALLS: usize = 100;
const ROUNDS: usize = 5001;

/// A session and a context made by C's functions, with the same options.
struct OfC {
    session: sys::anydim_session_t,
    context: sys::anydim_context_t,
}

impl OfC {
    fn new(bytes: &[u8]) -> Self {
        let mut engine = std::ptr::null();
        let mut model = std::ptr::null();
        let mut bounds = std::ptr::null_mut();
        let mut made = Self { session: std::ptr::null(), context: std::ptr::null_mut() };
        let mut options = sys::anydim_context_options_t::INIT;
        options.threads = 1;
        unsafe {
            let dims = [sys::anydim_dim_dynamic(1, 16)];
            let (data, size) = (bytes.as_ptr().cast(), bytes.len() as i64);
            for status in [
                sys::anydim_engine_create(sys::ANYDIM_ENGINE_CPU, 0, std::ptr::null(), &mut engine),
                sys::anydim_model_load_memory(engine, data, size, std::ptr::null(), &mut model),
                sys::anydim_bounds_create(&mut bounds),
                sys::anydim_bounds_set(bounds, b"x\0".as_ptr().cast(), 1, dims.as_ptr()),
                sys::anydim_session_create(model, bounds, &options, 1, &mut made.session),
                sys::anydim_context_create(model, bounds, &options, &mut made.context),
            ] {
                assert_eq!(status, sys::ANYDIM_STATUS_OK);
            }
        }
        made
    }
}

fn nanoseconds(mut call: impl FnMut()) -> f64 {
    let begin = Instant::now();
    for _ in 0..CALLS {
        call();
    }
    begin.elapsed().as_nanos() as f64 / CALLS as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Both alternately, first the one and then the other: their medians, and the median of the differences.
fn in_turn(name: &str, mut of_c: impl FnMut(), mut of_rust: impl FnMut()) {
    let (mut c, mut rust, mut over) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let (a, b) = if round % 2 == 0 {
            let a = nanoseconds(&mut of_c);
            (a, nanoseconds(&mut of_rust))
        } else {
            let b = nanoseconds(&mut of_rust);
            (nanoseconds(&mut of_c), b)
        };
        c.push(a);
        rust.push(b);
        over.push(b - a);
    }
    println!("{name}: C {:.1} ns, Rust {:.1} ns, over C {:+.1} ns", median(c), median(rust), median(over));
}

fn main() {
    let bytes = common::relu();
    let of_c = OfC::new(&bytes);
    let bounds = Bounds::new().input("x", [Dim::dynamic(1..=16)]);
    let model = Model::builder().load_bytes(&bytes).expect("a model");
    let session = Session::builder().threads(1).contexts(1).bounds(bounds.clone()).over(&model).expect("a session");
    let mut context: Context<'_> = model.context().threads(1).bounds(&bounds).build().expect("a context");

    let (x, mut y_of_c, mut y) = ([1.0f32], [0.0f32], [0.0f32]);
    let mut raw = [sys::anydim_view_t::INIT; 2];
    for (view, data) in raw.iter_mut().zip([x.as_ptr(), y_of_c.as_mut_ptr()]) {
        view.data = data as *mut _;
        view.dtype = sys::ANYDIM_F32;
        view.dims.rank = 1;
        view.dims.values[0] = 1;
    }
    let [raw_x, mut raw_y] = raw;
    let options = sys::anydim_run_options_t::INIT;
    let input = [TensorView::new(&x, &[1]).expect("one number")];
    let mut output = [TensorViewMut::new(&mut y, &[1]).expect("one number")];

    let session_of_c = || {
        let status = unsafe { sys::anydim_session_run(of_c.session, &raw_x, 1, &mut raw_y, 1, &options) };
        assert_eq!(status, sys::ANYDIM_STATUS_OK);
    };
    in_turn("session", session_of_c, || session.run_into(&input, &mut output).expect("it runs"));
    let context_of_c = || {
        let status = unsafe { sys::anydim_context_run(of_c.context, &raw_x, 1, &mut raw_y, 1, std::ptr::null()) };
        assert_eq!(status, sys::ANYDIM_STATUS_OK);
    };
    in_turn("context", context_of_c, || context.run_into(&input, &mut output).expect("it runs"));
    // New views for each call, as a program does whose shape changes.
    in_turn(
        "context, new views",
        || {
            let mut x_view = sys::anydim_view_t::INIT;
            x_view.data = x.as_ptr() as *mut _;
            x_view.dtype = sys::ANYDIM_F32;
            x_view.dims.rank = 1;
            x_view.dims.values[0] = 1;
            let mut y_view = x_view;
            y_view.data = y_of_c.as_mut_ptr().cast();
            let status =
                unsafe { sys::anydim_context_run(of_c.context, &x_view, 1, &mut y_view, 1, std::ptr::null()) };
            assert_eq!(status, sys::ANYDIM_STATUS_OK);
        },
        || {
            let input = [TensorView::new(&x, &[1]).expect("one number")];
            let mut room = [0.0f32];
            context
                .run_into(&input, &mut [TensorViewMut::new(&mut room, &[1]).expect("one number")])
                .expect("it runs");
        },
    );
}
