// SPDX-License-Identifier: Apache-2.0
//! Sessions and threads: many callers of one session, waits and runs that end from outside, closing while threads run.

mod common;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anydim::{Cancellation, Error, RunOptions, Session, TensorView};

fn view<'a>(data: &'a [f32], dims: &[usize]) -> TensorView<'a> {
    TensorView::new(data, dims).expect("as many numbers as the dims say")
}

#[test]
fn eight_threads_share_a_session_and_each_gets_its_own_results() {
    let session = Session::builder().threads(1).contexts(2).open_bytes(&common::long_chain(4)).expect("a session");
    let runs: Vec<AtomicUsize> = (0..8).map(|_| AtomicUsize::new(0)).collect();
    std::thread::scope(|scope| {
        for (t, count) in runs.iter().enumerate() {
            let session = &session;
            scope.spawn(move || {
                for round in 0..20 {
                    let rows = 1 + (t * 7 + round) % 13;
                    let x = vec![t as f32 + 1.0; rows * 256];
                    let y = session.run([("x", view(&x, &[rows, 256]))]).expect("it runs");
                    assert_eq!(y[0].as_slice::<f32>().expect("f32"), x);
                    count.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert!(runs.iter().all(|c| c.load(Ordering::Relaxed) == 20));
    let info = session.info().expect("it tells");
    assert!(info.contexts <= 2 && info.limit == 2 && info.in_use == 0 && info.waiting == 0, "{info:?}");
}

#[test]
fn a_session_serves_first_who_asked_first() {
    let session = Session::builder().threads(1).contexts(2).open_bytes(&common::long_chain(16)).expect("a session");
    let x = vec![1.0; 32 * 256];
    let inputs = [("x", view(&x, &[32, 256]))];
    let (threads, total) = (8, 800);
    let begun = AtomicUsize::new(0);
    let runs: Vec<AtomicUsize> = (0..threads).map(|_| AtomicUsize::new(0)).collect();
    std::thread::scope(|scope| {
        for count in &runs {
            scope.spawn(|| {
                while begun.fetch_add(1, Ordering::Relaxed) < total {
                    session.run(inputs).expect("it runs");
                    count.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    let runs: Vec<usize> = runs.iter().map(|c| c.load(Ordering::Relaxed)).collect();
    assert_eq!(runs.iter().sum::<usize>(), total);
    let least = *runs.iter().min().expect("eight threads");
    assert!(least >= total / threads / 2, "a thread got {least} of {total} runs: {runs:?}");
}

#[test]
fn a_run_that_waits_too_long_fails_with_a_timeout() {
    let session = Session::builder().threads(1).contexts(1).open_bytes(&common::long_chain(200)).expect("a session");
    let x = vec![1.0; 512 * 256];
    let inputs = [("x", view(&x, &[512, 256]))];
    let started = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            started.store(true, Ordering::Release);
            session.run(inputs).expect("it runs");
        });
        while !started.load(Ordering::Acquire) || session.info().expect("it tells").in_use == 0 {
            std::thread::yield_now();
        }
        let error = session.run_with(inputs, &RunOptions::new().timeout(Duration::from_millis(1))).unwrap_err();
        assert!(matches!(error, Error::TimedOut(_)), "{error:?}");
    });
}

#[test]
fn a_run_ends_when_it_is_cancelled_from_another_thread() {
    let session = Session::builder().threads(1).open_bytes(&common::long_chain(2000)).expect("a session");
    let stop = Cancellation::new().expect("a cancellation");
    let options = RunOptions::new().cancellation(&stop);
    let x = vec![1.0; 64 * 256];
    let inputs = [("x", view(&x, &[64, 256]))];
    std::thread::scope(|scope| {
        let run = scope.spawn(|| loop {
            match session.run_with(inputs, &options) {
                Ok(_) => {}
                Err(error) => return error,
            }
        });
        std::thread::sleep(Duration::from_millis(20));
        stop.cancel().expect("it turns on");
        let error = run.join().expect("no panic");
        assert!(matches!(error, Error::Cancelled(_)), "{error:?}");
    });
    stop.reset().expect("it turns off");
    session.run_with(inputs, &options).expect("it runs again");

    let mut context = session.model().context().threads(1).build().expect("a context");
    context.watch(Some(&stop));
    stop.cancel().expect("it turns on");
    assert!(matches!(context.run(inputs).unwrap_err(), Error::Cancelled(_)));
    context.watch(None);
    context.run(inputs).expect("it runs");
}

extern "C" {
    fn pthread_self() -> usize;
    fn pthread_kill(thread: usize, signal: i32) -> i32;
    fn signal(signal: i32, handler: extern "C" fn(i32)) -> usize;
    fn siginterrupt(signal: i32, on: i32) -> i32;
}
const SIGUSR1: i32 = 10;

#[test]
fn a_signal_ends_a_wait_only_if_the_caller_says_so() {
    extern "C" fn nothing(_: i32) {}
    unsafe { assert!(signal(SIGUSR1, nothing) != usize::MAX && siginterrupt(SIGUSR1, 1) == 0) };
    let session = Session::builder().threads(1).contexts(1).open_bytes(&common::long_chain(2000)).expect("a session");
    let x = vec![1.0; 256 * 256];
    let (asked, give_up, ended) =
        (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)), AtomicBool::new(false));
    let (times, says) = (Arc::clone(&asked), Arc::clone(&give_up));
    let options = RunOptions::new().interrupted(move || {
        times.fetch_add(1, Ordering::SeqCst);
        says.load(Ordering::SeqCst)
    });
    let (running, stop) = (AtomicBool::new(false), Cancellation::new().expect("a cancellation"));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            running.store(true, Ordering::SeqCst);
            let until_stopped = RunOptions::new().cancellation(&stop);
            while session.run_with([("x", view(&x, &[256, 256]))], &until_stopped).is_ok() {}
        });
        while !running.load(Ordering::SeqCst) || session.info().expect("it tells").in_use == 0 {
            std::thread::yield_now();
        }
        let (tell, told) = std::sync::mpsc::channel();
        let ended = &ended;
        let (session, x, options) = (&session, &x, &options);
        let waiter = scope.spawn(move || {
            tell.send(unsafe { pthread_self() }).expect("somebody listens");
            let mut error = None;
            while error.is_none() {
                error = session.run_with([("x", view(&x[..256], &[1, 256]))], options).err();
            }
            ended.store(true, Ordering::SeqCst);
            error.expect("it is there")
        });
        let thread = told.recv().expect("the waiter tells");
        let signal_until = |done: &dyn Fn() -> bool| {
            while !done() {
                unsafe { pthread_kill(thread, SIGUSR1) };
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        signal_until(&|| asked.load(Ordering::SeqCst) > 2);
        assert!(!ended.load(Ordering::SeqCst), "asked, and told to go on waiting");
        give_up.store(true, Ordering::SeqCst);
        signal_until(&|| ended.load(Ordering::SeqCst));
        let error = waiter.join().expect("no panic");
        assert!(matches!(error, Error::Cancelled(_)), "{error:?}");
        stop.cancel().expect("it turns on");
    });
    assert_eq!(Arc::strong_count(&give_up), 2, "the options hold the closure");
    drop(options);
    assert_eq!(Arc::strong_count(&give_up), 1);
}

#[test]
fn a_session_that_is_closed_while_threads_run_ends_their_calls() {
    for _ in 0..20 {
        let session =
            Session::builder().threads(1).contexts(2).open_bytes(&common::long_chain(20)).expect("a session");
        let x = vec![1.0; 4 * 256];
        let inputs = [("x", view(&x, &[4, 256]))];
        let done = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| loop {
                    match session.run(inputs) {
                        Ok(y) => {
                            assert_eq!(y[0].as_slice::<f32>().expect("f32"), x);
                            done.fetch_add(1, Ordering::Relaxed);
                        }
                        Err(Error::Closed(_)) => return,
                        Err(other) => panic!("{other:?}"),
                    }
                });
            }
            let begin = Instant::now();
            while done.load(Ordering::Relaxed) < 8 && begin.elapsed() < Duration::from_secs(20) {
                std::thread::yield_now();
            }
            session.close();
        });
        assert!(done.load(Ordering::Relaxed) >= 8);
        session.close(); // once more does nothing
        let error = session.run(inputs).unwrap_err();
        assert!(matches!(error, Error::Closed(_)), "{error:?}");
        assert_eq!(error.message(), "the session is closed");
        assert!(matches!(session.info().unwrap_err(), Error::Closed(_)));
    }
}
