// SPDX-License-Identifier: Apache-2.0
//! What a model's metadata says of strings, maps, sequences and optionals, and the translation of values by it: to tensors before a run,
//! and back behind it.

use std::collections::BTreeMap;

use crate::edge::copies::Copied;
use crate::error::{invalid, not_found};
use crate::json::Json;
use crate::values::{Entry, InputValue, Key, Strings, Value};
use crate::{Dtype, Model, Output, Result, TensorView, ValueInfo};

const LENGTH_BITS: u32 = 27; // of a view of a string: the offset of its first byte in a heap, and its length in bytes
const METADATA_KEY: &str = "anydim.border";

/// An input or output that is a sequence or optional.
#[derive(Debug)]
struct Made {
    name: String,
    is_sequence: bool,
    is_absent: bool,
    has_strings: bool,
    elements: Option<usize>, // none: they are the slices of one tensor
}

impl Made {
    fn read(name: &str, fields: &Json) -> Self {
        let flag = |field| fields.get(field).map_or(false, Json::is_true);
        Self {
            name: name.to_owned(),
            is_sequence: flag("sequence"),
            is_absent: flag("absent"),
            has_strings: flag("strings"),
            elements: fields.get("elements").and_then(Json::as_whole).and_then(|n| usize::try_from(n).ok()),
        }
    }

    fn tensors(&self) -> Vec<String> {
        match self.elements {
            _ if self.is_absent => Vec::new(),
            Some(count) if self.is_sequence => (0..count).map(|i| format!("{}[{i}]", self.name)).collect(),
            _ => vec![self.name.clone()],
        }
    }
}

/// What is translated; an empty object for a model that needs nothing.
#[derive(Debug)]
pub(crate) struct Border(Json);

/// A tensor that a run reads: the caller's, or one that was made for it.
pub(crate) enum Feed<'v> {
    Given(TensorView<'v>),
    Copied(Copied),
    Floats(Vec<f32>, Vec<usize>),
    Doubles(Vec<f64>, Vec<usize>),
    Wholes(Vec<i64>, Vec<usize>),
    Bytes(Vec<u8>),
}

impl Feed<'_> {
    pub(crate) fn view(&self) -> Result<TensorView<'_>> {
        match self {
            Self::Given(view) => Ok(*view),
            Self::Copied(copy) => Ok(copy.view()),
            Self::Floats(values, dims) => TensorView::new(values, dims),
            Self::Doubles(values, dims) => TensorView::new(values, dims),
            Self::Wholes(values, dims) => TensorView::new(values, dims),
            Self::Bytes(bytes) => TensorView::new(bytes, &[bytes.len()]),
        }
    }
}

pub(crate) type Feeds<'v> = Vec<(String, Feed<'v>)>;

fn info_of<'m>(model: &'m Model, name: &str) -> Result<&'m ValueInfo> {
    let names: Vec<&str> = model.inputs().iter().map(|i| i.name.as_str()).collect();
    model
        .inputs()
        .iter()
        .find(|info| info.name == name)
        .ok_or_else(|| not_found("inputs", format!("inputs has '{name}', which the model lacks; expected {names:?}")))
}

impl Border {
    pub(crate) fn of(model: &Model) -> Result<Self> {
        let found = model.metadata()?.into_iter().find(|(key, _)| key == METADATA_KEY);
        found.map_or(Ok(Self(Json::Null)), |(_, text)| Json::read(&text).map(Self))
    }

    fn has(&self, list: &str, name: &str) -> bool {
        self.0.get(list).map_or(false, |l| l.list().iter().any(|n| n.as_text() == Some(name)))
    }

    fn of_name(&self, table: &str, name: &str) -> Option<&Json> {
        self.0.get(table).and_then(|t| t.get(name))
    }

    fn made(&self, table: &str, name: &str) -> Option<Made> {
        self.of_name(table, name).map(|fields| Made::read(name, fields))
    }

    fn texts(&self) -> Vec<&str> {
        self.0.get("texts").map_or(Vec::new(), |l| l.list().iter().filter_map(Json::as_text).collect())
    }

    /// The names of the file's outputs.
    pub(crate) fn output_names(&self, model: &Model) -> Vec<String> {
        let of_file = self.0.get("output_names").map_or(&[][..], Json::list);
        if !of_file.is_empty() {
            return of_file.iter().filter_map(Json::as_text).map(str::to_owned).collect();
        }
        let heaps = self.0.get("view_outputs").map_or(&[][..], Json::fields);
        let is_heap = |name: &str| heaps.iter().any(|(_, heap)| heap.as_text() == Some(name));
        model.outputs().iter().map(|o| o.name.clone()).filter(|name| !is_heap(name)).collect()
    }

    /// The tensors that these outputs are made of.
    pub(crate) fn tensors_of(&self, names: &[String]) -> Vec<String> {
        let mut tensors = Vec::new();
        for name in names {
            for part in self.made("made_outputs", name).map_or(vec![name.clone()], |one| one.tensors()) {
                let heap = self.of_name("view_outputs", &part).and_then(Json::as_text).map(str::to_owned);
                tensors.push(part);
                tensors.extend(heap);
            }
        }
        tensors
    }

    pub(crate) fn add<'v>(
        &self,
        feeds: &mut Feeds<'v>,
        model: &Model,
        name: &str,
        value: InputValue<'v>,
    ) -> Result<()> {
        let one = match self.made("made_inputs", name) {
            None => return self.add_one(feeds, model, name, value),
            Some(one) => one,
        };
        match (value, one.is_absent) {
            (InputValue::None, true) => Ok(()),
            (_, true) => {
                Err(invalid("inputs", format!("'{name}' is given; the model was loaded with absent(\"{name}\")")))
            }
            (InputValue::None, false) => Err(invalid(
                "inputs",
                format!("'{name}' is absent; a model that is loaded with absent(\"{name}\") takes that"),
            )),
            (InputValue::Sequence(elements), false) if one.is_sequence => match one.elements {
                Some(count) if count != elements.len() => {
                    let found = elements.len();
                    Err(invalid("inputs", format!("'{name}' has {found} elements; the model was loaded for {count}")))
                }
                Some(_) => {
                    let mut named = one.tensors().into_iter().zip(elements);
                    named.try_for_each(|(part, element)| self.add_one(feeds, model, &part, element))
                }
                None if one.has_strings => self.add_one(feeds, model, name, stacked_strings(name, elements)?),
                None => {
                    feeds.push((name.to_owned(), Feed::Copied(stacked(info_of(model, name)?, elements)?)));
                    Ok(())
                }
            },
            (value, false) => self.add_one(feeds, model, name, value),
        }
    }

    /// A tensor of numbers or strings, or a map.
    fn add_one<'v>(&self, feeds: &mut Feeds<'v>, model: &Model, name: &str, value: InputValue<'v>) -> Result<()> {
        let strings = match value {
            InputValue::Tensor(view) => {
                feeds.push((name.to_owned(), Feed::Given(view)));
                return Ok(());
            }
            InputValue::Strings(strings) => strings,
            InputValue::Map(map) => return self.add_row(feeds, model, name, &map),
            other => return Err(invalid("inputs", format!("'{name}' is {other:?}; expected a tensor"))),
        };
        if let Some(heap) = self.of_name("view_inputs", name).and_then(Json::as_text) {
            let (mut views, mut bytes) = (Vec::new(), Vec::new());
            for text in &strings.texts {
                if text.len() >= 1 << LENGTH_BITS {
                    let length = text.len();
                    return Err(invalid(
                        "inputs",
                        format!("'{name}' has a string of {length} bytes; expected fewer than 2^27"),
                    ));
                }
                views.push(((bytes.len() as i64) << LENGTH_BITS) + text.len() as i64);
                bytes.extend_from_slice(text.as_bytes());
            }
            feeds.push((name.to_owned(), Feed::Wholes(views, strings.dims)));
            feeds.push((heap.to_owned(), Feed::Bytes(bytes)));
        } else if self.has("inputs", name) {
            let texts = self.texts();
            let number = |text: &String| texts.iter().position(|t| t == text).map_or(-1, |n| n as i64);
            feeds.push((name.to_owned(), Feed::Wholes(strings.texts.iter().map(number).collect(), strings.dims)));
        } else {
            return Err(invalid("inputs", format!("'{name}' is of strings; the model takes numbers there")));
        }
        Ok(())
    }

    /// A map's values, as a row of the keys that the model knows.
    fn add_row(&self, feeds: &mut Feeds<'_>, model: &Model, name: &str, map: &BTreeMap<Key, Entry>) -> Result<()> {
        let key_of =
            |key: &Json| key.as_whole().map_or_else(|| Key::Text(key.as_text().unwrap_or("").into()), Key::Number);
        let keys: Vec<Key> = match self.of_name("map_inputs", name) {
            None => return Err(invalid("inputs", format!("'{name}' is a map; the model takes a tensor there"))),
            Some(Json::List(keys)) => keys.iter().map(key_of).collect(),
            Some(Json::Whole(count)) => {
                if let Some(other) = map.keys().find(|k| !matches!(k, Key::Number(n) if (0..*count).contains(n))) {
                    return Err(invalid(
                        "inputs",
                        format!("'{name}' has the key {other:?}; expected 0 to {}", count - 1),
                    ));
                }
                (0..*count).map(Key::Number).collect()
            }
            Some(_) => map.keys().cloned().collect(),
        };
        let dims = vec![1, keys.len()];
        if self.has("inputs", name) || self.of_name("view_inputs", name).is_some() {
            let fill = self.of_name("map_fills", name).and_then(Json::as_text).unwrap_or("");
            let text = |key: &Key| match map.get(key) {
                Some(Entry::Text(text)) => Ok(text.clone()),
                Some(Entry::Number(number)) => {
                    Err(invalid("inputs", format!("'{name}' has {number}; expected a text")))
                }
                None => Ok(fill.to_owned()),
            };
            let texts = keys.iter().map(text).collect::<Result<Vec<_>>>()?;
            return self.add_one(feeds, model, name, InputValue::Strings(Strings { texts, dims }));
        }
        let number = |key: &Key| match map.get(key) {
            Some(Entry::Number(number)) => Ok(*number),
            Some(Entry::Text(text)) => Err(invalid("inputs", format!("'{name}' has {text:?}; expected a number"))),
            None => Ok(0.0),
        };
        let numbers = keys.iter().map(number).collect::<Result<Vec<f64>>>()?;
        let feed = match info_of(model, name)?.dtype {
            Dtype::F64 => Feed::Doubles(numbers, dims),
            Dtype::I64 => Feed::Wholes(numbers.into_iter().map(|n| n as i64).collect(), dims),
            _ => Feed::Floats(numbers.into_iter().map(|n| n as f32).collect(), dims),
        };
        feeds.push((name.to_owned(), feed));
        Ok(())
    }

    pub(crate) fn result(&self, name: &str, tensors: &mut BTreeMap<String, Output>) -> Result<Value> {
        let one = match self.made("made_outputs", name) {
            None => return self.result_of(name, tensors),
            Some(one) => one,
        };
        if one.is_absent {
            return Ok(Value::None);
        }
        if !one.is_sequence {
            return self.result_of(name, tensors);
        }
        if one.elements.is_some() {
            let parts = one.tensors();
            return parts
                .iter()
                .map(|part| self.result_of(part, tensors))
                .collect::<Result<_>>()
                .map(Value::Sequence);
        }
        Ok(Value::Sequence(match self.result_of(name, tensors)? {
            Value::Tensor(whole) => {
                let view = whole.view();
                let slices = (0..view.dims()[0]).map(|i| Copied::of(&view.slice(i)));
                slices.map(|s| s.map(|copy| Value::Tensor(copy.into()))).collect::<Result<_>>()?
            }
            Value::Strings(whole) => {
                let each: Vec<usize> = whole.dims[1..].to_vec();
                let length: usize = each.iter().product();
                let slice = |i: usize| whole.texts[i * length..(i + 1) * length].to_vec();
                (0..whole.dims[0]).map(|i| Value::Strings(Strings { texts: slice(i), dims: each.clone() })).collect()
            }
            other => vec![other],
        }))
    }

    fn result_of(&self, name: &str, tensors: &mut BTreeMap<String, Output>) -> Result<Value> {
        let mut tensor =
            |name: &str| tensors.remove(name).ok_or_else(|| not_found("outputs", format!("no output '{name}'")));
        let output = tensor(name)?;
        if let Some(heap) = self.of_name("view_outputs", name).and_then(Json::as_text) {
            let bytes = tensor(heap)?.to_vec::<u8>()?;
            let text = |view: i64| {
                let (from, length) = ((view >> LENGTH_BITS) as usize, (view & ((1 << LENGTH_BITS) - 1)) as usize);
                String::from_utf8_lossy(bytes.get(from..from + length).unwrap_or(&[])).into_owned()
            };
            let texts = output.to_vec::<i64>()?.into_iter().map(text).collect();
            return Ok(Value::Strings(Strings { texts, dims: output.dims().to_vec() }));
        }
        if self.has("outputs", name) {
            let known = self.texts();
            let text = |n: i64| {
                usize::try_from(n).ok().and_then(|n| known.get(n)).map_or(String::new(), |t| (*t).to_owned())
            };
            let texts = output.to_vec::<i64>()?.into_iter().map(text).collect();
            return Ok(Value::Strings(Strings { texts, dims: output.dims().to_vec() }));
        }
        let keys = match self.of_name("maps", name) {
            None => return Ok(Value::Tensor(output)),
            Some(keys) => keys.list(),
        };
        let key_of =
            |key: &Json| key.as_whole().map_or_else(|| Key::Text(key.as_text().unwrap_or("").into()), Key::Number);
        let rows = output.to_vec::<f32>()?;
        let maps =
            rows.chunks(keys.len().max(1)).map(|row| keys.iter().map(key_of).zip(row.iter().copied()).collect());
        Ok(Value::Maps(maps.collect()))
    }
}

/// The elements of a sequence of strings as one tensor.
fn stacked_strings<'v>(name: &str, elements: Vec<InputValue<'v>>) -> Result<InputValue<'v>> {
    let (mut texts, mut dims, count) = (Vec::new(), None, elements.len());
    for element in elements {
        match element {
            InputValue::Strings(one) if dims.as_ref().map_or(true, |d| *d == one.dims) => {
                dims = Some(one.dims);
                texts.extend(one.texts);
            }
            other => {
                return Err(invalid(
                    "inputs",
                    format!("'{name}' has the element {other:?}; expected strings of {dims:?}"),
                ))
            }
        }
    }
    let mut all = vec![count];
    all.extend(dims.unwrap_or_default());
    Ok(InputValue::Strings(Strings { texts, dims: all }))
}

fn tensor_of<'v>(info: &ValueInfo, element: &InputValue<'v>) -> Result<TensorView<'v>> {
    match element {
        InputValue::Tensor(view) if view.dtype() == info.dtype => Ok(*view),
        other => {
            let message = format!("'{}' has the element {other:?}; expected a tensor of {}", info.name, info.dtype);
            Err(invalid("inputs", message))
        }
    }
}

/// The elements of a sequence as one tensor.
fn stacked(info: &ValueInfo, elements: Vec<InputValue<'_>>) -> Result<Copied> {
    let name = &info.name;
    let views = elements.iter().map(|element| tensor_of(info, element)).collect::<Result<Vec<TensorView<'_>>>>()?;
    let none: Vec<usize> = info.dims.iter().skip(1).map(|&d| usize::try_from(d).unwrap_or(0)).collect();
    let dims = views.first().map_or(none, |first| first.dims().to_vec());
    if let Some(other) = views.iter().find(|v| v.dims() != dims) {
        let found = other.dims();
        let message = format!(
            "'{name}' has elements of dims {dims:?} and {found:?}; a model that is loaded with sequence(\"{name}\", ranks of its \
             elements) takes such"
        );
        return Err(invalid("inputs", message));
    }
    Copied::stack(info.dtype, &dims, &views)
}
