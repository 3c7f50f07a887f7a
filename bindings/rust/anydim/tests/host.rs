// SPDX-License-Identifier: Apache-2.0
//! What a host program provides: its loop, its allocator and a place for log lines, and what becomes of them at the end. The log
//! is one for the process, so its test is one.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use anydim::operators::Matmul;
use anydim::{logging, Desc, Dim, Dtype, Engine, LogLevel, Primitive, Session, Tensor, TensorView};

/// Counts bytes, of which none may be left in the end.
struct Counted {
    now: Arc<AtomicI64>,
    most: Arc<AtomicI64>,
    dropped: Arc<AtomicBool>,
}

unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = self.now.fetch_add(layout.size() as i64, Ordering::SeqCst) + layout.size() as i64;
        self.most.fetch_max(now, Ordering::SeqCst);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        self.now.fetch_sub(layout.size() as i64, Ordering::SeqCst);
        unsafe { System.dealloc(address, layout) }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.dropped.store(true, Ordering::SeqCst);
    }
}

/// The result of a product large enough for several parts.
fn product(engine: &Engine, rows: usize) -> Vec<f32> {
    let b: Vec<f32> = (0..256 * 256).map(|i| (i % 7) as f32 - 3.0).collect();
    let product = Primitive::builder(engine, Matmul::new())
        .input(Desc::f32([Dim::dynamic(..), 256.into()]))
        .constant(TensorView::new(&b, &[256, 256]).expect("as many"))
        .build()
        .expect("a primitive");
    let a: Vec<f32> = (0..rows * 256).map(|i| (i % 5) as f32 - 2.0).collect();
    let mut stream = engine.stream().expect("a stream");
    let y = product.execute(&mut stream, &[TensorView::new(&a, &[rows, 256]).expect("as many")]).expect("it runs");
    y[0].to_vec().expect("f32")
}

#[test]
fn loops_run_in_the_hosts_own_and_give_the_same_bits() {
    let (loops, parts_run, dropped) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)), Arc::new(()));
    let (counted, run, held) = (Arc::clone(&loops), Arc::clone(&parts_run), Arc::clone(&dropped));
    let host = Engine::builder()
        .threads(4)
        .parallel_for(move |parts| {
            let _held = &held;
            counted.fetch_add(1, Ordering::SeqCst);
            std::thread::scope(|scope| {
                let work = || {
                    while let Some(part) = parts.take() {
                        assert!(part.index() < parts.len());
                        run.fetch_add(1, Ordering::SeqCst);
                        part.run();
                    }
                };
                for _ in 1..parts.len() {
                    scope.spawn(work);
                }
                work();
            });
            assert!(parts.take().is_none());
        })
        .build()
        .expect("an engine");
    let alone = Engine::builder().threads(1).build().expect("an engine");
    assert_eq!(product(&host, 700), product(&alone, 700));
    assert!(loops.load(Ordering::SeqCst) > 0 && parts_run.load(Ordering::SeqCst) > 1);
    drop(host);
    assert_eq!(Arc::strong_count(&dropped), 1, "the closure went with the engine");
}

#[test]
fn a_loop_that_leaves_parts_out_or_panics_changes_no_result() {
    let alone = Engine::builder().threads(1).build().expect("an engine");
    let expected = product(&alone, 300);
    let lazy = Engine::builder().threads(4).parallel_for(|_| ()).build().expect("an engine");
    assert_eq!(product(&lazy, 300), expected);
    let half = Engine::builder().threads(4).parallel_for(|parts| {
        if let Some(part) = parts.take() {
            part.run();
        }
        let _never_run = parts.take();
    });
    assert_eq!(product(&half.build().expect("an engine"), 300), expected);
    let panics =
        Engine::builder().threads(4).parallel_for(|_| panic!("in the host's loop")).build().expect("an engine");
    assert_eq!(product(&panics, 300), expected);
}

#[test]
fn large_memory_comes_from_the_hosts_allocator_and_goes_back() {
    let (now, most) = (Arc::new(AtomicI64::new(0)), Arc::new(AtomicI64::new(0)));
    let dropped = Arc::new(AtomicBool::new(false));
    let counted = Counted { now: Arc::clone(&now), most: Arc::clone(&most), dropped: Arc::clone(&dropped) };
    let engine = Engine::builder().threads(1).allocator(counted).build().expect("an engine");
    let tensor = Tensor::zeros(&engine, Dtype::F32, &[1 << 20]).expect("a tensor");
    assert!(now.load(Ordering::SeqCst) >= 4 << 20);
    let session = Session::builder().engine(&engine).open_bytes(&common::long_chain(2)).expect("a session");
    let x = vec![1.0; 100 * 256];
    let y = session.run([("x", TensorView::new(&x, &[100, 256]).expect("as many"))]).expect("it runs");
    assert_eq!(y[0].as_slice::<f32>().expect("f32"), x);
    drop(tensor);
    drop(session);
    drop(engine);
    drop(y);
    assert!(most.load(Ordering::SeqCst) >= 4 << 20);
    assert_eq!(now.load(Ordering::SeqCst), 0, "bytes are left");
    assert!(dropped.load(Ordering::SeqCst), "the allocator went with the last that used it");
}

#[test]
fn an_engine_that_is_refused_frees_what_it_was_passed() {
    let (held, dropped) = (Arc::new(()), Arc::new(AtomicBool::new(false)));
    let (inside, zero) = (Arc::clone(&held), Arc::new(AtomicI64::new(0)));
    let counted = Counted { now: Arc::clone(&zero), most: zero, dropped: Arc::clone(&dropped) };
    let wrong = Engine::builder().threads(257).allocator(counted).parallel_for(move |_| drop(Arc::clone(&inside)));
    let error = wrong.build().unwrap_err();
    assert!(error.message().contains("257"), "{error}");
    assert_eq!(Arc::strong_count(&held), 1);
    assert!(dropped.load(Ordering::SeqCst));
}

#[test]
fn log_lines_go_where_they_are_sent() {
    let lines: Arc<Mutex<Vec<(LogLevel, String)>>> = Arc::default();
    let to = Arc::clone(&lines);
    logging::to(LogLevel::Debug, move |level, line| {
        to.lock().expect("no panic").push((level, line.to_owned()));
        if line.contains("no such file") {
            panic!("in the logger");
        }
    })
    .expect("it is set");
    let engine = Engine::cpu().expect("an engine");
    assert!(anydim::Model::load(&engine, "no such file").is_err());
    logging::to_stderr(LogLevel::Warning).expect("it is set");
    assert_eq!(Arc::strong_count(&lines), 1, "the logger was dropped");
    let lines = lines.lock().expect("no panic");
    assert!(lines.iter().any(|(level, l)| *level == LogLevel::Debug && l.contains("no such file")), "{lines:?}");
}
