//! Every way back from a wire: hostile bytes end in a problem or an error.
#![no_main]

use aon::surface::Surface;
use aon::surface::rest::Rest;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let surfaces: [&dyn Surface; 3] =
        [&Rest::default(), &aon::surface::mcp::Mcp::default(), &aon::surface::a2a::A2a::default()];
    for surface in surfaces {
        if let Ok(problem) = surface.recover(bytes) {
            let mut wire = Vec::new();
            surface.project(&problem, &aon::surface::Call::default(), &mut wire);
            assert_eq!(surface.recover(&wire).expect("what was projected is recovered"), problem);
        }
    }
});
