//! The canonical problem value of AON.
