// SPDX-License-Identifier: Apache-2.0
//! Runs as futures: their results, their errors, and what dropping them does, with and without batching.

mod common;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use anydim::{Batching, Error, Outputs, Result, RunOptions, Session, TensorView};

/// An executor of three lines: a thread that is woken.
struct Thread(std::thread::Thread);

impl Wake for Thread {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<F: Future + Unpin>(mut future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Thread(std::thread::current())));
    loop {
        match Pin::new(&mut future).poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

fn matrix(rows: usize) -> Vec<f32> {
    (0..rows * 256).map(|i| (i % 7) as f32 - 3.0).collect()
}

fn bits(outputs: &Outputs) -> Vec<u32> {
    outputs[0].to_vec::<f32>().expect("numbers").iter().map(|y| y.to_bits()).collect()
}

#[test]
fn futures_have_the_bits_of_runs_with_and_without_batching() {
    for batching in [false, true] {
        let mut builder = Session::builder().threads(1);
        if batching {
            builder = builder.batching(Batching::new().rows(8));
        }
        let session = builder.open_bytes(&common::long_chain(20)).expect("a session");
        let rows: Vec<usize> = (1..=12).map(|i| i % 4 + 1).collect();
        let begun: Vec<_> = rows
            .iter()
            .map(|&n| {
                let x = matrix(n); // the run has a copy
                session.run_async([("x", TensorView::new(&x, &[n, 256]).expect("a view"))]).expect("it begins")
            })
            .collect();
        for (future, n) in begun.into_iter().zip(rows) {
            let x = matrix(n);
            let alone = session.run([("x", TensorView::new(&x, &[n, 256]).expect("a view"))]).expect("it runs");
            let y = block_on(future).expect("it runs");
            assert_eq!((y[0].dims(), bits(&y)), (alone[0].dims(), bits(&alone)), "batching: {batching}");
        }
    }
}

#[test]
fn strides_are_copied_as_they_are_read() {
    let session = Session::builder().open_bytes(&common::relu()).expect("a session");
    let numbers = [1.0f32, -2.0, 3.0, -4.0, 5.0];
    let backwards = TensorView::with_strides(&numbers, 4, &[3], &[-2]).expect("a view");
    let y = session.run_async([("x", backwards)]).expect("it begins").wait().expect("it runs");
    assert_eq!(y["y"].to_vec::<f32>().expect("numbers"), [5.0, 3.0, 1.0]);
}

#[test]
fn what_is_wrong_comes_at_once_or_from_the_future() {
    let session = Session::builder().open_bytes(&common::relu()).expect("a session");
    let x = TensorView::new(&[1.0f32, 2.0], &[1, 2]).expect("a view");
    assert!(matches!(session.run_async([("z", x)]), Err(Error::NotFound(_))));
    let late = block_on(session.run_async([("x", x)]).expect("it begins"));
    assert!(matches!(late, Err(Error::InvalidArgument(_))), "{late:?}");
}

#[test]
fn a_cancelled_future_fails_and_a_dropped_one_ends_its_run() {
    let session = Session::builder().threads(1).contexts(1).open_bytes(&common::long_chain(2000)).expect("a session");
    let x = matrix(64);
    let begin = || -> Result<_> { session.run_async([("x", TensorView::new(&x, &[64, 256])?)]) };
    let run = begin().expect("it begins");
    run.cancel().expect("it turns on");
    assert!(matches!(run.wait(), Err(Error::Cancelled(_))));
    drop(begin().expect("it begins"));
    while session.info().expect("it tells").in_use > 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(session.info().expect("it tells").waiting == 0);
}

#[test]
fn a_full_queue_and_a_timeout_are_two_errors() {
    let batching = Batching::new().rows(2).wait(Duration::from_secs(60)).waiting(1);
    let session = Session::builder()
        .threads(1)
        .contexts(1)
        .batching(batching)
        .open_bytes(&common::long_chain(2000))
        .expect("a session");
    let x = matrix(1);
    let view = TensorView::new(&x, &[1, 256]).expect("a view");
    let options = RunOptions::new().timeout(Duration::from_millis(1));
    let begun: Vec<_> = (0..8).map(|_| session.run_async_with([("x", view)], &options)).collect();
    let (mut full, mut late, mut done) = (0, 0, 0);
    for run in begun {
        match run.and_then(anydim::AsyncRun::wait) {
            Err(Error::QueueFull(_)) => full += 1,
            Err(Error::TimedOut(_)) => late += 1,
            Ok(_) => done += 1,
            Err(other) => panic!("{other:?}"),
        }
    }
    assert!(full > 0 && full + late + done == 8, "{full} found the queue full, {late} were late, {done} ran");
}
