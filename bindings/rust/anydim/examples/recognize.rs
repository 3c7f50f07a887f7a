// SPDX-License-Identifier: Apache-2.0
//! Runs a text recognizer at three widths, none of which was seen before: `cargo run --example recognize -- rec.onnx`.

use anydim::{Session, TensorView};

fn main() -> anydim::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "rec.onnx".into());
    let session = Session::builder().threads(2).open(path)?;
    for width in [71, 320, 513] {
        let pixels = vec![0.0f32; 3 * 48 * width]; // zero is grey
        let x = TensorView::new(&pixels, &[1, 3, 48, width])?;
        let y = session.run([("x", x)])?;
        let scores = y[0].as_slice::<f32>()?;
        let classes = y[0].dims()[2];
        let best = |row: &[f32]| (0..classes).max_by(|&a, &b| row[a].total_cmp(&row[b]));
        let text: Vec<_> = scores.chunks(classes).filter_map(best).filter(|&c| c != 0).collect();
        println!("{width} pixels wide: scores {:?}, characters {text:?}", y[0].dims());
    }
    Ok(())
}
