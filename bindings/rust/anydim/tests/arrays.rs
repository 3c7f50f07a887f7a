// SPDX-License-Identifier: Apache-2.0
//! Arrays of the crate ndarray as inputs and outputs, without a copy, whatever their strides.
#![cfg(feature = "ndarray")]

mod common;

use anydim::operators::{Matmul, Unary};
use anydim::{Desc, Dim, Engine, Primitive, Session, TensorView, TensorViewMut, UnaryFunction};
use ndarray::{arr2, s, Array, Array2, IxDyn};

#[test]
fn any_strides_of_an_array_are_read_and_written() {
    let cpu = Engine::cpu().expect("an engine");
    let mut stream = cpu.stream().expect("a stream");
    let neg = Primitive::builder(&cpu, Unary::new(UnaryFunction::Neg))
        .input(Desc::f32([Dim::dynamic(..), Dim::dynamic(..)]));
    let neg = neg.build().expect("a primitive");
    let x = Array2::from_shape_fn((5, 7), |(i, j)| (10 * i + j) as f32);
    for view in [x.view(), x.slice(s![..;2, 1..]), x.slice(s![..;-1, ..;-2]), x.t(), x.slice(s![2..2, ..])] {
        let y = neg.execute(&mut stream, &[view.into()]).expect("it runs");
        assert_eq!(y[0].to_array::<f32>().expect("f32"), view.mapv(|v| -v).into_dyn());
        let mut room = Array2::<f32>::zeros((view.ncols(), view.nrows()));
        neg.execute_into(&mut stream, &[view.into()], &mut [room.view_mut().reversed_axes().into()])
            .expect("it runs");
        assert_eq!(room.t(), view.mapv(|v| -v));
    }
}

#[test]
fn an_array_of_too_many_dims_is_refused() {
    let session = Session::builder().open_bytes(&common::relu()).expect("a session");
    let x = Array::<f32, _>::zeros(IxDyn(&[1; 9]));
    let error = session.run([("x", x.view().into())]).unwrap_err();
    assert!(error.message().contains("dims.rank is 9; expected 0..8"), "{error}");
}

#[test]
fn results_are_arrays() {
    let cpu = Engine::cpu().expect("an engine");
    let mut stream = cpu.stream().expect("a stream");
    let b = arr2(&[[1.0f32, 2.0], [3.0, 4.0]]);
    let product = Primitive::builder(&cpu, Matmul::new())
        .input(Desc::f32([Dim::dynamic(..), 2.into()]))
        .constant(b.view())
        .build()
        .expect("a primitive");
    let a = arr2(&[[1.0f32, 1.0]]);
    let y = product.execute(&mut stream, &[a.view().into()]).expect("it runs");
    assert_eq!(y[0].to_array::<f32>().expect("f32"), arr2(&[[4.0, 6.0]]).into_dyn());
    assert!(y[0].to_array::<f64>().is_err());
    let columns = TensorView::from(b.t());
    assert_eq!(columns.to_vec::<f32>().expect("f32"), [1.0, 3.0, 2.0, 4.0]);
    let mut c = b.clone();
    assert_eq!(TensorViewMut::from(c.view_mut()).dims(), [2, 2]);
}
