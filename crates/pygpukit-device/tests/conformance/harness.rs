//! Devices to test.

use pygpukit_device::{Device, Stream, devices};

/// Runs a test on every device.
pub(crate) fn on_every_device(test: impl Fn(&Stream)) {
    let chosen = std::env::var("PYGPUKIT_TEST_DEVICES").ok();
    for id in devices() {
        if let Some(chosen) = &chosen
            && !chosen.split(',').any(|name| name.trim() == id.to_string())
        {
            continue;
        }
        let device = Device::by_id(id).unwrap();
        test(device.default_stream().unwrap());
    }
}
