// SPDX-License-Identifier: Apache-2.0
//! Strings, maps, sequences and optionals as a model's file declares them. A model computes with numbers of texts or with views of their
//! bytes; its metadata says which inputs and outputs hold them, which text each number stands for, which outputs are the rows of maps, and
//! of which tensors sequences and optionals are made (docs/onnx.md).

use std::collections::BTreeMap;
use std::ops::Index;

use crate::border::{Border, Feeds};
use crate::error::invalid;
use crate::{Output, Outputs, Result, RunOptions, Session, TensorView};

/// A key of a map.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// A whole number.
    Number(i64),
    /// A text.
    Text(String),
}

impl From<i64> for Key {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for Key {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// What a map has for a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
}

/// A tensor of strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strings {
    pub(crate) texts: Vec<String>,
    pub(crate) dims: Vec<usize>,
}

impl Strings {
    /// Of strings in row-major order.
    ///
    /// Errors: [`InvalidArgument`](crate::Error::InvalidArgument) for another number of strings than the dims say.
    pub fn new<T: Into<String>>(texts: impl IntoIterator<Item = T>, dims: &[usize]) -> Result<Self> {
        let texts: Vec<String> = texts.into_iter().map(Into::into).collect();
        if dims.iter().product::<usize>() != texts.len() {
            return Err(invalid("texts", format!("texts has {} elements; dims are {dims:?}", texts.len())));
        }
        Ok(Self { texts, dims: dims.to_vec() })
    }

    /// The strings in row-major order.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// The dims, outermost first.
    pub fn dims(&self) -> &[usize] {
        &self.dims
    }
}

/// An input as the model's file declares it.
#[derive(Clone, Debug)]
pub enum InputValue<'v> {
    /// A tensor of numbers.
    Tensor(TensorView<'v>),
    /// A tensor of strings.
    Strings(Strings),
    /// A sequence.
    Sequence(Vec<InputValue<'v>>),
    /// A map.
    Map(BTreeMap<Key, Entry>),
    /// An optional that is absent.
    None,
}

/// An output as the model's file declares it.
#[derive(Debug)]
pub enum Value {
    /// A tensor of numbers.
    Tensor(Output),
    /// A tensor of strings.
    Strings(Strings),
    /// A sequence.
    Sequence(Vec<Value>),
    /// A map for each row.
    Maps(Vec<BTreeMap<Key, f32>>),
    /// An optional that is absent.
    None,
}

/// The outputs of a run as the model's file declares them, in the order in which they were asked for.
#[derive(Debug)]
pub struct Values(Vec<(String, Value)>);

impl Values {
    /// The output of this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.iter().find(|(n, _)| *n == name).map(|(_, value)| value)
    }

    /// Names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }
}

impl Index<&str> for Values {
    type Output = Value;

    fn index(&self, name: &str) -> &Value {
        match self.get(name) {
            Some(value) => value,
            None => {
                panic!("there is no output {name:?}; there are {:?}", self.iter().map(|(n, _)| n).collect::<Vec<_>>())
            }
        }
    }
}

impl Session {
    /// Runs the model on what its file declares: tensors, strings, sequences, maps and optionals, by the names that the file has.
    /// [`run`](Self::run) takes and returns the tensors that the library makes of them.
    ///
    /// ```no_run
    /// use anydim::{InputValue, Strings, Value};
    /// let session = anydim::Session::builder().open("countries.onnx")?;
    /// let cities = Strings::new(["Oslo", "Lima"], &[2])?;
    /// let y = session.run_values([("city", InputValue::Strings(cities))])?;
    /// if let Value::Strings(countries) = &y["country"] {
    ///     println!("{:?}", countries.texts());
    /// }
    /// # Ok::<(), anydim::Error>(())
    /// ```
    ///
    /// Errors: as [`run`](Self::run).
    pub fn run_values<'n, 'v>(&self, inputs: impl IntoIterator<Item = (&'n str, InputValue<'v>)>) -> Result<Values> {
        self.run_values_with(inputs, &RunOptions::default())
    }

    /// As [`run_values`](Self::run_values), with options, whose outputs are those of the file.
    pub fn run_values_with<'n, 'v>(
        &self,
        inputs: impl IntoIterator<Item = (&'n str, InputValue<'v>)>,
        options: &RunOptions,
    ) -> Result<Values> {
        let border = Border::of(self.model())?;
        let mut feeds = Feeds::new();
        for (name, value) in inputs {
            border.add(&mut feeds, self.model(), name, value)?;
        }
        let names = options.asked().map_or_else(|| border.output_names(self.model()), <[String]>::to_vec);
        let tensors = border.tensors_of(&names);
        let views = feeds.iter().map(|(name, feed)| Ok((name.as_str(), feed.view()?))).collect::<Result<Vec<_>>>()?;
        let outputs = self.run_with(views, &options.clone().outputs(tensors.iter().map(String::as_str)))?;
        let Outputs { values, .. } = outputs;
        let mut found: BTreeMap<String, Output> = tensors.into_iter().zip(values).collect();
        let mut made = Vec::new();
        for name in names {
            let value = border.result(&name, &mut found)?;
            made.push((name, value));
        }
        Ok(Values(made))
    }
}
