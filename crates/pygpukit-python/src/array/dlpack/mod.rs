//! DLPack: memory shared with other libraries, in both directions.
//!
//! Specification: <https://dmlc.github.io/dlpack/latest/>. A consumer names its
//! stream when it asks for the memory; our work is waited for there. When the
//! consumer lets go, what it queued on that stream until then is waited for
//! before the memory is used again. On the CPU, where consumers have no streams,
//! shared memory is worked on synchronously.

#![expect(unsafe_code, reason = "capsules are C structures behind pointers")]

mod export;
mod import;

pub(crate) use import::{from_dlpack, import_foreign};

use pygpukit_core::array::{DType, Kind};
use pygpukit_device::backend::DeviceId;
use std::ffi::{CStr, c_void};

const CPU: i32 = 1;
const CUDA: i32 = 2;
const CUDA_HOST: i32 = 3;
const CUDA_MANAGED: i32 = 13;

/// The newest version we write and read.
const VERSION: (u32, u32) = (1, 0);
const READ_ONLY: u64 = 1;
const IS_COPIED: u64 = 2;

/// The stream that `None` and 1 mean: CUDA's legacy default stream.
const LEGACY_STREAM: u64 = 1;

const PLAIN: &CStr = c"dltensor";
const PLAIN_USED: &CStr = c"used_dltensor";
const VERSIONED: &CStr = c"dltensor_versioned";
const VERSIONED_USED: &CStr = c"used_dltensor_versioned";

#[repr(C)]
#[derive(Clone, Copy)]
struct Tensor {
    data: *mut c_void,
    device_type: i32,
    device_id: i32,
    ndim: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

#[repr(C)]
struct Managed {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

#[repr(C)]
struct ManagedVersioned {
    major: u32,
    minor: u32,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut ManagedVersioned)>,
    flags: u64,
    tensor: Tensor,
}

fn dlpack_device(id: DeviceId) -> (i32, u32) {
    match id {
        DeviceId::Cpu => (CPU, 0),
        DeviceId::Cuda(ordinal) => (CUDA, ordinal),
    }
}

fn type_code(dtype: DType) -> (u8, u8) {
    let code = match dtype.kind() {
        Kind::Signed => 0,
        Kind::Unsigned => 1,
        Kind::Float if dtype == DType::BFloat16 => 4,
        Kind::Float => 2,
        Kind::Complex => 5,
        Kind::Bool => 6,
    };
    let bits = u8::try_from(8 * dtype.itemsize()).unwrap_or(u8::MAX);
    (code, bits)
}

fn dtype_of(tensor: &Tensor) -> Option<DType> {
    DType::ALL
        .into_iter()
        .find(|&dtype| type_code(dtype) == (tensor.code, tensor.bits) && tensor.lanes == 1)
}
