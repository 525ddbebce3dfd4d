//! The order of work, which these tests hold up with channels, never with time.

use super::*;
use std::sync::mpsc::{Sender, channel};

fn queue() -> CpuQueue {
    CpuQueue::new(Arc::new(Pool::new(1)))
}

fn push(
    queue: &CpuQueue,
    is_small: bool,
    act: impl FnOnce() -> Result<(), String> + Send + 'static,
) -> Ticket {
    queue.submit("test".into(), is_small, act).unwrap()
}

/// Queues work that goes on only when the result is used or dropped.
fn hold(queue: &CpuQueue) -> (Ticket, Sender<()>) {
    let (release, held) = channel();
    let ticket = push(queue, false, move || {
        let _ = held.recv();
        Ok(())
    });
    (ticket, release)
}

fn finish(queue: &CpuQueue, ticket: Ticket) -> Result<()> {
    while !queue.wait(ticket, Duration::from_secs(3600))? {}
    Ok(())
}

#[test]
fn small_work_does_not_overtake() {
    let queue = queue();
    let (order, seen) = channel();
    let (first, release) = hold(&queue);
    let tickets: Vec<Ticket> = (0..5)
        .map(|i| {
            let order = order.clone();
            push(&queue, i % 2 == 0, move || {
                order.send(i).map_err(|e| e.to_string())
            })
        })
        .collect();
    assert!(!queue.is_done(first).unwrap());
    assert!(!queue.wait(tickets[4], Duration::ZERO).unwrap());
    assert!(seen.try_recv().is_err(), "something ran before its turn");
    drop(release);
    finish(&queue, queue.mark().unwrap()).unwrap();
    assert_eq!(seen.try_iter().collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    // Idle again: small work is done when the call returns.
    let last = push(&queue, true, || Ok(()));
    assert!(queue.is_done(last).unwrap());
}

#[test]
fn queues_overlap() {
    let (left, right) = (queue(), queue());
    let ((to_right, from_left), (to_left, from_right)) = (channel(), channel());
    // Each can finish only while the other runs.
    let a = push(&left, false, move || {
        to_right.send(()).map_err(|e| e.to_string())?;
        from_right.recv().map_err(|e| e.to_string())
    });
    let b = push(&right, false, move || {
        to_left.send(()).map_err(|e| e.to_string())?;
        from_left.recv().map_err(|e| e.to_string())
    });
    finish(&left, a).unwrap();
    finish(&right, b).unwrap();
}

#[test]
fn a_queue_waits_for_another() {
    let (first, second) = (queue(), queue());
    let (order, seen) = channel();
    let (ticket, release) = hold(&first);
    second.wait_for(&first, ticket, Need::Outcome).unwrap();
    let later = order.clone();
    let done = push(&second, true, move || {
        later.send(2).map_err(|e| e.to_string())
    });
    // And back: the first queue waits for the second, which waits for its past.
    first.wait_for(&second, done, Need::Outcome).unwrap();
    let last = push(&first, true, move || {
        order.send(3).map_err(|e| e.to_string())
    });
    assert!(seen.try_recv().is_err());
    drop(release);
    finish(&first, last).unwrap();
    assert_eq!(seen.try_iter().collect::<Vec<_>>(), [2, 3]);
    // What is done already costs no item.
    let mark = second.mark().unwrap();
    second.wait_for(&first, ticket, Need::Outcome).unwrap();
    second.wait_for(&second, done, Need::Outcome).unwrap();
    assert_eq!(second.mark().unwrap(), mark);
}

#[test]
fn a_panic_is_a_fault_of_its_queue() {
    let (broken, needs_outcome, needs_order) = (queue(), queue(), queue());
    let good = push(&broken, false, || Ok(()));
    let (_, release) = hold(&broken);
    let bad = push(&broken, false, || panic!("17 is a bad number"));
    let never = push(&broken, false, || {
        unreachable!("after a fault nothing runs")
    });
    needs_outcome.wait_for(&broken, bad, Need::Outcome).unwrap();
    needs_order.wait_for(&broken, never, Need::Order).unwrap();
    drop(release);
    for ticket in [bad, never] {
        let error = finish(&broken, ticket).unwrap_err();
        assert!(error.to_string().contains("test on stream"), "{error}");
        assert!(error.to_string().contains("17 is a bad number"), "{error}");
    }
    assert!(broken.is_done(good).unwrap(), "what came before is done");
    assert!(broken.submit("more".into(), true, || Ok(())).is_err());
    let outcome = needs_outcome.mark().unwrap();
    assert!(finish(&needs_outcome, outcome).is_err());
    let order = needs_order.mark().unwrap();
    finish(&needs_order, order).unwrap();
    // The same when the fault is there already.
    assert!(queue().wait_for(&broken, bad, Need::Outcome).is_err());
    queue().wait_for(&broken, bad, Need::Order).unwrap();
}

#[test]
fn errors_of_small_work_are_faults_too() {
    let queue = queue();
    let ticket = push(&queue, true, || Err("no such thing".into()));
    let error = queue.is_done(ticket).unwrap_err();
    assert!(matches!(&error, Error::Fault { reason, .. } if reason == "no such thing"));
}

#[test]
fn a_dropped_queue_finishes_its_work_and_ends() {
    let queue = queue();
    let shared = Arc::downgrade(&queue.shared);
    let (sender, receiver) = channel();
    let (_, release) = hold(&queue);
    push(&queue, false, move || {
        sender.send(1).map_err(|e| e.to_string())
    });
    drop(queue);
    drop(release);
    assert_eq!(receiver.recv(), Ok(1));
    // The thread holds the last reference; this ends when the thread does.
    while shared.strong_count() > 0 {
        std::thread::yield_now();
    }
}
