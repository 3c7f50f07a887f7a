// SPDX-License-Identifier: Apache-2.0
//! What models' files declare as inputs and outputs: strings, maps, sequences. `cargo run --example declared -- FOLDER`, with the models of
//! tests/consumers/declared_models.py, whose outputs tests/rust/run.py compares.

use std::collections::BTreeMap;

use anydim::{Engine, Entry, InputValue, Model, ModelBuilder, Result, Session, Strings, TensorView, Value};

fn shown(value: &Value) -> String {
    match value {
        Value::Tensor(y) => {
            let numbers = y.to_vec::<f32>().expect("floats");
            format!("{}{:?} {:?}", y.dtype(), y.dims(), numbers.iter().sum::<f32>())
        }
        Value::Strings(strings) => format!("{:?}{:?}", strings.dims(), strings.texts()),
        Value::Sequence(elements) => elements.iter().map(|element| shown(element) + "; ").collect(),
        Value::Maps(maps) => format!("{maps:?}"),
        Value::None => "none".into(),
    }
}

fn run(folder: &str, model: &str, builder: ModelBuilder, inputs: Vec<(&str, InputValue<'_>)>) -> Result<()> {
    let session = Session::builder().over(&builder.load(format!("{folder}/{model}.onnx"))?)?;
    match session.run_values(inputs) {
        Ok(values) => values.iter().for_each(|(name, value)| println!("{model} {name}: {}", shown(value))),
        Err(refused) => println!("{model} {:?}: {refused}", refused.status()),
    }
    Ok(())
}

fn texts<const N: usize>(texts: [&str; N]) -> Result<InputValue<'static>> {
    Ok(InputValue::Strings(Strings::new(texts, &[N])?))
}

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".into());
    let cpu = Engine::cpu()?;
    let plain = || Model::builder().engine(&cpu);
    run(&folder, "labels", plain(), vec![("city", texts(["Oslo", "Lima", "Atlantis"])?)])?;
    run(&folder, "joined", plain(), vec![("a", texts(["ab", "é", ""])?), ("b", texts(["x", "雪", "z"])?)])?;
    let x = TensorView::new(&[0.25f32, 0.75, 1.0, 0.0], &[2, 2])?;
    let map = BTreeMap::from([("b".into(), Entry::Number(2.5)), ("unknown".into(), Entry::Number(9.0))]);
    run(&folder, "maps", plain(), vec![("x", InputValue::Tensor(x)), ("m", InputValue::Map(map))])?;
    let two =
        |n| Ok::<_, anydim::Error>(InputValue::Tensor(TensorView::new(&[1f32, 2.0, 3.0, 4.0][n..n + 2], &[2])?));
    let one = || Ok::<_, anydim::Error>(InputValue::Tensor(TensorView::new(&[3f32], &[1])?));
    run(&folder, "sequences", plain(), vec![("s", InputValue::Sequence(vec![two(0)?, two(2)?]))])?;
    run(&folder, "sequences", plain(), vec![("s", InputValue::Sequence(vec![two(0)?, one()?]))])?;
    let ranks = plain().sequence("s", &[1, 1]);
    run(&folder, "sequences", ranks, vec![("s", InputValue::Sequence(vec![two(0)?, one()?]))])
}
