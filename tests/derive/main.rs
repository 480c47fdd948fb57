//! What the macros promise, on types as users write them (D1, D2, P9).

mod canonical;
