// SPDX-License-Identifier: Apache-2.0
//! The edge under Miri (tests/rust/miri.py), which sees what no test of the real library can: reads and writes outside of what a
//! pointer may reach, borrows that overlap, use after free, data races, leaks. Miri calls no C, so the library is played by functions
//! of its names in Rust, which do with the addresses that they are given what the library does: they read whole structs of
//! operators, place results and have them released, call back, keep what is imported, and write in what is borrowed. Every operator
//! and model negates its input. What is computed is the other tests' business.
#![cfg(miri)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use anydim::operators::Unary;
use anydim::{
    logging, Bf16, CacheLine, Desc, Dim, Dtype, Engine, Error, LogLevel, Memory, Model, Primitive, RunOptions,
    Session, Tensor, TensorView, TensorViewMut, TuneOptions, UnaryFunction, F16,
};

#[path = "played/mod.rs"]
mod library;

fn view(x: &[f32]) -> TensorView<'_> {
    TensorView::new(x, &[x.len()]).expect("as many")
}

fn session(engine: &Engine) -> Session {
    Session::builder().engine(engine).open_bytes(b"negate").expect("a session")
}

const X: [f32; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
const NEGATED: [f32; 6] = [-1.0, -2.0, -3.0, -4.0, -5.0, -6.0];

#[test]
fn views_reach_what_they_borrow_and_no_more() {
    let every_second = TensorView::with_strides(&X, 5, &[3], &[-2]).expect("inside");
    assert_eq!(every_second.to_vec::<f32>().expect("f32"), [6.0, 4.0, 2.0]);
    assert!(every_second.as_slice::<f32>().is_err());
    let columns = TensorView::with_strides(&X, 0, &[3, 2], &[1, 3]).expect("inside");
    assert_eq!(columns.to_vec::<f32>().expect("f32"), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    let repeated = TensorView::with_strides(&X[2..3], 0, &[4], &[0]).expect("inside");
    assert_eq!(repeated.to_vec::<f32>().expect("f32"), [3.0; 4]);
    for (offset, dims, strides) in [(6, 1, 1), (0, 2, -1), (3, 4, 1), (usize::MAX, 1, 1)] {
        assert!(TensorView::with_strides(&X, offset, &[dims], &[strides]).is_err(), "{offset} {dims} {strides}");
    }
    let empty = TensorView::with_strides(&X, 6, &[0, 9], &[1, 1]).expect("no element");
    assert!(empty.is_empty() && empty.as_slice::<f32>().expect("f32").is_empty());
    assert!(TensorView::new(&X, &[usize::MAX, 2]).is_err());
    let flags = [true, false, true];
    assert_eq!(TensorView::new(&flags, &[3]).expect("as many").as_slice::<bool>().expect("bool"), flags);
    let halves = [F16(1), F16(2)];
    assert_eq!(TensorView::new(&halves, &[2]).expect("as many").to_vec::<F16>().expect("f16"), halves);
    assert!(TensorView::new(&[Bf16(3)], &[1]).expect("as many").as_slice::<F16>().is_err());
    let mut bytes = [0u8; 3];
    assert_eq!(TensorViewMut::of_bools(&mut bytes, &[3]).expect("as many").reborrow().dims(), [3]);
}

#[test]
fn results_are_held_until_they_are_dropped_and_outlive_all_else() {
    let y = {
        let engine = Engine::cpu().expect("an engine");
        let session = session(&engine);
        session.run([("x", view(&X))]).expect("it runs")
    };
    assert_eq!(y[0].as_slice::<f32>().expect("f32"), NEGATED);
    let moved = std::thread::spawn(move || y.into_iter().next().expect("one").to_vec::<f32>().expect("f32"));
    assert_eq!(moved.join().expect("no panic"), NEGATED);
}

#[test]
fn runs_write_the_callers_memory() {
    let engine = Engine::cpu().expect("an engine");
    let session = session(&engine);
    let mut room = [0.0f32; 6];
    let mut outputs = [TensorViewMut::new(&mut room, &[6]).expect("as many")];
    session.run_into(&[view(&X)], &mut outputs).expect("it runs");
    session.run_into(&[view(&NEGATED)], &mut outputs).expect("it runs again");
    assert_eq!(room, X);
    session.run_into(&[view(&X)], &mut [TensorViewMut::unasked()]).expect("it runs");
    let mut few = [0.0f32; 2];
    let wrong = session.run_into(&[view(&X)], &mut [TensorViewMut::new(&mut few, &[2]).expect("as many")]);
    let error = wrong.unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)) && error.message().contains("outputs[0]"), "{error:?}");
    assert!(matches!(Session::builder().open_bytes(b"").unwrap_err(), Error::InvalidModel(_)));
}

#[test]
fn a_session_is_closed_once_from_any_thread() {
    let engine = Engine::cpu().expect("an engine");
    let session = session(&engine);
    session.run([("x", view(&X))]).expect("it runs");
    std::thread::scope(|scope| {
        scope.spawn(|| session.close());
        scope.spawn(|| session.close());
    });
    assert!(matches!(session.run([("x", view(&X))]).unwrap_err(), Error::Closed(_)));
}

#[test]
fn waits_ask_whether_they_are_interrupted() {
    let engine = Engine::cpu().expect("an engine");
    let session = session(&engine);
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let options = RunOptions::new().interrupted(move || counted.fetch_add(1, Ordering::SeqCst) > 0);
    let again = options.clone();
    session.run_with([("x", view(&X))], &options).expect("it goes on");
    assert!(matches!(session.run_with([("x", view(&X))], &again).unwrap_err(), Error::Cancelled(_)));
    drop((options, again));
    assert_eq!(Arc::strong_count(&asked), 1);
    let panics = RunOptions::new().interrupted(|| panic!("when asked"));
    assert!(matches!(session.run_with([("x", view(&X))], &panics).unwrap_err(), Error::Cancelled(_)));
    let stop = anydim::Cancellation::new().expect("a cancellation");
    let other = stop.clone();
    std::thread::spawn(move || other.cancel()).join().expect("no panic").expect("it turns on");
    let options = RunOptions::new().cancellation(&stop);
    assert!(matches!(session.run_with([("x", view(&X))], &options).unwrap_err(), Error::Cancelled(_)));
}

#[test]
fn contexts_run_in_memory_of_the_caller() {
    let engine = Engine::cpu().expect("an engine");
    let model = Model::builder().engine(&engine).engines(&[engine.clone(), engine.clone()]).load_bytes(b"negate");
    let model = model.expect("a model");
    let mut buffer = vec![CacheLine::ZERO; CacheLine::for_bytes(1024)];
    for _ in 0..2 {
        let mut context = model.context().buffer(&mut buffer).build().expect("a context");
        assert_eq!(context.run([("x", view(&X))]).expect("it runs")[0].as_slice::<f32>().expect("f32"), NEGATED);
        assert_eq!(context.run([("x", view(&NEGATED))]).expect("it runs")[0].as_slice::<f32>().expect("f32"), X);
    }
    assert_eq!(buffer[0].0[..4], X[0].to_ne_bytes());
    let mut context = model.context().build().expect("a context");
    let mut told = Vec::new();
    let report = context.tune(&[view(&X)], &TuneOptions::default(), |done, nodes| {
        told.push((done, nodes));
        true
    });
    assert_eq!((report.expect("a report").as_str(), told.len()), ("{\"nodes\": []}", 3));
    let panics = context.tune(&[view(&X)], &TuneOptions::default(), |_, _| panic!("when told"));
    assert!(matches!(panics.unwrap_err(), Error::Cancelled(_)));
}

#[test]
fn parts_of_a_loop_run_once_each_on_any_thread() {
    let held = Arc::new(());
    let inside = Arc::clone(&held);
    let threads = Engine::builder().parallel_for(move |parts| {
        let _inside = &inside;
        std::thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while let Some(part) = parts.take() {
                        part.run();
                    }
                });
            }
        });
    });
    let lazy = Engine::builder().parallel_for(|parts| drop(parts.take()));
    let panics = Engine::builder().parallel_for(|parts| {
        parts.take().expect("one").run();
        panic!("in the loop");
    });
    for builder in [threads, lazy, panics] {
        let engine = builder.build().expect("an engine");
        let negate = Primitive::builder(&engine, Unary::new(UnaryFunction::Neg)).input(Desc::f32([Dim::dynamic(..)]));
        let negate = negate.build().expect("a primitive");
        let mut stream = engine.stream().expect("a stream");
        let y = negate.execute(&mut stream, &[view(&X)]).expect("it runs");
        assert_eq!(y[0].as_slice::<f32>().expect("f32"), NEGATED);
        let mut room = [0.0f32; 6];
        let mut outputs = [TensorViewMut::new(&mut room, &[6]).expect("as many")];
        negate.execute_into(&mut stream, &[view(&X)], &mut outputs).expect("it runs");
        assert_eq!(room, NEGATED);
    }
    assert_eq!(Arc::strong_count(&held), 1, "the closure went with its engine");
    let refused = Engine::builder().threads(300).parallel_for(|_| ()).allocator(std::alloc::System).build();
    assert!(matches!(refused.unwrap_err(), Error::InvalidArgument(_))); // and Miri sees a leak, if there is one
}

#[test]
fn an_allocator_gives_and_takes_all() {
    let engine = Engine::builder().allocator(std::alloc::System).build().expect("an engine");
    let mut tensor = Tensor::zeros(&engine, Dtype::F32, &[2, 3]).expect("a tensor");
    tensor.as_mut_slice::<f32>().expect("f32").copy_from_slice(&X);
    assert_eq!(tensor.view().expect("a view").to_vec::<f32>().expect("f32"), X);
    assert_eq!(tensor.as_slice::<f32>().expect("f32")[5], 6.0);
    let y = session(&engine).run([("x", view(&X))]).expect("it runs");
    drop((engine, tensor));
    assert_eq!(y["y"].as_slice::<f32>().expect("f32"), NEGATED);
}

#[test]
fn memories_are_mapped_imported_and_copied() {
    let engine = Engine::cpu().expect("an engine");
    let mut target = Memory::allocate(&engine, 64).expect("a memory");
    assert!(!target.info().expect("it tells").imported);
    target.map(4, 8).expect("inside").copy_from_slice(&[7; 8]);
    assert_eq!(target.map(3, 2).expect("inside")[..], [0, 7]);
    assert!(target.map(60, 5).is_err());
    let source = Memory::import(&engine, X.to_vec()).expect("a memory");
    engine.stream().expect("a stream").copy(&source, 4, &mut target, 16, 8).expect("it copies");
    let x = target.view(16, Dtype::F32, &[2]);
    let y = session(&engine).run([("x", x)]).expect("it runs");
    assert_eq!(y[0].as_slice::<f32>().expect("f32"), [-2.0, -3.0]);
    assert!(Memory::import(&engine, Vec::<f64>::new()).is_ok());
    assert!(matches!(Memory::import(&engine, vec![1u8; 3]).unwrap_err(), Error::Unimplemented(_)));
}

#[test]
fn loggers_are_dropped_when_others_take_their_place() {
    let lines: Arc<Mutex<Vec<String>>> = Arc::default();
    for _ in 0..2 {
        let to = Arc::clone(&lines);
        logging::to(LogLevel::Info, move |_, line| {
            to.lock().unwrap_or_else(|e| e.into_inner()).push(line.to_owned());
            assert_ne!(line, "panic");
        })
        .expect("it is set");
        library::say("a line");
        library::say("panic");
    }
    let inside = Arc::clone(&lines);
    assert!(logging::to(LogLevel::Error, move |_, _| drop(Arc::clone(&inside))).is_err());
    logging::to_stderr(LogLevel::Warning).expect("it is set");
    assert_eq!(Arc::strong_count(&lines), 1);
    assert_eq!(lines.lock().unwrap_or_else(|e| e.into_inner()).len(), 4);
}

#[cfg(feature = "ndarray")]
#[test]
fn arrays_are_read_and_written_where_they_lie() {
    let engine = Engine::cpu().expect("an engine");
    let session = session(&engine);
    let x = ndarray::Array1::from(X.to_vec());
    let y = session.run([("x", x.view().into())]).expect("it runs");
    assert_eq!(y[0].to_array::<f32>().expect("f32"), (-&x).into_dyn());
    let wide = ndarray::Array2::from_shape_fn((3, 4), |(i, j)| (i * 4 + j) as f32);
    let some = wide.slice(ndarray::s![..;2, 1..;2]);
    assert_eq!(TensorView::from(some).to_array::<f32>().expect("f32"), some.into_dyn());
    let mut room = ndarray::Array1::<f32>::zeros(6);
    session.run_into(&[view(&X)], &mut [room.view_mut().into()]).expect("it runs");
    assert_eq!(room.as_slice().expect("dense"), NEGATED);
}

/// The control: Miri must end this one.
#[test]
#[ignore = "has a bug, which tests/rust/miri.py wants to be found"]
fn planted_use_after_free() {
    let engine = Engine::cpu().expect("an engine");
    let y = session(&engine).run([("x", view(&X))]).expect("it runs");
    let numbers = y[0].as_slice::<f32>().expect("f32");
    unsafe { anydim_sys::anydim_result_release(numbers.as_ptr() as *mut _) };
    assert_eq!(numbers[0], -1.0);
}

/// The control of races: Miri must end this one, too.
#[test]
#[ignore = "has a bug, which tests/rust/miri.py wants to be found"]
fn planted_race() {
    struct Shared(std::cell::UnsafeCell<u32>);
    unsafe impl Sync for Shared {}
    let shared = Shared(std::cell::UnsafeCell::new(0));
    std::thread::scope(|scope| {
        let other = &shared;
        scope.spawn(move || unsafe { *other.0.get() += 1 });
        unsafe { *shared.0.get() += 1 };
    });
}
