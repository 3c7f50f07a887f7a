// SPDX-License-Identifier: Apache-2.0
//! The reader of cases.txt, whose format is in tests/vectors/README.md of the repository.

/// An input, or an output that is expected.
pub struct Tensor {
    pub name: String,
    pub dtype: String,
    pub dims: Vec<i64>,
    /// None: none is given.
    pub data: Option<Vec<u8>>,
}

/// A dim of bounds or of a descriptor.
pub enum Promised {
    Number(i64),
    Between(i64, i64),
}

/// A case; what its lines do not say is empty.
#[derive(Default)]
pub struct Case {
    pub name: String,
    pub model: String,
    pub first_bytes: Option<usize>,
    pub operator: String,
    pub descs: Vec<(String, Vec<Promised>)>,
    pub bounds: Vec<(String, Vec<Promised>)>,
    pub sequences: Vec<(String, Option<Vec<usize>>)>,
    pub destroy: Vec<String>,
    pub inputs: Vec<Tensor>,
    pub outputs: Vec<Tensor>,
    pub ask: Option<String>,
    pub step: String,
    pub statuses: Vec<String>,
    pub says: Vec<String>,
}

fn number(text: &str) -> i64 {
    text.parse().unwrap_or_else(|e| panic!("cases.txt: {text:?}: {e}"))
}

fn promised(text: &str) -> Vec<Promised> {
    let one = |dim: &str| match dim.split_once("..") {
        Some((low, high)) => Promised::Between(number(low), number(high)),
        None => Promised::Number(number(dim)),
    };
    text.split(',').map(one).collect()
}

/// NAME DTYPE DIMS DATA
fn tensor(parts: &[&str]) -> Tensor {
    let dims = if parts[2] == "scalar" { Vec::new() } else { parts[2].split(',').map(number).collect() };
    let byte = |i: usize| u8::from_str_radix(&parts[3][2 * i..2 * i + 2], 16).expect("hexadecimal digits");
    let data = match parts[3] {
        "none" => None,
        "-" => Some(Vec::new()),
        digits => Some((0..digits.len() / 2).map(byte).collect()),
    };
    Tensor { name: parts[0].into(), dtype: parts[1].into(), dims, data }
}

/// All cases of the file.
pub fn read(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let (word, rest) = line.split_once(' ').expect("a word and its parts");
        if word == "case" {
            cases.push(Case { name: rest.into(), ..Case::default() });
            continue;
        }
        let parts: Vec<&str> = rest.split(' ').collect();
        let case = cases.last_mut().expect("a case begins the file");
        match word {
            "model" => {
                case.model = parts[0].into();
                case.first_bytes = parts.get(1).map(|n| number(n) as usize);
            }
            "operator" => case.operator = rest.into(),
            "desc" => case.descs.push((parts[0].into(), promised(parts[1]))),
            "sequences" => {
                for item in rest.split(';') {
                    let (name, ranks) = item.rsplit_once('=').expect("NAME=RANKS");
                    let ranks = ranks.split(',').filter(|rank| !rank.is_empty() && *rank != "-").map(number);
                    case.sequences.push((
                        name.into(),
                        (!item.ends_with('-')).then(|| ranks.map(|rank| rank as usize).collect()),
                    ));
                }
            }
            "bounds" => case.bounds.push((parts[0].into(), promised(parts[1]))),
            "destroy" => case.destroy.push(rest.into()),
            "input" => case.inputs.push(tensor(&parts)),
            "output" => case.outputs.push(tensor(&parts)),
            "ask" => case.ask = Some(rest.into()),
            "fails" => {
                case.step = parts[0].into();
                case.statuses = parts[1..].iter().map(|&s| s.into()).collect();
            }
            "says" => case.says.push(rest.into()),
            _ => panic!("cases.txt: what is {word:?}?"),
        }
    }
    cases
}
