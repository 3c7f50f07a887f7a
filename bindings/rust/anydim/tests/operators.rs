// SPDX-License-Identifier: Apache-2.0
//! Every operator: the examples of its description, at two shapes each, by the kernel that is chosen and by the scalar
//! reference. An operator that is described and not run here fails.

mod common;
#[rustfmt::skip]
mod generated;

use std::collections::BTreeSet;

use anydim::operators::{LayerNorm, Matmul, Topk};
use anydim::{
    Attributes, Desc, Dim, Dtype, Element, Engine, Error, Operator, Output, Primitive, Stream, TensorView, Weights,
};
use common::Random;
use generated::{visit_all, Input, Visitor};

/// Numbers of one dtype.
enum Numbers {
    F32(Vec<f32>),
    F64(Vec<f64>),
    I8(Vec<i8>),
    U8(Vec<u8>),
    I32(Vec<i32>),
    I64(Vec<i64>),
    Bool(Vec<bool>),
}

impl Numbers {
    fn draw(random: &mut Random, input: &Input, dims: &[usize]) -> Self {
        let n: usize = dims.iter().product();
        let (low, high) = input.limits;
        let mut reals = || (0..n).map(|_| random.real()).collect::<Vec<f32>>();
        match input.dtype {
            Dtype::F32 => Self::F32(reals()),
            Dtype::F64 => Self::F64(reals().into_iter().map(f64::from).collect()),
            Dtype::I8 => Self::I8((0..n).map(|_| random.between(low, high) as i8).collect()),
            Dtype::U8 => Self::U8((0..n).map(|_| random.between(low, high) as u8).collect()),
            Dtype::I32 => Self::I32((0..n).map(|_| random.between(low, high) as i32).collect()),
            Dtype::I64 => Self::I64((0..n).map(|_| random.between(low, high)).collect()),
            Dtype::Bool => Self::Bool((0..n).map(|_| random.between(0, 1) == 1).collect()),
            other => panic!("no example has {other}"),
        }
    }

    fn view(&self, dims: &[usize]) -> TensorView<'_> {
        fn of<'a, T: Element>(data: &'a [T], dims: &[usize]) -> TensorView<'a> {
            TensorView::new(data, dims).expect("as many numbers as the dims say")
        }
        match self {
            Self::F32(v) => of(v, dims),
            Self::F64(v) => of(v, dims),
            Self::I8(v) => of(v, dims),
            Self::U8(v) => of(v, dims),
            Self::I32(v) => of(v, dims),
            Self::I64(v) => of(v, dims),
            Self::Bool(v) => of(v, dims),
        }
    }
}

/// Dtype, dims and elements as bits.
fn bits(output: &Output) -> (Dtype, Vec<usize>, Vec<u64>) {
    let elements = match output.dtype() {
        Dtype::F32 => output.to_vec::<f32>().expect("f32").into_iter().map(|v| v.to_bits().into()).collect(),
        Dtype::F64 => output.to_vec::<f64>().expect("f64").into_iter().map(f64::to_bits).collect(),
        Dtype::U8 => output.to_vec::<u8>().expect("u8").into_iter().map(u64::from).collect(),
        Dtype::I32 => output.to_vec::<i32>().expect("i32").into_iter().map(|v| v as u64).collect(),
        Dtype::I64 => output.to_vec::<i64>().expect("i64").into_iter().map(|v| v as u64).collect(),
        Dtype::Bool => output.to_vec::<bool>().expect("bool").into_iter().map(u64::from).collect(),
        other => panic!("no example gives {other}"),
    };
    (output.dtype(), output.dims().to_vec(), elements)
}

struct Compared {
    engine: Engine,
    stream: Stream,
    random: Random,
    kinds: BTreeSet<&'static str>,
    calls: usize,
}

impl Compared {
    fn dims(input: &Input, shape: usize) -> Vec<usize> {
        input.dims[shape].iter().map(|&d| d as usize).collect()
    }

    fn desc(input: &Input) -> Desc {
        let [first, second] = input.dims;
        let dims = first.iter().zip(second).map(|(a, b)| if a == b { Dim::from(*a) } else { Dim::dynamic(0..=4096) });
        Desc::new(input.dtype, dims)
    }

    fn primitive<O: Operator + Clone>(&self, operator: &O, inputs: &[Input], attributes: Attributes) -> Primitive {
        let builder = Primitive::builder(&self.engine, operator.clone()).attributes(attributes);
        let made = inputs.iter().fold(builder, |b, i| b.input(Self::desc(i))).build();
        made.unwrap_or_else(|e| panic!("{}: {e}", O::KIND))
    }
}

impl Visitor for Compared {
    fn visit<O: Operator + Clone>(&mut self, operator: O, inputs: &[Input], outputs: usize) {
        assert_eq!(operator.outputs(), outputs, "{}", O::KIND);
        let reference = self
            .engine
            .kernels()
            .expect("kernels")
            .into_iter()
            .find(|k| {
                k.op == O::KIND
                    && k.name.contains("reference")
                    && !k.name.contains("quantized")
                    && !k.name.contains("bf16")
                    && !k.name.contains("winograd")
            })
            .unwrap_or_else(|| panic!("{} has no reference", O::KIND));
        let chosen = self.primitive(&operator, inputs, Attributes::new());
        let checked = self.primitive(&operator, inputs, Attributes::new().kernel(&reference.name));
        for shape in 0..2 {
            let dims: Vec<Vec<usize>> = inputs.iter().map(|i| Self::dims(i, shape)).collect();
            let numbers: Vec<Numbers> =
                inputs.iter().zip(&dims).map(|(i, d)| Numbers::draw(&mut self.random, i, d)).collect();
            let views: Vec<TensorView<'_>> = numbers.iter().zip(&dims).map(|(n, d)| n.view(d)).collect();
            let got = chosen.execute(&mut self.stream, &views).unwrap_or_else(|e| panic!("{}: {e}", O::KIND));
            let expected = checked.execute(&mut self.stream, &views).unwrap_or_else(|e| panic!("{}: {e}", O::KIND));
            assert_eq!(got.len(), outputs);
            for (y, z) in got.iter().zip(&expected) {
                assert_eq!(bits(y), bits(z), "{} at {dims:?}", O::KIND);
            }
            // Each input as the constant, one after the other, gives the same bits.
            for constant in 0..inputs.len() {
                let mut builder = Primitive::builder(&self.engine, operator.clone());
                for (i, view) in views.iter().enumerate() {
                    builder = if i == constant {
                        builder.constant(*view)
                    } else {
                        builder.input(Desc::new(inputs[i].dtype, dims[i].iter().copied()))
                    };
                }
                let packed = builder.build().unwrap_or_else(|e| panic!("{}: {e}", O::KIND));
                let others: Vec<TensorView<'_>> =
                    (0..views.len()).filter(|&i| i != constant).map(|i| views[i]).collect();
                let got = packed.execute(&mut self.stream, &others).unwrap_or_else(|e| panic!("{}: {e}", O::KIND));
                for (y, z) in got.iter().zip(&expected) {
                    assert_eq!(bits(y), bits(z), "{} with input {constant} constant", O::KIND);
                }
            }
            self.calls += 1;
        }
        self.kinds.insert(O::KIND);
    }
}

#[test]
fn an_operator_gives_the_references_bits_at_two_shapes() {
    let engine = Engine::cpu().expect("an engine");
    let stream = engine.stream().expect("a stream");
    let mut all = Compared { engine, stream, random: Random::new(), kinds: BTreeSet::new(), calls: 0 };
    visit_all(&mut all);
    assert_eq!(all.kinds.len(), generated::DESCRIBED, "run were {:?}", all.kinds);
    assert!(all.calls >= 2 * generated::DESCRIBED);
}

#[test]
fn a_list_that_is_too_long_is_refused_by_its_length() {
    let engine = Engine::cpu().expect("an engine");
    let axes: Vec<i64> = (0..9).collect();
    let wrong = anydim::operators::Reduce::new(anydim::ReduceKind::Sum).axes(&axes);
    let error = Primitive::builder(&engine, wrong).input(Desc::f32([3, 4])).build().unwrap_err();
    assert!(matches!(&error, Error::InvalidArgument(f) if f.argument() == Some("op.axes.rank")), "{error:?}");
    assert!(error.message().contains("axes.rank is 9; expected 0..8"), "{error}");
}

/// Of the operators described, layer_norm has one: its scale. A scale of ones gives the same bits.
#[test]
fn an_optional_operand_may_be_left_out_before_a_constant() {
    let engine = Engine::cpu().expect("an engine");
    let mut stream = engine.stream().expect("a stream");
    let mut random = Random::new();
    let (ones, bias) = (vec![1.0f32; 40], (0..40).map(|_| random.real()).collect::<Vec<f32>>());
    let rows = || Primitive::builder(&engine, LayerNorm::new()).input(Desc::f32([Dim::dynamic(1..=64), 40.into()]));
    let vector = |values| TensorView::new(values, &[40]).expect("forty numbers");
    let (ones, bias) = (vector(&ones[..]), vector(&bias[..]));
    let reference = Attributes::new().kernel("layer_norm.reference");
    let scaled = rows().constant(ones).constant(bias).build().expect("a primitive");
    let plain = rows().build().expect("a primitive");
    let chosen = rows().omit().constant(bias).build().expect("a primitive");
    let checked = rows().omit().constant(bias).attributes(reference).build().expect("a primitive");
    let desc = [Desc::f32([Dim::dynamic(1..=64), 40.into()])];
    let weights =
        Weights::pack(&engine, &LayerNorm::new(), &Attributes::new(), &desc, &[(2, bias)]).expect("weights");
    let shared = rows().weights(&weights).build().expect("a primitive");
    for count in [3, 7] {
        let x: Vec<f32> = (0..count * 40).map(|_| random.real()).collect();
        let x = [TensorView::new(&x, &[count, 40]).expect("so many numbers")];
        let expected = bits(&scaled.execute(&mut stream, &x).expect("it runs")[0]);
        assert_ne!(bits(&plain.execute(&mut stream, &x).expect("it runs")[0]), expected, "the bias counts");
        for primitive in [&chosen, &checked, &shared] {
            assert_eq!(bits(&primitive.execute(&mut stream, &x).expect("it runs")[0]), expected);
        }
    }
    let error = rows().omit().input(Desc::f32([40])).build().unwrap_err();
    assert_eq!(error.status(), anydim::Status::Unimplemented);
    assert!(error.message().contains("operand 1 of layer_norm is left out and a later one comes"), "{error}");
    let product = Primitive::builder(&engine, Matmul::new()).input(Desc::f32([3, 4]));
    let error = product.omit().constant(bias).build().unwrap_err();
    assert!(error.message().contains("input 1 is neither constant nor described"), "{error}");
}

#[test]
fn what_a_shape_rule_refuses_is_reported() {
    let engine = Engine::cpu().expect("an engine");
    let made = Primitive::builder(&engine, Matmul::new()).input(Desc::f32([3, 4])).input(Desc::f32([5, 6])).build();
    let error = made.unwrap_err();
    assert_eq!(error.status(), anydim::Status::InvalidArgument);
    assert!(error.message().contains("a [3, 4] has 4 columns and b [5, 6] has 5 rows"), "{error}");
}

#[test]
fn an_operator_of_two_outputs_gives_both() {
    let engine = Engine::cpu().expect("an engine");
    let mut stream = engine.stream().expect("a stream");
    let x = [3.0f32, 1.0, 2.0];
    let topk = Primitive::builder(&engine, Topk::new().axis(1).k(2));
    let topk = topk.input(Desc::f32([Dim::fixed(1), Dim::dynamic(..)])).build().expect("a primitive");
    let y = topk.execute(&mut stream, &[TensorView::new(&x, &[1, 3]).expect("three numbers")]).expect("it runs");
    assert_eq!(y[0].as_slice::<f32>().expect("f32"), [3.0, 2.0]);
    assert_eq!(y[1].as_slice::<i64>().expect("i64"), [0, 2]);
}
