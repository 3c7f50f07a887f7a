// SPDX-License-Identifier: Apache-2.0
//! One operator alone, whose batch, height and width change from call to call: `cargo run --example convolution`.

use anydim::operators::Convolution;
use anydim::{Attributes, Desc, Dim, Engine, Primitive, TensorView, TensorViewMut};

fn main() -> anydim::Result<()> {
    let cpu = Engine::cpu()?;
    let mut stream = cpu.stream()?;

    // Bounds are promises, which are checked; a hint only orders choices.
    let (n, h, w) = (Dim::dynamic(1..=8), Dim::dynamic(1..=2048), Dim::dynamic(1..=2048).hint(640));
    let kernel = vec![0.01f32; 64 * 64 * 3 * 3];
    let bias = vec![-1.0f32; 64];
    let conv = Primitive::builder(&cpu, Convolution::new().pads(1))
        .input(Desc::f32([n, 64.into(), h, w]))
        .constant(TensorView::new(&kernel, &[64, 64, 3, 3])?) // packed once, for every shape
        .constant(TensorView::new(&bias, &[64])?)
        .attributes(Attributes::new().relu())
        .build()?;
    println!("kernel {}", conv.kernel()?);

    for [n, h, w] in [[1, 56, 56], [2, 31, 100], [1, 7, 640]] {
        let x = vec![1.0f32; n * 64 * h * w];
        let x = TensorView::new(&x, &[n, 64, h, w])?;
        let dims = conv.output_dims(&[x], 0)?;
        let mut y = vec![0.0f32; dims.iter().product()];
        conv.execute_into(&mut stream, &[x], &mut [TensorViewMut::new(&mut y, &dims)?])?; // nothing is allocated
        println!("{dims:?}: a corner is {:.2}, the middle {:.2}", y[0], y[h / 2 * w + w / 2]);
    }

    let wide = vec![0.0f32; 64 * 4096];
    match conv.execute(&mut stream, &[TensorView::new(&wide, &[1, 64, 1, 4096])?]) {
        Err(error) => println!("{error}"),
        Ok(_) => unreachable!("4096 is more than was promised"),
    }
    Ok(())
}
