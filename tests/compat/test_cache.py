"""`KernelCache`: compiled kernels by all that decides them."""

import pytest

import _pygpukit_rust as rust

OPTIONS = rust.CompileOptions("sm_90")


class Clock:
    """Stands still until it is moved."""

    seconds = 0.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def clock():
    return Clock()


def make(clock, **config):
    return rust.KernelCache(rust.CacheConfig(**config), clock=clock)


def insert(cache, *names, size=10):
    """Keeps kernels of that size, whose source is their name."""
    return [cache.insert(name, name, "x" * size, OPTIONS) for name in names]


@pytest.mark.parametrize("eviction", [True, False])
def test_a_cache_without_entries_refuses(clock, eviction):
    cache = make(clock, max_entries=0, enable_eviction=eviction)
    with pytest.raises(MemoryError, match="holds 0 kernels"):
        insert(cache, "k")
    assert cache.is_empty()


def test_a_name_means_the_source_that_came_last(clock):
    cache = make(clock)
    old = cache.insert("old", "k", "old ptx", OPTIONS)
    new = cache.insert("new", "k", "new ptx", OPTIONS)
    assert old != new
    assert cache.get_by_name("k", OPTIONS).ptx == "new ptx"
    assert cache.get_by_name("k", rust.CompileOptions("sm_80")) is None
    assert cache.get(old).ptx == "old ptx"
    assert cache.remove(new).ptx == "new ptx"
    assert cache.get_by_name("k", OPTIONS) is None
    stats = cache.stats()
    assert (stats.hits, stats.misses, stats.hit_rate()) == (2, 2, 0.5)


def test_age_counts_wherever_a_kernel_is_asked_for(clock):
    cache = make(clock, ttl_seconds=10.0)
    [key] = insert(cache, "k")
    clock.seconds = 9.999
    assert cache.contains(key)
    assert cache.get(key) is not None
    clock.seconds = 10.0
    assert not cache.contains(key)
    assert cache.kernel_names() == []
    assert not cache.set_handles(key, 1, 2)
    assert cache.get_by_name("k", OPTIONS) is None
    assert cache.get(key) is None
    stats = cache.stats()
    assert (stats.hits, stats.misses, stats.ttl_evictions, stats.evictions) == (1, 2, 1, 0)


def test_old_kernels_are_taken_out(clock):
    cache = make(clock, ttl_seconds=10.0)
    insert(cache, "a", "b")
    clock.seconds = 5.0
    insert(cache, "c")
    clock.seconds = 12.0
    assert cache.clear_expired() == 2
    assert (cache.kernel_names(), len(cache), cache.clear_expired()) == (["c"], 1, 0)
    clock.seconds = 15.0
    assert cache.is_empty()


def test_what_is_too_large_is_refused_and_evicts_nothing(clock):
    cache = make(clock, max_ptx_size=35)
    keys = insert(cache, "a", "b", "c")
    with pytest.raises(MemoryError, match="36 bytes is larger than the cache, which holds 35"):
        insert(cache, "d", size=36)
    assert all(cache.contains(key) for key in keys)
    assert (cache.stats().ptx_size, cache.stats().evictions) == (30, 0)


def test_keys_are_compared_whole():
    key = rust.KernelCache.compute_key
    base = key("source", "k", OPTIONS)
    assert base == key("source", "k", rust.CompileOptions("sm_90"))
    others = [
        key("other", "k", OPTIONS),
        key("source", "l", OPTIONS),
        key("source", "k", rust.CompileOptions()),
        key("source", "k", OPTIONS.flag("-G")),
        key("source", "k", OPTIONS.define("N", "1")),
        key("source", "k", OPTIONS.define("N", "2")),
        key("source", "k", OPTIONS.include("headers")),
    ]
    assert len({base, *others, base}) == 8
    # As a number it is a hash, which does not find a kernel.
    assert int(base) == int(key("source", "k", OPTIONS)) < 2**64
    assert f"{base.__index__():x}" in repr(base)
    with pytest.raises(TypeError):
        rust.KernelCache().get(int(base))
    hash_source = rust.KernelCache.hash_source
    assert hash_source("a") == hash_source("a") != hash_source("b")


def test_evicted_handles_are_reported(clock):
    cache = make(clock, max_entries=2)
    first, second = insert(cache, "a", "b")
    assert cache.set_handles(first, 11, 12)
    assert cache.set_handles(second, 21, 22)
    assert cache.stats().loaded_count == 2
    assert cache.get(first).is_loaded()
    insert(cache, "c")
    [gone] = cache.take_evicted()
    assert (gone.key, gone.name) == (second, "b")
    assert (gone.module_handle, gone.function_handle) == (21, 22)
    assert cache.take_evicted() == []
    # What replaces a kernel is not loaded.
    insert(cache, "a")
    assert [gone.module_handle for gone in cache.take_evicted()] == [11]
    assert cache.get(first).module_handle is None
    # Nothing was loaded of these.
    cache.clear()
    assert cache.take_evicted() == []
    assert not cache.set_handles(first, 11, 12)


def test_handles_are_not_overwritten(clock):
    cache = make(clock)
    [key] = insert(cache, "k")
    assert cache.set_handles(key, 1, 2)
    # Two callers have loaded it: the second learns that its module is one too many.
    assert not cache.set_handles(key, 3, 4)
    assert (cache.get(key).module_handle, cache.get(key).function_handle) == (1, 2)
    assert cache.remove(key).module_handle == 1
    insert(cache, "k")
    assert cache.set_handles(key, 3, 4)
    cache.clear()
    assert [gone.module_handle for gone in cache.take_evicted()] == [3]


def test_handles_of_old_and_cleared_kernels_are_reported(clock):
    cache = make(clock, ttl_seconds=10)
    old, removed = insert(cache, "old", "removed")
    for key in (old, removed):
        cache.set_handles(key, 1, 2)
    assert cache.remove(removed).is_loaded()
    assert cache.remove(removed) is None
    clock.seconds = 10.0
    assert [gone.name for gone in cache.take_evicted()] == ["old"]
    [cleared] = insert(cache, "cleared")
    cache.set_handles(cleared, 1, 2)
    cache.clear()
    assert [gone.name for gone in cache.take_evicted()] == ["cleared"]


def test_the_least_recently_used_leaves_first(clock):
    cache = make(clock, max_entries=3)
    first, *_ = insert(cache, "a", "b", "c")
    cache.get(first)
    insert(cache, "d", "e")
    assert cache.kernel_names() == ["a", "d", "e"]
    assert (cache.len(), cache.stats().evictions) == (3, 2)


def test_a_full_cache_that_evicts_nothing_refuses(clock):
    cache = make(clock, max_entries=2, enable_eviction=False)
    first, _ = insert(cache, "a", "b")
    with pytest.raises(MemoryError, match="lacks 0 of 268435456 bytes and 1 of 2 entries"):
        insert(cache, "c")
    assert insert(cache, "a", size=20) == [first]
    cache.remove(first)
    insert(cache, "c")
    assert cache.kernel_names() == ["b", "c"]


def test_uses_are_noted(clock):
    cache = make(clock)
    clock.seconds = 1.5
    [key] = insert(cache, "k")
    clock.seconds = 2.5
    cache.get(key)
    kernel = cache.get_by_name("k", OPTIONS)
    assert (kernel.key, kernel.ptx, kernel.access_count) == (key, "x" * 10, 3)
    assert (kernel.created_at, kernel.last_access) == (1.5, 2.5)


def test_options_are_values():
    options = OPTIONS.flag("-G").define("N", "1").define("N", "2").include("headers")
    assert (options.compute_capability, options.flags) == ("sm_90", ["-G"])
    assert (options.defines, options.includes) == ({"N": "2"}, ["headers"])
    assert rust.CompileOptions("sm_90") == OPTIONS
    assert OPTIONS.flags == []
    assert len({OPTIONS, options, rust.CompileOptions("sm_90")}) == 2
    config = rust.CacheConfig()
    assert (config.max_entries, config.max_ptx_size) == (1024, 256 << 20)
    assert (config.enable_eviction, config.ttl_seconds) == (True, 0.0)
