// SPDX-License-Identifier: Apache-2.0
//! What a program builds wrongly.

use anydim::{Dtype, GraphBuilder, Model};

#[test]
fn what_is_wrong_about_a_graph_names_the_node() {
    let mut graph = GraphBuilder::new().expect("a graph");
    let failure = graph.constant("c", vec![1f32; 3], &[2, 2]).map(|_| ()).expect_err("too few");
    assert!(failure.to_string().contains("3 elements"), "{failure}");
    graph.opset("", 17).and_then(|g| g.input("x", Dtype::F32, &[2])).expect("an input");
    graph.named_node("Softmax", "", "last", &["x"], &["y"]).and_then(|n| n.integer("axis", 5)).expect("a node");
    graph.output("y").expect("an output");
    assert!(graph.refusal(0).expect("told").is_some_and(|why| why.contains("axis is 5")));
    let failure = Model::builder().load_graph(&graph).expect_err("no such axis");
    assert!(failure.to_string().contains("last (Softmax)"), "{failure}");
}
