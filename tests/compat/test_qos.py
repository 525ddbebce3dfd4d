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
