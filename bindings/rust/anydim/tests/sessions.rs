// SPDX-License-Identifier: Apache-2.0
//! Models, sessions and contexts: runs at changing shapes, into the caller's memory, with bounds, and with what is wrong about
//! inputs. Threads are in session_threads.rs.

mod common;

use std::time::Duration;

use anydim::{
    Batching, Bounds, CacheLine, Dim, Dtype, EdgeLayout, Engine, Error, GraphBuilder, Memory, Model, RunOptions,
    Session, Status, TensorView, TensorViewMut,
};

fn view<'a>(data: &'a [f32], dims: &[usize]) -> TensorView<'a> {
    TensorView::new(data, dims).expect("as many numbers as the dims say")
}

fn session(model: &[u8]) -> Session {
    Session::builder().threads(1).open_bytes(model).expect("a session")
}

#[test]
fn a_session_runs_at_any_length() {
    let session = session(&common::relu());
    assert_eq!(session.model().inputs()[0].name, "x");
    assert_eq!(session.model().inputs()[0].dims, [-1]);
    for n in [1, 7, 1000, 0, 3] {
        let x: Vec<f32> = (0..n).map(|i| i as f32 - 2.0).collect();
        let y = session.run([("x", view(&x, &[n]))]).expect("it runs");
        assert_eq!(y[0].dims(), [n]);
        assert_eq!(y[0].dtype(), Dtype::F32);
        let expected: Vec<f32> = x.iter().map(|v| v.max(0.0)).collect();
        assert_eq!(y["y"].as_slice::<f32>().expect("f32"), expected);
    }
}

#[test]
fn callers_are_joined_and_each_gets_its_own_rows() {
    let batching = Batching::new().rows(4).wait(Duration::from_millis(2)).waiting(100);
    let session = Session::builder().batching(batching).open_bytes(&common::relu()).expect("a session");
    std::thread::scope(|threads| {
        for caller in 0..6usize {
            let session = &session;
            threads.spawn(move || {
                for k in 0..40usize {
                    let x = vec![caller as f32 - k as f32; 1 + k % 3];
                    let y = session.run([("x", view(&x, &[x.len()]))]).expect("it runs");
                    let expected: Vec<f32> = x.iter().map(|v| v.max(0.0)).collect();
                    assert_eq!(y[0].as_slice::<f32>().expect("f32"), expected);
                }
            });
        }
    });
    let info = session.batching_info().expect("figures");
    assert!(info.started && info.requests == 240 && info.largest_batch <= 4 && info.p99_ns > 0);
    assert!(matches!(session.start_batching(&batching), Err(Error::Busy(_))));
    session.stop_batching(false).expect("it stops");
    assert!(!session.batching_info().expect("figures").started);
    assert!(matches!(session.start_batching(&batching.rows(0)), Err(Error::InvalidArgument(_))));
}

#[test]
fn results_outlive_the_session() {
    let y = {
        let session = session(&common::relu());
        session.run([("x", view(&[1.0, -1.0], &[2]))]).expect("it runs")
    };
    assert_eq!(y[0].to_vec::<f32>().expect("f32"), [1.0, 0.0]);
}

#[test]
fn inputs_come_by_name_and_outputs_are_asked_for_by_name() {
    let session = session(&common::sum_and_product());
    let (a, b) = ([1.0, 2.0], [10.0, 20.0]);
    let inputs = [("b", view(&b, &[2])), ("a", view(&a, &[2]))];
    let all = session.run(inputs).expect("it runs");
    assert_eq!(all.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["sum", "product"]);
    assert_eq!(all["sum"].as_slice::<f32>().expect("f32"), [11.0, 22.0]);
    let one = session.run_with(inputs, &RunOptions::new().outputs(["product"])).expect("it runs");
    assert_eq!(one.len(), 1);
    assert_eq!(one["product"].as_slice::<f32>().expect("f32"), [10.0, 40.0]);
    assert!(one.get("sum").is_none());
}

#[test]
fn results_go_into_the_callers_memory() {
    let session = session(&common::sum_and_product());
    let (a, b) = ([1.0, 2.0, 3.0], [10.0, 20.0, 30.0]);
    let mut product = [0.0f32; 6];
    let inputs = [view(&a, &[3]), view(&b, &[3])];
    // Every second place, from the end: any strides are written.
    let every_second = TensorViewMut::with_strides(&mut product, 5, &[3], &[-2]).expect("inside");
    session.run_into(&inputs, &mut [TensorViewMut::unasked(), every_second]).expect("it runs");
    assert_eq!(product, [0.0, 90.0, 0.0, 40.0, 0.0, 10.0]);
}

#[test]
fn what_is_wrong_about_inputs_is_reported_and_outputs_are_untouched() {
    let session = session(&common::sum_and_product());
    let (two, three) = ([1.0, 2.0], [1.0, 2.0, 3.0]);
    let fails = |inputs: &[(&str, TensorView<'_>)], status: Status, words: &str| {
        let error = session.run(inputs.iter().copied()).unwrap_err();
        assert_eq!(error.status(), status, "{error}");
        assert!(error.message().contains(words), "{error} lacks {words:?}");
    };
    let (a, b) = (view(&two, &[2]), view(&three, &[3]));
    fails(&[("a", a)], Status::InvalidArgument, "inputs lacks 'b'");
    fails(&[("a", a), ("a", a), ("b", a)], Status::InvalidArgument, "'a' twice");
    fails(&[("a", a), ("c", a)], Status::NotFound, "'c', which the model lacks; expected [\"a\", \"b\"]");
    fails(&[("a", a), ("b", b)], Status::InvalidArgument, "3");
    let whole = [1i64, 2];
    let whole = TensorView::new(&whole, &[2]).expect("two numbers");
    fails(&[("a", whole), ("b", a)], Status::InvalidArgument, "i64");
    fails(&[("a", view(&two, &[1, 2])), ("b", a)], Status::InvalidArgument, "rank");
    let error = session.run_with([("a", a), ("b", a)], &RunOptions::new().outputs(["quotient"])).unwrap_err();
    assert!(matches!(error, Error::NotFound(_)), "{error:?}");

    let (mut sum, mut product) = ([7.0f32; 2], [7.0f32; 3]);
    let mut outputs = [
        TensorViewMut::new(&mut sum, &[2]).expect("two numbers"),
        TensorViewMut::new(&mut product, &[3]).expect("three numbers"),
    ];
    let error = session.run_into(&[a, a], &mut outputs).unwrap_err();
    assert!(error.message().contains("product") && error.message().contains("gives 2"), "{error}");
    assert_eq!((sum, product), ([7.0; 2], [7.0; 3]));
}

#[test]
fn views_stay_inside_of_what_they_borrow() {
    let data = [0.0f32; 6];
    for (dims, words) in [(&[2usize, 2][..], "need 4"), (&[7], "need 7"), (&[1; 9], "at most 8")] {
        let error = TensorView::new(&data, dims).unwrap_err();
        assert!(error.message().contains(words), "{error} lacks {words:?}");
    }
    assert!(TensorView::new(&data, &[usize::MAX, 2]).is_err());
    assert!(TensorView::with_strides(&data, 0, &[2, 3], &[3, 1]).is_ok());
    assert!(TensorView::with_strides(&data, 1, &[2, 3], &[3, 1]).is_err());
    assert!(TensorView::with_strides(&data, 5, &[6], &[-1]).is_ok());
    assert!(TensorView::with_strides(&data, 4, &[6], &[-1]).is_err());
    assert!(TensorView::with_strides(&data, 0, &[1000], &[0]).is_ok());
    assert!(TensorView::with_strides(&data, 0, &[2], &[isize::MAX]).is_err());
    assert!(TensorView::with_strides(&data, 9, &[0, 3], &[3, 1]).is_ok(), "no element, so none outside");
}

#[test]
fn bounds_take_all_memory_at_once_and_refuse_what_is_outside() {
    let bounds = Bounds::new().input("x", [Dim::dynamic(1..=100)]);
    let model = Model::builder().load_bytes(&common::relu()).expect("a model");
    let bytes = model.bytes_needed(&bounds).expect("it can be counted");
    let mut buffer = vec![CacheLine::ZERO; CacheLine::for_bytes(bytes)];
    let mut context = model.context().bounds(&bounds).buffer(&mut buffer).threads(1).build().expect("a context");
    for n in [1, 100, 50] {
        let x = vec![-1.0; n];
        assert_eq!(
            context.run([("x", view(&x, &[n]))]).expect("inside")[0].to_vec::<f32>().expect("f32"),
            vec![0.0; n]
        );
    }
    let x = vec![1.0; 101];
    let error = context.run([("x", view(&x, &[101]))]).unwrap_err();
    assert!(matches!(error, Error::OutOfBounds(_)), "{error:?}");
    let info = context.info().expect("it tells");
    assert!(info.bounded && info.growths == 0 && info.runs == 3, "{info:?}");

    let unknown = Bounds::new().input("z", [Dim::dynamic(1..=2)]);
    let error = Session::builder().bounds(unknown).over(&model).unwrap_err();
    assert!(matches!(error, Error::NotFound(_)), "{error:?}");
    let mut small = vec![CacheLine::ZERO; 1];
    let wide = Bounds::new().input("x", [Dim::dynamic(1..=1 << 20)]);
    let needed = model.bytes_needed(&wide).expect("it can be counted");
    if needed > 64 {
        assert!(model.context().bounds(&wide).buffer(&mut small).build().is_err());
    }
}

#[test]
fn a_context_reports_dims_and_nodes_and_explains() {
    let model = Model::builder().load_bytes(&common::long_chain(3)).expect("a model");
    let mut context = model.context().threads(1).profile(true).build().expect("a context");
    let x = vec![0.5; 2 * 256];
    let inputs = [view(&x, &[2, 256])];
    assert_eq!(context.output_dims(&inputs, 0).expect("dims"), [2, 256]);
    assert!(matches!(context.nodes().unwrap_err(), Error::NotFound(_)));
    let mut y = vec![0.0f32; 2 * 256];
    context.run_into(&inputs, &mut [TensorViewMut::new(&mut y, &[2, 256]).expect("room")]).expect("it runs");
    assert_eq!(y, x);
    let nodes = context.nodes().expect("it ran");
    assert_eq!(nodes.len(), 3);
    assert!(nodes.iter().all(|n| n.op.starts_with("matmul") && n.time_ns >= 0), "{nodes:?}");
    assert!(context.explain(&inputs).expect("JSON").contains("\"nodes\""));
    assert!(model.describe().expect("JSON").contains("matmul"));
}

#[test]
fn a_model_runs_on_the_engines_that_it_is_given() {
    let (cpu, other) = (Engine::cpu().expect("an engine"), Engine::cpu().expect("an engine"));
    let bytes = common::long_chain(2);
    let engines = |list: &[Engine]| {
        let model = Model::builder().engine(&cpu).engines(list).load_bytes(&bytes).expect("a model");
        model.engines().expect("it tells").len()
    };
    // The engine itself has the CPU's place in the list; another one of its kind has no node left.
    assert_eq!((engines(&[]), engines(std::slice::from_ref(&cpu))), (1, 1));
    assert!(engines(&[other.clone(), cpu.clone()]) >= 1);
    let missing = Engine::builder().kind(anydim::EngineKind::Opencl).device(7).build().unwrap_err();
    assert!(matches!(missing, Error::NotFound(_) | Error::InvalidArgument(_)), "{missing:?}");
}

#[test]
fn a_context_runs_in_a_stream_after_what_was_given_to_it_before() {
    let engine = Engine::builder().threads(1).build().expect("an engine");
    let model = Model::builder().engine(&engine).load_bytes(&common::long_chain(2)).expect("a model");
    let mut context = model.context().build().expect("a context");
    let mut stream = engine.stream().expect("a stream");
    let x: Vec<f32> = (0..512).map(|i| i as f32).collect();
    let source = Memory::import(&engine, x.clone()).expect("a memory");
    assert!(source.info().expect("it tells").imported);
    let mut copied = Memory::allocate(&engine, 2048).expect("a memory");
    stream.copy(&source, 0, &mut copied, 0, 2048).expect("it copies");
    let mut y = vec![0.0f32; 512];
    let input = copied.view(0, Dtype::F32, &[2, 256]);
    let mut output = [TensorViewMut::new(&mut y, &[2, 256]).expect("as many")];
    context.run_in(&mut stream, &[input], &mut output).expect("it runs");
    assert_eq!(y, x);

    let error = stream.copy(&source, 8, &mut copied, 0, 2048).unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
}

#[test]
fn the_library_reports_its_build_and_its_caches() {
    let build = anydim::build().expect("it tells");
    assert_eq!(format!("{}.{}.{}", build.major, build.minor, build.patch), anydim::version());
    assert!(anydim::observing::describe_persistent_cache().expect("it tells").contains("\"enabled\""));
    match anydim::observing::verify_persistent_cache() {
        Ok(json) => assert!(json.contains("\"ok\""), "{json}"),
        Err(error) => assert!(matches!(error, Error::Unimplemented(_)), "{error:?}"),
    }
    let error = anydim::observing::Call::parse("no line").unwrap_err();
    assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
}

#[test]
fn a_tuning_reports_progress_and_can_be_stopped() {
    let model = Model::builder().load_bytes(&common::long_chain(4)).expect("a model");
    let mut context = model.context().threads(1).build().expect("a context");
    let x = vec![1.0; 8 * 256];
    let options = anydim::TuneOptions::default().record(false).node(Duration::from_millis(2));
    let mut told = Vec::new();
    let report = context.tune(&[view(&x, &[8, 256])], &options, |done, nodes| {
        told.push((done, nodes));
        true
    });
    assert!(report.expect("a report").contains("\"nodes\""));
    assert!(told.len() > 1 && told[0].0 == 0, "{told:?}");
    let ended = context.tune(&[view(&x, &[8, 256])], &options.clone().again(true), |_, _| false);
    assert!(matches!(ended.unwrap_err(), Error::Cancelled(_)));
    let panicked = context.tune(&[view(&x, &[8, 256])], &options.again(true), |_, _| panic!("in a callback"));
    assert!(matches!(panicked.unwrap_err(), Error::Cancelled(_)));
}

#[test]
fn packed_weights_are_mapped_by_later_loads() {
    let bytes = common::long_chain(2);
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join(format!("packed-{}", std::process::id()));
    let model = Model::builder().load_bytes(&bytes).expect("a model");
    model.save_packed_weights(&file).expect("it is written");
    let mapped = Model::builder().packed_weights(&file).load_bytes(&bytes).expect("a model");
    assert!(mapped.info().expect("it tells").mapped_weights > 0);
    assert_eq!(model.info().expect("it tells").mapped_weights, 0);
    std::fs::remove_file(&file).expect("it is there");
    let error = Model::builder().packed_weights(&file).load_bytes(&bytes).unwrap_err();
    assert!(matches!(error, Error::FileNotFound(_)), "{error:?}");
}

#[test]
fn a_program_file_is_loaded_in_the_models_place() {
    let bytes = common::long_chain(2);
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join(format!("program-{}", std::process::id()));
    let model = Model::builder().load_bytes(&bytes).expect("a model");
    model.save_program(&file).expect("it is written");
    let loaded = Model::load(&Engine::cpu().expect("an engine"), &file).expect("a program");
    let (model, loaded) = (model.info().expect("it tells"), loaded.info().expect("it tells"));
    assert_eq!(loaded.nodes, model.nodes);
    assert_eq!(loaded.mapped_weights, model.packed_weights);
    let mut damaged = std::fs::read(&file).expect("it is there");
    damaged[60] ^= 1;
    let error = Model::builder().load_bytes(&damaged).unwrap_err();
    assert!(matches!(error, Error::InvalidModel(_)), "{error:?}");
    std::fs::remove_file(&file).expect("it is there");
}

#[test]
fn what_is_wrong_about_a_model_is_reported() {
    let engine = Engine::cpu().expect("an engine");
    let error = Model::load(&engine, "no such model.onnx").unwrap_err();
    assert!(matches!(&error, Error::FileNotFound(_)), "{error:?}");
    assert!(error.message().contains("no such model.onnx"), "{error}");
    assert!(matches!(Model::builder().load_bytes(b"no model").unwrap_err(), Error::InvalidModel(_)));
    assert!(matches!(Model::load(&engine, "a\0b").unwrap_err(), Error::InvalidArgument(_)));
    let edge = |name| common::value(name, Dtype::F32, &["n"]);
    let unknown = common::model(&[common::node("Frobnicate", &["x"], &["y"])], &[], &[edge("x")], &[edge("y")]);
    let error = Model::builder().load_bytes(&unknown).unwrap_err();
    assert!(matches!(&error, Error::Unimplemented(_)), "{error:?}");
    assert!(error.message().contains("Frobnicate"), "{error}");
    let wrong = Model::builder().layout("z", EdgeLayout::ChannelsLast, &[]);
    assert!(matches!(wrong.load_bytes(&common::relu()).unwrap_err(), Error::NotFound(_)));
    let wrong = Model::builder().layout("x", EdgeLayout::ChannelsLast, &[]);
    assert!(matches!(wrong.load_bytes(&common::relu()).unwrap_err(), Error::InvalidArgument(_)));
}

#[test]
fn a_text_recogniser_runs_at_any_width() {
    let path = match common::fetched("rec.onnx") {
        Some(path) => path,
        None => return,
    };
    let session = Session::builder().threads(2).open(path).expect("a session");
    let mut before: Option<Vec<f32>> = None;
    for width in [71usize, 320, 513, 320] {
        let x: Vec<f32> = (0..3 * 48 * width).map(|i| (i % 97) as f32 / 97.0 - 0.5).collect();
        let y = session.run([("x", view(&x, &[1, 3, 48, width]))]).expect("it runs");
        assert_eq!((y[0].dims()[0], y[0].dims()[2]), (1, 6625));
        let scores = y[0].to_vec::<f32>().expect("f32");
        if width == 320 {
            let again = before.replace(scores.clone());
            assert!(again.map_or(true, |b| b == scores), "the same input gave other bits");
        }
    }
}

fn branch_and_table(table: Vec<f32>) -> anydim::Result<GraphBuilder> {
    let (mut then, mut other) = (GraphBuilder::new()?, GraphBuilder::new()?);
    then.constant("ten", vec![10f32], &[])?;
    then.node("Add", &["row", "ten"], &["r"])?;
    then.output("r")?;
    other.node("Neg", &["row"], &["r"])?;
    other.output("r")?;
    let mut graph = GraphBuilder::new()?;
    graph.opset("", 17)?.input("yes", Dtype::Bool, &[])?.input("index", Dtype::I64, &[-1])?;
    graph.symbol("index", 0, "rows")?.constant("table", table, &[100, 1000])?;
    graph.node("Gather", &["table", "index"], &["row"])?.integer("axis", 0)?;
    graph.node("If", &["yes"], &["y"])?.body("then_branch", &then)?.body("else_branch", &other)?;
    graph.output("y")?;
    Ok(graph)
}

#[test]
fn a_model_is_built_with_a_branch_and_keeps_what_it_does_not_pack() {
    let graph = branch_and_table((0..100_000).map(|i| (i / 1000) as f32).collect()).expect("a graph");
    let model = Model::builder().load_graph(&graph).expect("a model");
    drop(graph);
    let session = Session::builder().threads(1).over(&model).expect("a session");
    for (yes, expected) in [(true, [17.0, 13.0]), (false, [-7.0, -3.0])] {
        let (yes, index) = ([yes], [7i64, 3]);
        let inputs = [
            ("yes", TensorView::new(&yes, &[]).expect("a scalar")),
            ("index", TensorView::new(&index, &[2]).expect("two")),
        ];
        let y = session.run(inputs).expect("it runs");
        assert_eq!(y[0].dims(), [2, 1000]);
        let rows = y[0].to_vec::<f32>().expect("f32");
        assert_eq!([rows[0], rows[1999]], expected);
    }
}
