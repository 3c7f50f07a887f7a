// SPDX-License-Identifier: Apache-2.0
//! Operators of a program: shapes that follow from inputs and that only a run finds, attributes, failures, panics, and when they are freed.

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use anydim::{
    CustomFailure, CustomInput, CustomNode, CustomOperator, CustomOperators, CustomOutput, Dtype, Error, Model,
    Session, TensorView,
};
use common::{import, model, node, of_domain, value};

type Shapes = Vec<(Dtype, Vec<i64>)>;

/// Counts how many of them there are.
struct Power(Arc<AtomicUsize>);

impl Drop for Power {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl CustomOperator for Power {
    fn shapes(&self, _: &CustomNode<'_>, inputs: &[CustomInput<'_>]) -> Result<Shapes, CustomFailure> {
        match inputs[0].dtype() {
            Some(Dtype::F32) => Ok(vec![(Dtype::F32, inputs[0].dims().to_vec())]),
            other => Err(format!("it takes floats, not {other:?}")),
        }
    }

    fn compute(
        &self,
        node: &CustomNode<'_>,
        inputs: &[CustomInput<'_>],
        outputs: &mut [CustomOutput<'_>],
    ) -> Result<(), CustomFailure> {
        let exponent = node.integers("exponent").map_or(2, |e| e[0]);
        if exponent > 100 {
            panic!("too large");
        }
        let x = inputs[0].as_slice::<f32>()?;
        if x.iter().any(|x| x.is_nan()) {
            return Err(format!("{} met a NaN", node.op_type()));
        }
        for (to, from) in outputs[0].as_mut_slice::<f32>()?.iter_mut().zip(x) {
            *to = from.powi(exponent as i32);
        }
        Ok(())
    }
}

/// The elements above zero.
struct Positive;

impl CustomOperator for Positive {
    fn shapes(&self, _: &CustomNode<'_>, inputs: &[CustomInput<'_>]) -> Result<Shapes, CustomFailure> {
        let count = match inputs[0].view() {
            None => -1,
            Some(view) => {
                view.to_vec::<f32>().map_err(|e| e.to_string())?.iter().filter(|&&x| x > 0.0).count() as i64
            }
        };
        Ok(vec![(Dtype::F32, vec![count])])
    }

    fn compute(
        &self,
        _: &CustomNode<'_>,
        inputs: &[CustomInput<'_>],
        outputs: &mut [CustomOutput<'_>],
    ) -> Result<(), CustomFailure> {
        let kept = inputs[0].as_slice::<f32>()?.iter().filter(|&&x| x > 0.0);
        outputs[0].as_mut_slice::<f32>()?.iter_mut().zip(kept).for_each(|(to, from)| *to = *from);
        Ok(())
    }
}

fn session(operators: &CustomOperators, exponent: i64, dtype: Dtype) -> anydim::Result<Session> {
    let power = of_domain(node("Power", &["x"], &["p"]), "my.domain", ("exponent", exponent));
    let positive = of_domain(node("Positive", &["p"], &["y"]), "my.domain", ("unused", 0));
    let (x, y) = (value("x", dtype, &["n"]), value("y", Dtype::F32, &["k"]));
    let bytes = [model(&[power, positive], &[], &[x], &[y]), import("my.domain")].concat();
    Session::builder().over(&Model::builder().operators(operators).load_bytes(&bytes)?)
}

fn run(session: &Session, x: &[f32]) -> anydim::Result<Vec<f32>> {
    session.run([("x", TensorView::new(x, &[x.len()])?)])?["y"].to_vec()
}

#[test]
fn operators_of_the_program_run_at_any_length_and_are_freed_with_the_last_model() {
    let alive = Arc::new(AtomicUsize::new(1));
    let operators = CustomOperators::new().expect("a set");
    operators.add("my.domain", "Power", Power(Arc::clone(&alive))).expect("it is added");
    operators.add("my.domain", "Positive", Positive).expect("it is added");
    alive.fetch_add(1, Ordering::Relaxed);
    let twice = operators.add("my.domain", "Power", Power(Arc::clone(&alive)));
    assert!(matches!(twice, Err(Error::InvalidArgument(_))), "{twice:?}");
    assert_eq!(alive.load(Ordering::Relaxed), 1, "the one that was refused is freed");

    let session = session(&operators, 3, Dtype::F32).expect("a session");
    drop(operators);
    assert_eq!(run(&session, &[1.0, -2.0, 3.0]).expect("it runs"), [1.0, 27.0]);
    assert_eq!(run(&session, &[-1.0]).expect("it runs"), [0.0f32; 0]);
    let failed = run(&session, &[f32::NAN]).unwrap_err();
    assert!(matches!(failed, Error::InvalidData(_)), "{failed:?}");
    assert!(
        failed.message().contains("Power met a NaN") && failed.failure().node() == Some("the Power"),
        "{failed:?}"
    );
    drop(session);
    assert_eq!(alive.load(Ordering::Relaxed), 0);
}

#[test]
fn what_an_operator_refuses_and_a_panic_are_failures() {
    let operators = CustomOperators::new().expect("a set");
    operators.add("my.domain", "Power", Power(Arc::new(AtomicUsize::new(1)))).expect("it is added");
    operators.add("my.domain", "Positive", Positive).expect("it is added");
    let refused = session(&operators, 3, Dtype::I64).unwrap_err();
    assert!(refused.message().contains("it takes floats, not Some(I64)"), "{refused:?}");
    let panics = session(&operators, 101, Dtype::F32).expect("a session");
    let failed = run(&panics, &[1.0]).unwrap_err();
    assert!(failed.message().contains("the operator panicked"), "{failed:?}");
}
