// SPDX-License-Identifier: Apache-2.0
//! Primitives: changing dims, constants that are shared, updated, saved and mapped, attributes, scratch of the caller's.

mod common;

use anydim::operators::{Binary, Convolution, Matmul, Unary};
use anydim::{
    Attributes, BinaryFunction, CacheLine, Desc, Dim, Dtype, Engine, Error, Memory, Operand, Primitive, Scratchpad,
    Status, Tensor, TensorView, TensorViewMut, UnaryFunction, Weights,
};

fn view<'a>(data: &'a [f32], dims: &[usize]) -> TensorView<'a> {
    TensorView::new(data, dims).expect("as many numbers as the dims say")
}

fn cpu() -> Engine {
    Engine::builder().threads(1).build().expect("an engine")
}

#[test]
fn a_convolution_runs_at_any_size_within_its_promises() {
    let cpu = cpu();
    let kernel = vec![1.0f32; 2 * 3 * 3 * 3];
    let conv = Primitive::builder(&cpu, Convolution::new().pads(1))
        .input(Desc::f32([Dim::dynamic(1..=2), 3.into(), Dim::dynamic(1..=64), Dim::dynamic(1..=64).hint(32)]))
        .constant(view(&kernel, &[2, 3, 3, 3]))
        .constant(view(&[0.0, -1000.0], &[2]))
        .attributes(Attributes::new().relu())
        .build()
        .expect("a primitive");
    let mut stream = cpu.stream().expect("a stream");
    for (h, w) in [(3usize, 3usize), (64, 1), (7, 50)] {
        let x = vec![1.0f32; 3 * h * w];
        let y = conv.execute(&mut stream, &[view(&x, &[1, 3, h, w])]).expect("it runs");
        assert_eq!(y[0].dims(), [1, 2, h, w]);
        let y = y[0].to_vec::<f32>().expect("f32");
        let taps = |i: usize, n: usize| 1 + usize::from(i > 0) + usize::from(i + 1 < n);
        assert_eq!(y[0], (3 * taps(0, h) * taps(0, w)) as f32);
        assert!(y[h * w..].iter().all(|&v| v == 0.0), "the bias and relu make the second channel zero");
    }
    let x = vec![1.0f32; 3 * 65];
    let error = conv.execute(&mut stream, &[view(&x, &[1, 3, 1, 65])]).unwrap_err();
    assert_eq!(error.status(), Status::OutOfBounds);
    assert!(error.message().contains("65") && error.message().contains("64"), "{error}");
    assert!(error.failure().function() == Some("anydim_primitive_execute"), "{error:?}");
}

#[test]
fn constants_are_shared_updated_saved_and_mapped() {
    let cpu = cpu();
    let mut stream = cpu.stream().expect("a stream");
    let (op, none) = (Matmul::new(), Attributes::new());
    let b: Vec<f32> = (0..4 * 5).map(|i| i as f32).collect();
    let weights = Weights::pack(&cpu, &op, &none, &[], &[(1, view(&b, &[4, 5]))]).expect("weights");
    assert_eq!(weights.version().expect("it tells"), 1);
    let rows = |n: Dim| Primitive::builder(&cpu, op).input(Desc::f32([n, 4.into()])).weights(&weights).build();
    let (any, two) = (rows(Dim::dynamic(..)).expect("a primitive"), rows(2.into()).expect("a primitive"));
    assert_eq!(any.kernel_identity().expect("it tells"), two.kernel_identity().expect("it tells"));
    let a = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let run = |p: &Primitive, stream: &mut anydim::Stream| {
        p.execute(stream, &[view(&a, &[2, 4])]).expect("it runs")[0].to_vec::<f32>().expect("f32")
    };
    let expected: Vec<f32> = [&b[..5], &b[15..]].concat();
    assert_eq!(run(&any, &mut stream), expected);

    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("weights-{}", std::process::id()));
    weights.save(&file).expect("it is written");
    let mapped = Weights::load(&cpu, &op, &none, &[], &file).expect("weights");
    let third = Primitive::builder(&cpu, op).input(Desc::f32([Dim::dynamic(..), 4.into()])).weights(&mapped).build();
    let third = third.expect("a primitive");
    assert_eq!(run(&third, &mut stream), expected);
    std::fs::remove_file(&file).expect("it is there");

    let doubled: Vec<f32> = b.iter().map(|v| 2.0 * v).collect();
    weights.update(&[view(&doubled, &[4, 5])]).expect("the same dims");
    assert_eq!(weights.version().expect("it tells"), 2);
    let expected_then: Vec<f32> = expected.iter().map(|v| 2.0 * v).collect();
    assert_eq!(run(&any, &mut stream), expected_then);
    assert_eq!(run(&two, &mut stream), expected_then);
    assert_eq!(run(&third, &mut stream), expected, "a file's weights are their own");
    let error = weights.update(&[view(&doubled, &[5, 4])]).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
}

#[test]
fn post_ops_take_tensors_with_each_call() {
    let cpu = cpu();
    let mut stream = cpu.stream().expect("a stream");
    let sum = Primitive::builder(&cpu, Matmul::new())
        .input(Desc::f32([Dim::dynamic(..), 2.into()]))
        .input(Desc::f32([2, 2]))
        .attributes(Attributes::new().binary(BinaryFunction::Add).clip(0.0, 10.0))
        .build()
        .expect("a primitive");
    let (a, b, t) = ([1.0, 2.0], [1.0, 0.0, 0.0, 1.0], [100.0, -100.0]);
    let y = sum.execute(&mut stream, &[view(&a, &[1, 2]), view(&b, &[2, 2]), view(&t, &[2])]).expect("it runs");
    assert_eq!(y[0].as_slice::<f32>().expect("f32"), [10.0, 0.0]);
    let error = sum.execute(&mut stream, &[view(&a, &[1, 2]), view(&b, &[2, 2])]).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
}

#[test]
fn eight_bit_operands_have_scales() {
    let cpu = cpu();
    let mut stream = cpu.stream().expect("a stream");
    let attributes = Attributes::new()
        .scales(Operand::Input0, None, &[0.5])
        .scales(Operand::Input1, Some(1), &[1.0, 2.0])
        .zero_points(Operand::Input0, None, &[1]);
    let product = Primitive::builder(&cpu, Matmul::new())
        .input(Desc::new(Dtype::U8, [1, 2]))
        .input(Desc::new(Dtype::I8, [2, 2]))
        .attributes(attributes)
        .build()
        .expect("a primitive");
    let (a, b) = ([3u8, 5], [1i8, 2, 3, -4]);
    let a = TensorView::new(&a, &[1, 2]).expect("two numbers");
    let b = TensorView::new(&b, &[2, 2]).expect("four numbers");
    let y = product.execute(&mut stream, &[a, b]).expect("it runs");
    // (3 - 1, 5 - 1) * 0.5 = (1, 2); columns (1, 3) * 1 and (2, -4) * 2
    assert_eq!(y[0].as_slice::<f32>().expect("f32"), [7.0, -12.0]);
}

#[test]
fn the_callers_scratch_and_memory_are_enough() {
    let cpu = cpu();
    let mut stream = cpu.stream().expect("a stream");
    let product = Primitive::builder(&cpu, Matmul::new())
        .input(Desc::f32([Dim::dynamic(1..=64), 32.into()]))
        .input(Desc::f32([32, 40]))
        .attributes(Attributes::new().scratchpad(Scratchpad::Caller))
        .build()
        .expect("a primitive");
    let (a, b) = (vec![1.0; 9 * 32], vec![0.5; 32 * 40]);
    let inputs = [view(&a, &[9, 32]), view(&b, &[32, 40])];
    let mut y = vec![0.0f32; 9 * 40];
    assert_eq!(product.output_dims(&inputs, 0).expect("dims"), [9, 40]);
    let mut outputs = [TensorViewMut::new(&mut y, &[9, 40]).expect("room")];
    let bytes = product.scratch_bytes(&mut stream, &inputs, &mut outputs).expect("it tells");
    let mut scratch = vec![CacheLine::ZERO; CacheLine::for_bytes(bytes)];
    product.execute_in(&mut stream, &inputs, &mut outputs, &mut scratch).expect("it runs");
    if bytes > 0 {
        let error = product.execute_in(&mut stream, &inputs, &mut outputs, &mut []).unwrap_err();
        assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
    }
    assert!(y.iter().all(|&v| v == 16.0));
}

#[test]
fn tensors_lie_in_memory_of_the_engine() {
    let cpu = cpu();
    let mut stream = cpu.stream().expect("a stream");
    let sum = Primitive::builder(&cpu, Binary::new(BinaryFunction::Add))
        .input(Desc::f32([Dim::dynamic(..)]))
        .input(Desc::f32([Dim::dynamic(..)]))
        .build()
        .expect("a primitive");
    let mut memory = Memory::allocate(&cpu, 64).expect("memory");
    let numbers: Vec<u8> = [1.0f32, 2.0, 3.0].iter().flat_map(|v| v.to_ne_bytes()).collect();
    memory.map(16, 12).expect("inside").copy_from_slice(&numbers);
    let mut tensor = Tensor::zeros(&cpu, Dtype::F32, &[3]).expect("a tensor");
    tensor.as_mut_slice::<f32>().expect("f32").copy_from_slice(&[10.0, 20.0, 30.0]);
    {
        let inputs = [memory.view(16, Dtype::F32, &[3]), tensor.view().expect("a view")];
        let y = sum.execute(&mut stream, &inputs).expect("it runs");
        assert_eq!(y[0].as_slice::<f32>().expect("f32"), [11.0, 22.0, 33.0]);
        assert!(inputs[0].as_slice::<f32>().is_err(), "a memory has to be mapped to be read");
    }
    let (one, mut into) = ([1.0, 1.0, 1.0], Memory::allocate(&cpu, 12).expect("memory"));
    let inputs = [tensor.view().expect("a view"), view(&one, &[3])];
    sum.execute_into(&mut stream, &inputs, &mut [into.view_mut(0, Dtype::F32, &[3])]).expect("it runs");
    let bytes = into.map(0, 12).expect("inside");
    assert_eq!(bytes[4..8], 21.0f32.to_ne_bytes());
    drop(bytes);
    let outside = sum.execute_into(&mut stream, &inputs, &mut [into.view_mut(4, Dtype::F32, &[3])]).unwrap_err();
    assert!(matches!(outside, Error::InvalidArgument(_)), "{outside:?}");
    assert!(memory.map(60, 8).is_err());
    assert!(tensor.as_mut_slice::<i32>().is_err());
}

#[test]
fn booleans_are_written_as_bytes() {
    let cpu = cpu();
    let mut stream = cpu.stream().expect("a stream");
    let is_nan =
        Primitive::builder(&cpu, Unary::new(UnaryFunction::IsNan)).input(Desc::f32([Dim::dynamic(..)])).build();
    let is_nan = is_nan.expect("a primitive");
    let x = [1.0, f32::NAN];
    assert_eq!(is_nan.output_dtypes(), [Dtype::Bool]);
    let y = is_nan.execute(&mut stream, &[view(&x, &[2])]).expect("it runs");
    assert_eq!(y[0].as_slice::<bool>().expect("bool"), [false, true]);
    let mut room = [9u8; 2];
    let mut outputs = [TensorViewMut::of_bools(&mut room, &[2]).expect("room")];
    is_nan.execute_into(&mut stream, &[view(&x, &[2])], &mut outputs).expect("it runs");
    assert_eq!(room, [0, 1]);
}

#[test]
fn what_a_primitive_is_can_be_asked() {
    let cpu = cpu();
    let product = Primitive::builder(&cpu, Matmul::new()).input(Desc::f32([2, 3])).input(Desc::f32([3, 4]));
    let product = product.build().expect("a primitive");
    assert!(matches!(product.weights().unwrap_err(), Error::NotFound(_)));
    let candidates = product.candidates().expect("it tells");
    let chosen: Vec<_> = candidates.iter().filter(|c| c.chosen).collect();
    assert!(chosen.len() == 1 && chosen[0].name == product.kernel().expect("it tells"), "{candidates:?}");
    assert!(product.explain(&[]).expect("JSON").contains(&chosen[0].name));
    let error = Primitive::builder(&cpu, Matmul::new())
        .input(Desc::f32([2, 3]))
        .input(Desc::f32([3, 4]))
        .attributes(Attributes::new().kernel("no.such.kernel"))
        .build()
        .unwrap_err();
    assert!(matches!(error, Error::NotFound(_)), "{error:?}");
    assert!(cpu.info().expect("it tells").threads == 1);
    let b = [0.0; 12];
    let both = Primitive::builder(&cpu, Matmul::new()).input(Desc::f32([2, 3])).constant(view(&b, &[3, 4])).build();
    let weights = both.expect("a primitive").weights().expect("it has some");
    let twice = Primitive::builder(&cpu, Matmul::new())
        .input(Desc::f32([2, 3]))
        .constant(view(&b, &[3, 4]))
        .weights(&weights)
        .build()
        .unwrap_err();
    assert!(matches!(twice, Error::InvalidArgument(_)), "{twice:?}");
}

#[test]
fn threads_share_a_primitive_each_with_its_stream() {
    let cpu = cpu();
    let relu = Primitive::builder(&cpu, Unary::new(UnaryFunction::Relu)).input(Desc::f32([Dim::dynamic(..)])).build();
    let relu = relu.expect("a primitive");
    std::thread::scope(|scope| {
        for t in 0..8usize {
            let (cpu, relu) = (&cpu, &relu);
            scope.spawn(move || {
                let mut stream = cpu.stream().expect("a stream");
                for n in 1..200usize {
                    let x = vec![t as f32 - 4.0; n];
                    let y = relu.execute(&mut stream, &[view(&x, &[n])]).expect("it runs");
                    assert_eq!(y[0].to_vec::<f32>().expect("f32"), vec![(t as f32 - 4.0).max(0.0); n]);
                }
            });
        }
    });
}
