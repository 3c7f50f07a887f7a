// SPDX-License-Identifier: Apache-2.0
//! States: what a step hands on to the next, forks, and what is refused.

mod common;

use anydim::{Dtype, Error, Model, Session, State, TensorView};
use common::{model, node, value};

/// next = h + x and y = next * next.
fn session() -> Session {
    let edge = |name| value(name, Dtype::F32, &["n"]);
    let nodes = [node("Add", &["h", "x"], &["next"]), node("Mul", &["next", "next"], &["y"])];
    let bytes = model(&nodes, &[], &[edge("h"), edge("x")], &[edge("y"), edge("next")]);
    Session::builder().threads(1).over(&Model::builder().load_bytes(&bytes).expect("a model")).expect("a session")
}

fn step(state: &mut State, x: f32) -> f32 {
    let y = state.step([("x", TensorView::new(&[x, 0.0], &[2]).expect("two"))]).expect("it runs");
    y[0].to_vec::<f32>().expect("floats")[0]
}

#[test]
fn a_state_is_handed_on_and_forks_go_their_own_ways() {
    let session = session();
    let mut state = session.state(0).expect("a state");
    state.add("h", "next", None).expect("a part");
    assert_eq!(step(&mut state, 1.0), 1.0);
    assert_eq!(step(&mut state, 2.0), 9.0);
    let mut copy = state.fork().expect("a copy");
    assert_eq!(step(&mut state, 1.0), 16.0);
    assert_eq!(step(&mut copy, 2.0), 25.0);
    assert_eq!(copy.read(0).expect("a part").to_vec::<f32>().expect("floats"), [5.0, 0.0]);
    state.reset().expect("it begins anew");
    assert_eq!(step(&mut state, 3.0), 9.0);
    state.write(&[TensorView::new(&[10.0f32, 0.0], &[2]).expect("two")]).expect("it is replaced");
    assert_eq!(step(&mut state, 0.0), 100.0);
    drop(session);
    assert_eq!(step(&mut state, 0.0), 100.0);
    assert_eq!(state.info().expect("figures").parts, 1);
}

#[test]
fn what_does_not_fit_is_refused() {
    let session = session();
    let mut state = session.state(4).expect("a state");
    assert!(matches!(state.add("nothing", "next", None), Err(Error::NotFound(_))));
    assert!(matches!(state.add("h", "next", Some(3)), Err(Error::InvalidArgument(_))));
    state.add("h", "next", None).expect("a part");
    assert!(matches!(state.step([]), Err(Error::InvalidArgument(_))));
    assert!(matches!(state.truncate(0), Err(Error::Unimplemented(_))));
    assert!(matches!(state.read(1), Err(Error::NotFound(_))));
}
