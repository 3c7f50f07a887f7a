// SPDX-License-Identifier: Apache-2.0
//! What is made and dropped many times, closed while others use it, and asked for by many at once: the program of
//! tests/lifetimes/lifetimes.c in Rust, with its arguments and its output.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use anydim::{Batching, Engine, Error, Memory, Session, TensorView};

const THREADS: usize = 8;
const CLOSERS: usize = 4;

struct Input {
    numbers: Vec<f32>,
    dims: Vec<usize>,
}

impl Input {
    fn new(text: &str) -> Self {
        let dims: Vec<usize> = text.split('x').map(|d| d.parse().expect("a number")).collect();
        let numbers = (0..dims.iter().product::<usize>()).map(|i| (i % 97) as f32 / 97.0 - 0.5).collect();
        Self { numbers, dims }
    }

    fn view(&self) -> TensorView<'_> {
        TensorView::new(&self.numbers, &self.dims).expect("as many as the dims say")
    }
}

/// Bytes of this process in memory.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux tells it");
    let pages: usize = text.split_whitespace().nth(1).expect("the second number").parse().expect("a number");
    pages * 4096
}

fn session_of(engine: &Engine, path: &Path, contexts: usize) -> anydim::Result<Session> {
    Session::builder().engine(engine).threads(1).contexts(contexts).open(path)
}

/// The resident set before and after so many rounds: it jumps up and down by what the allocator has just then, so the smallest of a
/// tenth as many rounds before the first, which follow as many that warm up, and of the last tenth.
fn watched(rounds: usize, mut round: impl FnMut() -> anydim::Result<()>) -> anydim::Result<()> {
    let tenth = rounds / 10;
    let mut smallest_of = |unwatched: usize| -> anydim::Result<usize> {
        let mut smallest = usize::MAX;
        for i in 0..unwatched + tenth {
            round()?;
            if i >= unwatched {
                smallest = smallest.min(resident());
            }
        }
        Ok(smallest)
    };
    let before = smallest_of(tenth)?;
    let after = smallest_of(rounds - tenth)?;
    println!("{{\"before\": {before}, \"after\": {after}}}");
    Ok(())
}

fn closing(engine: &Engine, path: &Path, x: &Input, rounds: usize) -> anydim::Result<()> {
    let name = session_of(engine, path, 1)?.model().inputs()[0].name.clone();
    let inputs = [(name.as_str(), x.view())];
    let expected = session_of(engine, path, 1)?.run(inputs)?;
    let expected = expected[0].as_slice::<f32>()?;
    let (mut runs, mut closed) = (0, 0);
    for _ in 0..rounds {
        let session = session_of(engine, path, 2)?;
        let (done, ended) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..CLOSERS {
                scope.spawn(|| loop {
                    match session.run(inputs) {
                        Ok(y) => {
                            let same = y[0].as_slice::<f32>().expect("f32") == expected;
                            assert!(same, "a run that ended while the session was closed gave other numbers");
                            done.fetch_add(1, Ordering::SeqCst);
                        }
                        Err(Error::Closed(_)) => {
                            ended.fetch_add(1, Ordering::SeqCst);
                            return;
                        }
                        Err(other) => panic!("{other}"),
                    }
                });
            }
            while done.load(Ordering::SeqCst) < 2 * CLOSERS {
                std::thread::yield_now();
            }
            session.close();
        });
        runs += done.into_inner();
        closed += ended.into_inner();
    }
    println!("{{\"rounds\": {rounds}, \"threads\": {CLOSERS}, \"runs\": {runs}, \"closed\": {closed}}}");
    Ok(())
}

fn fair(engine: &Engine, path: &Path, x: &Input, most: usize) -> anydim::Result<()> {
    let session = session_of(engine, path, 2)?;
    let name = session.model().inputs()[0].name.as_str();
    let (done, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let waits: Vec<Vec<usize>> = std::thread::scope(|scope| {
        let calls = || {
            let mut waits = Vec::new();
            while !stop.load(Ordering::SeqCst) {
                let before = done.load(Ordering::SeqCst);
                session.run([(name, x.view())]).expect("it runs");
                waits.push(done.fetch_add(1, Ordering::SeqCst) - before);
                if waits.len() == most {
                    stop.store(true, Ordering::SeqCst);
                }
            }
            waits
        };
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(calls)).collect();
        threads.into_iter().map(|t| t.join().expect("no panic")).collect()
    });
    println!("{{\"waits\": {waits:?}}}");
    Ok(())
}

/// The program ends after so many runs, while threads run in sessions with workers and with batches, and make sessions.
fn ending(path: &Path, x: Input, runs: usize) -> anydim::Result<()> {
    static DONE: AtomicUsize = AtomicUsize::new(0);
    let with_workers = Session::builder().threads(2).open(path)?;
    let with_batches = Session::builder().threads(1).batching(Batching::new().rows(4)).open(path)?;
    let name = with_workers.model().inputs()[0].name.clone();
    let shared = std::sync::Arc::new((with_workers, with_batches, name, x, path.to_owned()));
    for number in 0..CLOSERS {
        let shared = shared.clone();
        std::thread::spawn(move || {
            let (with_workers, with_batches, name, x, path) = &*shared;
            loop {
                if number == 3 {
                    Session::builder().threads(1).open(path).expect("a session");
                } else {
                    let session = if number == 0 { with_workers } else { with_batches };
                    session.run([(name.as_str(), x.view())]).expect("it runs");
                }
                DONE.fetch_add(1, Ordering::SeqCst);
            }
        });
    }
    while DONE.load(Ordering::SeqCst) < runs {
        std::thread::yield_now();
    }
    println!("{{\"threads\": {CLOSERS}}}");
    std::mem::forget(shared);
    Ok(())
}

fn main() -> anydim::Result<()> {
    let words: Vec<String> = std::env::args().collect();
    let (what, path, x, count) = match &words[1..] {
        [what, path, dims, count] => (what, Path::new(path), Input::new(dims), count.parse().expect("a number")),
        _ => panic!("usage: lifetimes sessions|kept|results|closing|fair|ending MODEL DIMS COUNT"),
    };
    let engine = Engine::builder().threads(1).build()?;
    let opened = || {
        let session = session_of(&engine, path, 1)?;
        session.run([(session.model().inputs()[0].name.as_str(), x.view())])?;
        Ok(session)
    };
    match what.as_str() {
        "sessions" => watched(count, || opened().map(drop)),
        "kept" => watched(count, || opened().map(std::mem::forget)),
        "results" => {
            let session = session_of(&engine, path, 1)?;
            let name = session.model().inputs()[0].name.as_str();
            watched(count, || {
                let _y = session.run([(name, x.view())])?;
                Memory::allocate(&engine, 1 << 14).map(drop)
            })
        }
        "closing" => closing(&engine, path, &x, count),
        "fair" => fair(&engine, path, &x, count),
        "ending" => ending(path, x, count),
        other => panic!("{other} is none of sessions, kept, results, closing, fair, ending"),
    }
}
