// SPDX-License-Identifier: Apache-2.0
//! What is made and dropped many times leaves nothing behind.

mod common;

use anydim::{Dtype, Engine, Session, Tensor, TensorView};

/// The growth of the resident set over many rounds, after some that warm up.
fn growth(rounds: usize, mut round: impl FnMut(usize)) -> usize {
    for i in 0..rounds / 10 {
        round(i);
    }
    let before = common::resident();
    for i in 0..rounds {
        round(i);
    }
    common::resident().saturating_sub(before)
}

const FLAT: usize = 8 << 20;

// One after the other: each looks at the memory of the whole process.
#[test]
fn the_resident_set_stays_flat() {
    let engine = Engine::builder().threads(1).build().expect("an engine");

    let tensors = growth(100_000, |i| {
        let mut tensor = Tensor::zeros(&engine, Dtype::F32, &[1, 3, 16, 16 + i % 16]).expect("a tensor");
        tensor.as_mut_slice::<f32>().expect("f32")[0] = 1.0;
    });
    assert!(tensors < FLAT, "100,000 tensors leave {tensors} bytes");

    let imports = growth(1000, |_| {
        let memory = anydim::Memory::import(&engine, vec![1.0f32; 1 << 18]).expect("a memory"); // 1 MB
        assert_eq!(memory.bytes().expect("it tells"), 1 << 20);
    });
    assert!(imports < FLAT, "1,000 vectors that were imported leave {imports} bytes");

    let relu = common::relu();
    let session = Session::builder().engine(&engine).open_bytes(&relu).expect("a session");
    let x = vec![1.0f32; 4096];
    let results = growth(100_000, |i| {
        let n = 1 + i % 4096;
        let y = session.run([("x", TensorView::new(&x[..n], &[n]).expect("as many"))]).expect("it runs");
        assert_eq!(y[0].dims(), [n]);
    });
    assert!(results < FLAT, "100,000 results leave {results} bytes");

    let sessions = growth(10_000, |_| {
        let session = Session::builder().engine(&engine).open_bytes(&relu).expect("a session");
        drop(session);
    });
    assert!(sessions < FLAT, "10,000 sessions leave {sessions} bytes");

    let errors = growth(100_000, |_| {
        assert!(session.run([("x", TensorView::new(&x, &[64, 64]).expect("as many"))]).is_err());
    });
    assert!(errors < FLAT, "100,000 errors leave {errors} bytes");
}
