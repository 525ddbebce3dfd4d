"""`QosPolicyEvaluator`: what would be promised."""

import pytest

import _pygpukit_rust as rust


def test_guaranteed_tasks_reserve_what_they_request():
    evaluator = rust.QosPolicyEvaluator(1000)
    for turn in range(2):
        evaluation = evaluator.evaluate(rust.QosTaskMeta.guaranteed(f"{turn}", "task", 400))
        evaluator.reserve(evaluation)
    stats = evaluator.stats()
    assert (stats.guaranteed_memory, stats.guaranteed_bandwidth) == (800, 0.0)
    assert stats.available_bandwidth == 1.0
    assert evaluator.evaluate(rust.QosTaskMeta.best_effort("b", "b")).is_admitted()
    refused = evaluator.evaluate(rust.QosTaskMeta.guaranteed("c", "c", 201))
    assert refused.is_rejected()
    assert "201 bytes, 200 bytes available of 1000 bytes" in refused.reject_reason
    evaluator.release(rust.QosClass.Guaranteed, 800)
    with pytest.raises(RuntimeError):
        evaluator.release(rust.QosClass.Guaranteed, 1)


def test_throttled_tasks_are_counted():
    evaluator = rust.QosPolicyEvaluator(1000)
    task = rust.QosTaskMeta.burstable("a", "a", 600, 2.0)
    evaluation = evaluator.evaluate(task)
    assert (evaluation.is_throttled(), evaluation.allowed_memory) == (True, 1000)
    evaluator.reserve(evaluation)
    assert evaluator.stats().burstable_memory == 600
    assert evaluator.evaluate(task).is_rejected()


@pytest.mark.parametrize("ratio", [0.5, -1, float("nan"), float("inf")])
def test_burst_ratios_that_make_no_sense(ratio):
    with pytest.raises(ValueError):
        rust.QosTaskMeta.burstable("a", "a", 1000, ratio)


def test_classes_are_values():
    assert rust.QosTaskMeta.best_effort("a", "a").qos_class == rust.QosClass.BestEffort
    assert rust.QosClass.Guaranteed == 0
    assert len({rust.QosClass.Guaranteed, rust.QosClass.Guaranteed}) == 1


def test_a_burstable_task_s_bandwidth_is_reserved():
    evaluator = rust.QosPolicyEvaluator(1000)
    task = rust.QosTaskMeta.burstable("a", "a", 100, 2.0, bandwidth=0.6)
    evaluation = evaluator.evaluate(task)
    assert (evaluation.is_admitted(), evaluation.reserved_bandwidth) == (True, 0.6)
    assert (evaluation.allowed_memory, evaluation.allowed_bandwidth) == (200, 1.0)
    evaluator.reserve(evaluation)
    stats = evaluator.stats()
    assert (stats.burstable_bandwidth, stats.available_bandwidth) == (0.6, 0.4)
    assert "bandwidth" in evaluator.evaluate(task).reject_reason
    fits = rust.QosTaskMeta.guaranteed("b", "b", 100, bandwidth=0.4)
    evaluator.reserve(evaluator.evaluate(fits))
    assert evaluator.stats().available_bandwidth == 0.0
    evaluator.release(rust.QosClass.Burstable, 100, 0.6)
    assert evaluator.stats().available_bandwidth == 0.6


def test_a_best_effort_task_that_was_admitted_is_released_without_trace():
    evaluator = rust.QosPolicyEvaluator(1000)
    filler = evaluator.evaluate(rust.QosTaskMeta.guaranteed("a", "a", 1000))
    admitted = evaluator.evaluate(rust.QosTaskMeta.best_effort("b", "b"))
    assert (admitted.is_admitted(), admitted.reserved_memory) == (True, 0)
    evaluator.reserve(admitted)
    evaluator.reserve(filler)
    queued = evaluator.evaluate(rust.QosTaskMeta.best_effort("c", "c"))
    assert (queued.is_queued(), queued.decision_type) == (True, "Queue")
    evaluator.release(rust.QosClass.BestEffort, 0)
    stats = evaluator.stats()
    assert (stats.guaranteed_memory, stats.available_memory) == (1000, 0)
    assert evaluator.evaluate(rust.QosTaskMeta.best_effort("c", "c")).is_queued()
    # No more than was promised can be released.
    with pytest.raises(RuntimeError):
        evaluator.release(rust.QosClass.BestEffort, 1)


def test_policies_are_what_tasks_ask_for():
    policy = rust.QosPolicy.burstable("1KiB", 1.5, bandwidth=0.25)
    assert (policy.memory_to_reserve(), policy.bandwidth_to_reserve()) == (1024, 0.25)
    task = rust.QosTaskMeta("a", "A", policy)
    assert (task.memory_request, task.memory_limit, task.burst_ratio) == (1024, 1536, 1.5)
    assert (task.qos_class, task.bandwidth_request) == (rust.QosClass.Burstable, 0.25)
    assert task.policy.qos_class == rust.QosClass.Burstable
    all_its_own = rust.QosPolicy.guaranteed(100)
    assert (all_its_own.memory_to_reserve(), all_its_own.bandwidth_to_reserve()) == (100, 0.0)
    assert rust.QosPolicy.best_effort().memory_to_reserve() == 0
    for ratio in (0.5, float("nan")):
        with pytest.raises(ValueError):
            rust.QosPolicy.burstable(1000, ratio)
    with pytest.raises(ValueError):
        rust.QosPolicy.guaranteed(0)


def test_a_reset_takes_all_promises_back():
    evaluator = rust.QosPolicyEvaluator(1000, 0.5)
    evaluator.reserve(evaluator.evaluate(rust.QosTaskMeta.guaranteed("a", "a", 700)))
    evaluator.reset()
    stats = evaluator.stats()
    assert (stats.available_memory, stats.available_bandwidth) == (1000, 0.5)
    with pytest.raises(RuntimeError):
        evaluator.release(rust.QosClass.Guaranteed, 700)
