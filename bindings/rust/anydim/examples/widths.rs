// SPDX-License-Identifier: Apache-2.0
//! The program of docs/quickstart-rust.md: a model on arrays of the crate ndarray, at three widths.
//! `cargo run --features ndarray --example widths -- rec.onnx`

fn main() -> anydim::Result<()> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "rec.onnx".into());
    let session = anydim::Session::builder().threads(2).open(path)?;
    for width in [71, 320, 513] {
        let x = ndarray::Array4::<f32>::zeros((1, 3, 48, width));
        let y = session.run([("x", x.view().into())])?;
        println!("{:?}", y[0].dims());
    }
    Ok(())
}
