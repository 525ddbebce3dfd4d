"""Devices and streams: names, the current one, errors."""

import asyncio
import contextvars
import copy
import pickle
import threading

import pytest

import pygpukit as gp


def test_names(device):
    d = gp.Device(device)
    assert d == gp.Device(d)
    assert hash(d) == hash(gp.Device(device))
    assert d.name == str(d) == device
    assert repr(d) == f"Device('{device}')"
    assert d.type in ("cpu", "cuda")
    assert d in gp.devices()


@pytest.mark.parametrize("bad", ["", "gpu", "cuda:", "cuda:-1", "cuda:x", "cpu:7", "-1"])
def test_wrong_names(bad):
    with pytest.raises(ValueError, match=f"`{bad}`"):
        gp.Device(bad)


@pytest.mark.parametrize("bad", [None, 1.5, True, [], b"cpu"])
def test_wrong_types(bad):
    with pytest.raises(TypeError):
        gp.Device(bad)


def test_numbers_too_long_to_print_are_refused():
    for bad in (10**5000, -(10**5000), 2**64):
        with pytest.raises(ValueError, match=f"`an integer of {bad.bit_length()} bits`"):
            gp.Device(bad)
    with pytest.raises(ValueError, match=r"`'\\ud800'`"):
        gp.Device("\ud800")


def test_a_device_that_does_not_exist():
    for bad in ("cuda:99", 99):
        with pytest.raises(gp.DeviceNotAvailable, match="cuda:99"):
            gp.Device(bad)
        with pytest.raises(gp.DeviceNotAvailable):
            gp.zeros(3, device=bad)


def test_info(device):
    info = gp.get_device_info(device)
    assert info.name
    assert info.total_memory > 0
    assert info.multiprocessor_count >= 1
    capabilities = gp.get_device_capabilities(device)
    if device == "cpu":
        assert info.compute_capability is None
        assert capabilities.sm_version == 0
        assert not capabilities.tensorcore
    else:
        major, minor = info.compute_capability
        assert capabilities.sm_version == 10 * major + minor
        assert info.warp_size == 32


def test_with_device(device):
    outer = gp.default_device()
    with gp.Device(device) as d:
        assert gp.default_device() == d
        assert gp.zeros(2).device == d
        with gp.Device("cpu"):
            assert gp.zeros(2).device.name == "cpu"
        assert gp.default_device() == d
    assert gp.default_device() == outer
    with pytest.raises(KeyError), gp.Device(device):
        raise KeyError
    assert gp.default_device() == outer


def test_leaving_what_was_not_entered():
    leave = gp.Device("cpu").__exit__
    with pytest.raises(RuntimeError, match="not entered"):
        contextvars.Context().run(leave, None, None, None)


def test_blocks_left_in_the_wrong_order_are_noticed(device):
    def work():
        before = gp.current_stream()
        outer, inner = gp.Stream(device), gp.Device(device)
        outer.__enter__()
        inner.__enter__()
        with pytest.raises(RuntimeError) as wrong:
            outer.__exit__()
        assert repr(outer) in str(wrong.value)
        assert f"before that of {inner!r}" in str(wrong.value)
        # What the outer block hid is current again, not what a dead block left.
        assert gp.current_stream() == before
        with pytest.raises(RuntimeError, match="not entered"):
            inner.__exit__()
        with outer, inner, outer:
            assert gp.current_stream() == outer

    contextvars.Context().run(work)


def test_streams_are_equal_by_identity(device):
    one, other = gp.Stream(device), gp.Stream(device)
    assert one != other
    assert one == one
    with one:
        current = gp.current_stream()
    assert current == one
    assert hash(current) == hash(one)
    assert {current, one, other} == {one, other}
    assert one != one.handle


def test_devices_and_nullptr_are_copied_and_pickled(device):
    d = gp.Device(device)
    for original in (d, gp.nullptr):
        for copied in (
            copy.copy(original),
            copy.deepcopy([original])[0],
            pickle.loads(pickle.dumps(original)),
        ):
            assert copied == original
    assert pickle.loads(pickle.dumps(gp.nullptr)) is copy.copy(gp.nullptr) is gp.nullptr
    missing = pickle.dumps(d).replace(device.encode(), b"x" * len(device))
    with pytest.raises(ValueError, match="does not name a device"):
        pickle.loads(missing)


def test_streams_are_not_copied(device):
    stream = gp.Stream(device)
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            attempt(stream)


def test_streams(device):
    with gp.Stream(device) as stream:
        assert gp.current_stream().handle == stream.handle
        assert stream.device.name == device
        x = gp.ones(1000, device=device)
        x += 1
        with gp.Device(device):
            assert gp.current_stream().handle == stream.handle
    stream.synchronize()
    assert stream.done
    assert x[0].item() == 2
    other = gp.Stream(device)
    other.wait_stream(stream)
    other.synchronize()


def test_work_on_two_streams_is_ordered_by_the_data(device):
    a, b = gp.Stream(device), gp.Stream(device)
    x = gp.zeros(100_000, device=device)
    for _ in range(50):
        with a:
            x += 1
        with b:
            x *= 2
            y = x + 0
        with a:
            x -= y / 2
    expected = 0.0
    for _ in range(50):
        expected = (expected + 1) * 2
        expected -= expected / 2
    assert y[0].item() == 2 * expected
    assert x[-1].item() == expected


def test_threads_have_their_own_current_stream(device):
    seen = []
    with gp.Stream(device):
        thread = threading.Thread(target=lambda: seen.append(gp.default_device()))
        thread.start()
        thread.join()
    assert seen == [gp.default_device()]


def test_asyncio_tasks_have_their_own_current_device(device):
    async def inside(name, started, other):
        with gp.Device(name):
            started.set()
            await other.wait()
            return gp.default_device().name

    async def main():
        one, two = asyncio.Event(), asyncio.Event()
        return await asyncio.gather(inside("cpu", one, two), inside(device, two, one))

    assert asyncio.run(main()) == ["cpu", device]


def test_many_threads(device):
    errors = []

    def work(seed):
        try:
            with gp.Stream(device):
                x = gp.full(1000, seed, "int64", device=device)
                for _ in range(50):
                    x = x * 3 + 1
                    x %= 1000
                expected = seed
                for _ in range(50):
                    expected = (expected * 3 + 1) % 1000
                assert x.tolist() == [expected] * 1000
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_synchronize_and_trim(device):
    x = gp.ones(1 << 20, device=device)
    x += 1
    del x
    gp.Device(device).synchronize()
    assert gp.Device(device).trim() > 0


def test_show_config_names_every_candidate(capsys):
    gp.show_config()
    text = capsys.readouterr().out
    assert gp.__version__ in text
    assert gp.device.driver_verdict() in text
    candidates = gp.kernel.compiler_candidates()
    assert candidates
    for candidate in candidates:
        assert f"{candidate.path}: {candidate.verdict}" in text
