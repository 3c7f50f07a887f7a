// SPDX-License-Identifier: Apache-2.0
//! What the crate's features add: elements of the crate half, records of the crate log; and what the library itself can make.

#[cfg(feature = "half")]
#[test]
fn elements_of_half_are_read_and_written_as_they_lie() {
    use anydim::{Dtype, Element, TensorView};
    assert_eq!((half::f16::DTYPE, half::bf16::DTYPE), (Dtype::F16, Dtype::Bf16));
    let values = [half::f16::from_f32(1.5), half::f16::from_f32(-2.0)];
    let view = TensorView::new(&values, &[2]).expect("a view");
    assert_eq!(view.dtype(), Dtype::F16);
}

#[cfg(feature = "log")]
#[test]
fn log_lines_become_records() {
    use std::sync::Mutex;
    static SEEN: Mutex<Vec<(log::Level, String)>> = Mutex::new(Vec::new());
    struct Keep;
    impl log::Log for Keep {
        fn enabled(&self, _: &log::Metadata<'_>) -> bool {
            true
        }
        fn log(&self, record: &log::Record<'_>) {
            assert_eq!(record.target(), "anydim");
            SEEN.lock().unwrap().push((record.level(), record.args().to_string()));
        }
        fn flush(&self) {}
    }
    log::set_logger(&Keep).expect("the first logger");
    log::set_max_level(log::LevelFilter::Trace);
    anydim::logging::to_log(anydim::LogLevel::Debug).expect("a level");
    assert!(anydim::Session::builder().open("/none.onnx").is_err());
    anydim::logging::to_stderr(anydim::LogLevel::Warning).expect("a level");
    let seen = SEEN.lock().unwrap();
    assert!(seen.iter().any(|(level, line)| *level == log::Level::Debug && line.contains("/none.onnx")), "{seen:?}");
}

#[test]
fn the_library_names_the_kinds_of_engines_that_it_makes() {
    let kinds = anydim::Engine::kinds().expect("a list");
    assert!(kinds.iter().any(|k| k.kind == anydim::EngineKind::Cpu && k.name == "cpu"), "{kinds:?}");
}
