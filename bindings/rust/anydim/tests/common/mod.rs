// SPDX-License-Identifier: Apache-2.0
//! What several tests need: small ONNX models as bytes, the models of `make models`, random numbers whose seed is printed, and
//! the process's resident set. Numbers are fields of onnx.proto.
#![allow(dead_code)] // not every test needs all of it

use std::path::PathBuf;

use anydim::Dtype;

fn varint(mut n: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while n > 127 {
        out.push((n & 127 | 128) as u8);
        n >>= 7;
    }
    out.push(n as u8);
    out
}

fn number(field: u64, n: u64) -> Vec<u8> {
    [varint(field << 3), varint(n)].concat()
}

fn chunk(field: u64, data: &[u8]) -> Vec<u8> {
    [&varint(field << 3 | 2), &varint(data.len() as u64), data].concat()
}

/// A node named "the OPERATOR".
pub fn node(operator: &str, inputs: &[&str], outputs: &[&str]) -> Vec<u8> {
    let mut out: Vec<u8> = inputs.iter().flat_map(|i| chunk(1, i.as_bytes())).collect();
    out.extend(outputs.iter().flat_map(|o| chunk(2, o.as_bytes())));
    out.extend(chunk(3, format!("the {operator}").as_bytes()));
    out.extend(chunk(4, operator.as_bytes()));
    out
}

/// The same node of another domain, with a whole number as an attribute.
pub fn of_domain(node: Vec<u8>, domain: &str, (attribute, value): (&str, i64)) -> Vec<u8> {
    let attribute = [chunk(1, attribute.as_bytes()), number(3, value as u64), number(20, 2)].concat();
    [node, chunk(5, &attribute), chunk(7, domain.as_bytes())].concat()
}

/// What a model that imports another domain has at its end.
pub fn import(domain: &str) -> Vec<u8> {
    chunk(8, &[chunk(1, domain.as_bytes()), number(2, 1)].concat())
}

/// An input or output; a dim is a number, or else a symbol.
pub fn value(name: &str, dtype: Dtype, dims: &[&str]) -> Vec<u8> {
    let code = match dtype {
        Dtype::F32 => 1,
        Dtype::I64 => 7,
        Dtype::Bool => 9,
        other => panic!("no model of a test has {other}"),
    };
    let shape: Vec<u8> = dims
        .iter()
        .flat_map(|d| chunk(1, &d.parse().map_or_else(|_| chunk(2, d.as_bytes()), |n: u64| number(1, n))))
        .collect();
    let tensor = [number(1, code), chunk(2, &shape)].concat();
    [chunk(1, name.as_bytes()), chunk(2, &chunk(1, &tensor))].concat()
}

/// A constant of f32.
pub fn constant(name: &str, dims: &[u64], values: &[f32]) -> Vec<u8> {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    let dims: Vec<u8> = dims.iter().flat_map(|&d| number(1, d)).collect();
    [dims, number(2, 1), chunk(8, name.as_bytes()), chunk(9, &bytes)].concat()
}

/// A model of nodes, constants, inputs and outputs.
pub fn model(nodes: &[Vec<u8>], constants: &[Vec<u8>], inputs: &[Vec<u8>], outputs: &[Vec<u8>]) -> Vec<u8> {
    let mut graph: Vec<u8> = nodes.iter().flat_map(|n| chunk(1, n)).collect();
    graph.extend(chunk(2, b"g"));
    for (field, items) in [(5, constants), (11, inputs), (12, outputs)] {
        graph.extend(items.iter().flat_map(|i| chunk(field, i)));
    }
    let opset = [chunk(1, b""), number(2, 17)].concat();
    [number(1, 8), chunk(2, b"tests"), chunk(7, &graph), chunk(8, &opset)].concat()
}

/// y = relu(x), of any length.
pub fn relu() -> Vec<u8> {
    let (x, y) = (value("x", Dtype::F32, &["n"]), value("y", Dtype::F32, &["n"]));
    model(&[node("Relu", &["x"], &["y"])], &[], &[x], &[y])
}

/// sum = a + b and product = a * b, of any length.
pub fn sum_and_product() -> Vec<u8> {
    let edge = |name| value(name, Dtype::F32, &["n"]);
    let nodes = [node("Add", &["a", "b"], &["sum"]), node("Mul", &["a", "b"], &["product"])];
    model(&nodes, &[], &[edge("a"), edge("b")], &[edge("sum"), edge("product")])
}

/// y = x W W ... W, a chain of products of 256 x 256 for `rows` rows, which takes a while.
pub fn long_chain(products: usize) -> Vec<u8> {
    let name = |i: usize| {
        if i == products {
            "y".to_owned()
        } else if i == 0 {
            "x".to_owned()
        } else {
            format!("v{i}")
        }
    };
    let nodes: Vec<Vec<u8>> = (0..products).map(|i| node("MatMul", &[&name(i), "w"], &[&name(i + 1)])).collect();
    let w: Vec<f32> = (0..256 * 256).map(|i| if i % 257 == 0 { 1.0 } else { 0.0 }).collect();
    let edge = |name| value(name, Dtype::F32, &["rows", "256"]);
    model(&nodes, &[constant("w", &[256, 256], &w)], &[edge("x")], &[edge("y")])
}

/// One of the models that `make models` fetches; none where they are not.
pub fn fetched(name: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("ANYDIM_MODELS").map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../build/models"));
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    println!("{} is not there (make models): not tested", path.display());
    None
}

/// Random numbers (xorshift); the seed is printed, and ANYDIM_SEED repeats it.
pub struct Random(u64);

impl Random {
    pub fn new() -> Self {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
        let seed: u64 =
            std::env::var("ANYDIM_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(now.subsec_nanos().into());
        println!("ANYDIM_SEED={seed}");
        Self(seed | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A whole number from `low` to `high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + (self.next() >> 11).rem_euclid((high - low + 1) as u64) as i64
    }

    /// A number from -2 to 2.
    pub fn real(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 22) as f32 - 2.0
    }
}

/// Bytes of this process in memory.
pub fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux tells it");
    let pages: usize = text.split_whitespace().nth(1).expect("the second number").parse().expect("a number");
    pages * 4096
}
