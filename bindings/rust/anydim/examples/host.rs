// SPDX-License-Identifier: Apache-2.0
//! A program that has threads and an allocator of its own, and a place for log lines: Anydim uses them instead of its own.
//! `cargo run --example host`

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use anydim::operators::Matmul;
use anydim::{logging, Desc, Dim, Engine, LogLevel, Primitive, TensorView};

static LOOPS: AtomicUsize = AtomicUsize::new(0);
static BYTES: AtomicUsize = AtomicUsize::new(0);

/// The allocator: it counts what was asked for. Several threads may call.
struct Counting;

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size(), Ordering::Relaxed);
        System.alloc(layout)
    }

    unsafe fn dealloc(&self, address: *mut u8, layout: Layout) {
        System.dealloc(address, layout);
    }
}

fn main() -> anydim::Result<()> {
    logging::to(LogLevel::Info, |level, line| println!("[anydim {level}] {line}"))?;

    let engine = Engine::builder()
        .threads(4)
        .allocator(Counting)
        // The loop. Real programs hand the parts to a pool that they have already; here each has a thread.
        .parallel_for(|parts| {
            LOOPS.fetch_add(1, Ordering::Relaxed);
            std::thread::scope(|scope| {
                while let Some(part) = parts.take() {
                    scope.spawn(|| part.run());
                }
            });
        })
        .build()?;

    let b: Vec<f32> = (0..512 * 512).map(|i| (i % 5) as f32 - 2.0).collect();
    let product = Primitive::builder(&engine, Matmul::new())
        .input(Desc::f32([Dim::dynamic(1..=4096), 512.into()]))
        .constant(TensorView::new(&b, &[512, 512])?)
        .build()?;
    let mut stream = engine.stream()?;
    for rows in [100, 400, 700] {
        let a: Vec<f32> = (0..rows * 512).map(|i| (i % 5) as f32 - 2.0).collect();
        let y = product.execute(&mut stream, &[TensorView::new(&a, &[rows, 512])?])?;
        let last = y[0].as_slice::<f32>()?[rows * 512 - 1];
        println!("{rows} rows, the last number is {last}");
    }
    println!("{} loops in the program's own threads", LOOPS.load(Ordering::Relaxed));
    println!("more than 1 MB of its memory: {}", BYTES.load(Ordering::Relaxed) > 1_000_000);
    logging::to_stderr(LogLevel::Warning)
}
