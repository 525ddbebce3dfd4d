//! Work that fails after it was queued.

use crate::harness::{array, on_every_device, values};
use pygpukit_core::array::{DType, Scalar};
use pygpukit_device::backend::{DeviceId, Function, Launch, Priority, Work};
use pygpukit_device::{Error, Result, Stream, ops};
use std::any::Any;
use std::sync::Arc;

/// A kernel that no device loaded.
#[derive(Debug)]
struct Stray;

impl Function for Stray {
    fn name(&self) -> &'static str {
        "stray"
    }
    fn max_threads(&self) -> u32 {
        1
    }
    fn occupancy_block(&self, _shared: u32) -> Result<u32> {
        Ok(1)
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[test]
fn a_fault_stays_with_its_stream() {
    on_every_device(|stream| {
        if stream.device().id() != DeviceId::Cpu {
            return; // a CUDA device refuses this launch before it is queued
        }
        let broken = Stream::new(stream.device(), Priority::Normal).unwrap();
        let before = ops::ones(&broken, &[5], DType::Int8).unwrap();
        let launch = Work::Launch(Launch {
            function: Arc::new(Stray),
            grid: [1; 3],
            block: [1; 3],
            shared: 0,
            parameters: Vec::new(),
        });
        let target = ops::zeros(stream, &[5], DType::Int8).unwrap();
        // SAFETY: the launch touches nothing.
        unsafe { broken.submit(launch, &[], &[target.buffer()]) }.unwrap();
        for _ in 0..2 {
            let error = broken.synchronize().unwrap_err();
            assert!(
                matches!(&error, Error::Fault { work, .. } if work == "stray"),
                "{error}"
            );
        }
        let error = ops::ones(&broken, &[5], DType::Int8).unwrap_err();
        assert!(matches!(error, Error::Fault { .. }), "{error}");
        // What was to be written is not read; what was done before is.
        let mut bytes = [0; 5];
        assert!(matches!(
            target.read_bytes(stream, &mut bytes),
            Err(Error::Fault { .. })
        ));
        assert_eq!(values(stream, &before), [Scalar::Int(1); 5]);
        // Other streams go on.
        let other = array(stream, &[Scalar::Int(4)], &[1], DType::Int64);
        assert_eq!(
            values(stream, &ops::copy(stream, &other).unwrap()),
            [Scalar::Int(4)]
        );
    });
}
