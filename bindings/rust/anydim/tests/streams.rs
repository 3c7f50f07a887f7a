// SPDX-License-Identifier: Apache-2.0
//! Streams: chunks have the bits of the whole, and what is refused.

mod common;

use anydim::{Dtype, Error, Model, Session, TensorView};
use common::{model, node, value};

/// y [1, 1, n] is the running sum of x's elements, and of it the hyperbolic tangent.
fn bytes() -> Vec<u8> {
    let edge = |name| value(name, Dtype::F32, &["1", "n"]);
    let nodes = [node("Tanh", &["x"], &["t"]), node("Mul", &["t", "x"], &["y"])];
    model(&nodes, &[], &[edge("x")], &[edge("y")])
}

fn session(chunk: usize) -> Session {
    let model = Model::builder().streaming("x", 1).streaming_chunk(chunk).load_bytes(&bytes()).expect("a model");
    Session::builder().threads(1).over(&model).expect("a session")
}

#[test]
fn chunks_have_the_bits_of_the_whole() {
    let session = session(0);
    let x: Vec<f32> = (0..20u8).map(|i| f32::from(i) * 0.3 - 2.0).collect();
    let whole = session.run([("x", TensorView::new(&x, &[1, 20]).expect("it fits"))]).expect("it runs");
    let mut stream = session.streaming().expect("a stream");
    assert_eq!(stream.axis(0), Some(1));
    for lengths in [vec![20], vec![1; 20], vec![0, 7, 0, 13]] {
        let mut made = Vec::new();
        let mut at = 0;
        for (i, n) in lengths.iter().enumerate() {
            let chunk = TensorView::new(&x[at..at + n], &[1, *n]).expect("it fits");
            let y = stream.push([("x", chunk)], i + 1 == lengths.len()).expect("it runs");
            made.extend(y[0].to_vec::<f32>().expect("floats"));
            at += n;
        }
        assert_eq!(made, whole[0].to_vec::<f32>().expect("floats"));
        assert_eq!(stream.info().expect("figures").received, 20);
        stream.reset().expect("it begins anew");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut stream = session(4).streaming().expect("a stream");
    let five = [0.0f32; 5];
    let chunk = |n: usize| [("x", TensorView::new(&five[..n], &[1, n]).expect("it fits"))];
    assert!(matches!(stream.push(chunk(5), false), Err(Error::OutOfBounds(_))));
    assert!(stream.bytes_needed().expect("bounds") >= 0);
    stream.push(chunk(4), true).expect("it runs");
    assert!(matches!(stream.push(chunk(1), false), Err(Error::InvalidArgument(_))));
    let plain = Model::builder().load_bytes(&bytes()).expect("a model");
    let session = Session::builder().threads(1).over(&plain).expect("a session");
    assert!(matches!(session.streaming(), Err(Error::InvalidArgument(_))));
    assert!(Model::builder().streaming("q", 1).load_bytes(&bytes()).is_err());
}
