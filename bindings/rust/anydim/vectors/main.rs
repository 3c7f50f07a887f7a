// SPDX-License-Identifier: Apache-2.0
//! Runs the test vectors (tests/vectors/README.md of the repository) through this crate, and prints a line for each case: its
//! name, then the digest of its outputs' bits, the status with which it failed as it should, `cannot` and why if nobody can
//! write such a thing in Rust, or `WRONG` and why; then the exit status is 1. `cargo run --example vectors -- FOLDER`

mod cases;

use std::path::Path;

use anydim::operators::{Matmul, Unary};
use anydim::{
    Bf16, Bounds, Desc, Dim, Dtype, Element, Engine, Error, Model, Output, Primitive, RunOptions, Session,
    TensorView, UnaryFunction, F16,
};
use cases::{Case, Promised, Tensor};

/// How a case ends that gives no outputs.
enum End {
    Cannot(&'static str),
    Failed(&'static str, Error),
}

fn at<T>(step: &'static str, result: anydim::Result<T>) -> Result<T, End> {
    result.map_err(|error| End::Failed(step, error))
}

/// Numbers of a dtype, out of little-endian bytes and into them.
trait Number: Element {
    fn read(bytes: &[u8]) -> Option<Vec<Self>>;
    fn write(values: &[Self]) -> Vec<u8>;
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl Number for $type {
            fn read(bytes: &[u8]) -> Option<Vec<Self>> {
                let one = |b: &[u8]| <$type>::from_le_bytes(b.try_into().expect("as many bytes as a number has"));
                Some(bytes.chunks_exact(std::mem::size_of::<$type>()).map(one).collect())
            }
            fn write(values: &[Self]) -> Vec<u8> {
                values.iter().flat_map(|v| v.to_le_bytes()).collect()
            }
        }
    )*};
}
numbers!(f32, f64, i8, u8, i16, u16, i32, u32, i64, u64);

impl Number for F16 {
    fn read(bytes: &[u8]) -> Option<Vec<Self>> {
        u16::read(bytes).map(|v| v.into_iter().map(F16).collect())
    }
    fn write(values: &[Self]) -> Vec<u8> {
        values.iter().flat_map(|v| v.0.to_le_bytes()).collect()
    }
}

impl Number for Bf16 {
    fn read(bytes: &[u8]) -> Option<Vec<Self>> {
        u16::read(bytes).map(|v| v.into_iter().map(Bf16).collect())
    }
    fn write(values: &[Self]) -> Vec<u8> {
        values.iter().flat_map(|v| v.0.to_le_bytes()).collect()
    }
}

impl Number for bool {
    fn read(bytes: &[u8]) -> Option<Vec<Self>> {
        bytes.iter().map(|&b| if b > 1 { None } else { Some(b == 1) }).collect()
    }
    fn write(values: &[Self]) -> Vec<u8> {
        values.iter().map(|&v| u8::from(v)).collect()
    }
}

/// Does something with the Rust type of a dtype.
macro_rules! with_type {
    ($dtype:expr, $call:ident ( $($argument:expr),* )) => {
        match $dtype {
            "f32" => $call::<f32>($($argument),*),
            "f64" => $call::<f64>($($argument),*),
            "f16" => $call::<F16>($($argument),*),
            "bf16" => $call::<Bf16>($($argument),*),
            "i8" => $call::<i8>($($argument),*),
            "u8" => $call::<u8>($($argument),*),
            "i16" => $call::<i16>($($argument),*),
            "u16" => $call::<u16>($($argument),*),
            "i32" => $call::<i32>($($argument),*),
            "u32" => $call::<u32>($($argument),*),
            "i64" => $call::<i64>($($argument),*),
            "u64" => $call::<u64>($($argument),*),
            "bool" => $call::<bool>($($argument),*),
            other => panic!("there is no dtype {other}"),
        }
    };
}

fn dtype_of(name: &str) -> Dtype {
    fn of<T: Number>() -> Dtype {
        T::DTYPE
    }
    with_type!(name, of())
}

/// A view of a tensor's numbers, which live as long as the program: it is a short one.
fn view(tensor: &Tensor) -> Result<TensorView<'static>, End> {
    fn of<T: Number>(data: &[u8], dims: &[usize]) -> Result<TensorView<'static>, End> {
        let numbers = T::read(data).ok_or(End::Cannot("a bool is true or false"))?;
        at("run", TensorView::new(Vec::leak(numbers), dims))
    }
    let data = tensor.data.as_ref().ok_or(End::Cannot("a slice has its data"))?;
    let dims: Result<Vec<usize>, _> = tensor.dims.iter().map(|&d| usize::try_from(d)).collect();
    let dims = dims.map_err(|_| End::Cannot("a length is not negative"))?;
    let elements = dims.iter().try_fold(1usize, |n, &d| n.checked_mul(d)).unwrap_or(usize::MAX);
    let size = with_type!(tensor.dtype.as_str(), size_of_element());
    if elements.checked_mul(size) != Some(data.len()) {
        return Err(End::Cannot("a slice has as many elements as its dims say"));
    }
    with_type!(tensor.dtype.as_str(), of(data, &dims))
}

fn size_of_element<T: Number>() -> usize {
    std::mem::size_of::<T>()
}

fn dims(promised: &[Promised]) -> impl Iterator<Item = Dim> + '_ {
    promised.iter().map(|p| match *p {
        Promised::Number(n) => n.into(),
        Promised::Between(low, high) => (low..=high).into(),
    })
}

fn run_model(case: &Case, folder: &Path) -> Result<Vec<Output>, End> {
    let engine = at("create", Engine::cpu())?;
    let path = folder.join("models").join(&case.model);
    let mut loader = Model::builder().engine(&engine);
    for (name, ranks) in &case.sequences {
        loader = match ranks {
            Some(ranks) => loader.sequence(name, ranks),
            None => loader.absent(name),
        };
    }
    let model = match case.first_bytes {
        None => loader.load(&path),
        Some(n) => {
            let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            Model::builder().engine(&engine).load_bytes(&bytes[..n])
        }
    };
    let model = at("load", model)?;
    let mut builder = Session::builder();
    if !case.bounds.is_empty() {
        let bounds = case.bounds.iter().fold(Bounds::new(), |b, (input, promised)| b.input(input, dims(promised)));
        builder = builder.bounds(bounds);
    }
    let session = at("create", builder.over(&model))?;
    for what in &case.destroy {
        if what == "session" {
            session.close();
        }
    }
    if case.destroy.iter().any(|d| d == "engine") {
        drop(engine);
    }
    drop(model); // the session holds it
    let inputs = case.inputs.iter().map(|t| Ok((t.name.as_str(), view(t)?))).collect::<Result<Vec<_>, End>>()?;
    let options = case.ask.iter().fold(RunOptions::new(), |o, name| o.outputs([name.as_str()]));
    // Names are looked up by the same call.
    let step = if case.step == "find" { "find" } else { "run" };
    Ok(at(step, session.run_with(inputs, &options))?.into_iter().collect())
}

fn run_primitive(case: &Case) -> Result<Vec<Output>, End> {
    let engine = at("create", Engine::cpu())?;
    let descs = case.descs.iter().map(|(dtype, promised)| Desc::new(dtype_of(dtype), dims(promised)));
    let primitive = match case.operator.as_str() {
        "relu" => {
            let relu = Primitive::builder(&engine, Unary::new(UnaryFunction::Relu));
            descs.fold(relu, |builder, desc| builder.input(desc)).build()
        }
        "matmul" => {
            let matmul = Primitive::builder(&engine, Matmul::new());
            descs.fold(matmul, |builder, desc| builder.input(desc)).build()
        }
        other => panic!("there is no operator {other} in the vectors"),
    };
    let primitive = at("create", primitive)?;
    let inputs = case.inputs.iter().map(view).collect::<Result<Vec<_>, End>>()?;
    let mut stream = at("create", engine.stream())?;
    at("run", primitive.execute(&mut stream, &inputs))
}

/// The bytes of an output, if it is what is wanted.
fn bytes_of(got: &Output, want: &Tensor) -> Result<Vec<u8>, String> {
    fn of<T: Number>(got: &Output) -> anydim::Result<Vec<u8>> {
        got.to_vec::<T>().map(|v| T::write(&v))
    }
    let dims: Vec<i64> = got.dims().iter().map(|&d| d as i64).collect();
    if got.dtype() != dtype_of(&want.dtype) || dims != want.dims {
        return Err(format!(
            "output {} is {}{dims:?}; expected {}{:?}",
            want.name,
            got.dtype(),
            want.dtype,
            want.dims
        ));
    }
    let bytes = with_type!(want.dtype.as_str(), of(got)).map_err(|e| e.to_string())?;
    if Some(&bytes) != want.data.as_ref() {
        return Err(format!("output {} has other bits", want.name));
    }
    Ok(bytes)
}

fn outcome(case: &Case, folder: &Path) -> Result<String, String> {
    let ended = if case.operator.is_empty() { run_model(case, folder) } else { run_primitive(case) };
    match ended {
        Err(End::Cannot(why)) => Ok(format!("cannot {why}")),
        Err(End::Failed(step, error)) => {
            let status = error.status().name();
            if step != case.step || !case.statuses.iter().any(|s| s == status) {
                return Err(format!(
                    "{step} failed with {status}: {error}; expected {} {:?}",
                    case.step, case.statuses
                ));
            }
            match case.says.iter().find(|text| !error.message().contains(text.as_str())) {
                Some(text) => Err(format!("the message does not say {text:?}: {error}")),
                None => Ok(status.to_owned()),
            }
        }
        Ok(_) if !case.step.is_empty() => Err(format!("it ran; expected {} {:?}", case.step, case.statuses)),
        Ok(outputs) if outputs.len() != case.outputs.len() => Err(format!("{} outputs", outputs.len())),
        Ok(outputs) => {
            let mut digest = 0xcbf2_9ce4_8422_2325_u64; // FNV-1a
            for (got, want) in outputs.iter().zip(&case.outputs) {
                for byte in bytes_of(got, want)? {
                    digest = (digest ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
                }
            }
            Ok(format!("{digest:016x}"))
        }
    }
}

fn main() {
    let folder = std::env::args().nth(1).expect("vectors FOLDER");
    let folder = Path::new(&folder);
    let text = std::fs::read_to_string(folder.join("cases.txt")).expect("the folder has cases.txt");
    let mut right = true;
    for case in cases::read(&text) {
        let result = outcome(&case, folder).unwrap_or_else(|why| {
            right = false;
            format!("WRONG {why}")
        });
        println!("{} {result}", case.name);
    }
    std::process::exit(i32::from(!right));
}
