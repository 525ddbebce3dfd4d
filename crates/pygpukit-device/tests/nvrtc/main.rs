//! NVRTC: how it is found, and what it compiles.
#![cfg(all(feature = "nvrtc", unix))]

mod compile;
#[path = "../support/compiler.rs"]
mod compiler;
#[path = "../support/folder.rs"]
mod folder;
#[path = "../support/paths.rs"]
mod paths;
mod search;
