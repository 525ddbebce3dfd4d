//! How far a queue has come.

use super::event::Event;
use crate::backend::{Function, Ticket};
use std::collections::VecDeque;
use std::sync::Arc;

/// Events kept of one queue; beyond that, the oldest is let go, and who asks for
/// a ticket it covered waits for a later one.
const MOST_EVENTS: usize = 32;
/// Kernels remembered as unfinished before the queue looks which are done.
const MOST_UNFINISHED: usize = 32;

/// A point of a queue: everything up to the ticket is done when the event happens.
pub(super) type Point = (Ticket, Arc<Event>);

/// A kernel with its last launch.
pub(super) type Launched = (Arc<dyn Function>, Ticket);

/// What a queue knows of its work.
#[derive(Debug)]
pub(super) struct Progress {
    /// The stream's handle.
    pub(super) stream: u64,
    pushed: Ticket,
    /// Everything up to here is known to be done.
    done: Ticket,
    /// In the order of their tickets.
    points: VecDeque<Point>,
    /// Kernels that may still run: kept loaded, and the suspects of a fault.
    unfinished: Vec<Launched>,
}

/// What stands between the caller and a ticket.
#[derive(Debug)]
pub(super) enum Cover {
    /// Nothing: it is known to be done.
    Done,
    /// An event recorded behind it.
    Recorded(Point),
    /// No event yet.
    Nothing,
}

impl Progress {
    pub(super) fn new(stream: u64) -> Self {
        Self {
            stream,
            pushed: 0,
            done: 0,
            points: VecDeque::new(),
            unfinished: Vec::new(),
        }
    }

    /// The last ticket.
    pub(super) fn pushed(&self) -> Ticket {
        self.pushed
    }

    /// A ticket for work that others pushed.
    pub(super) fn count_foreign(&mut self) {
        self.pushed += 1;
    }

    /// A ticket for a launch.
    pub(super) fn count(&mut self, function: &Arc<dyn Function>) {
        self.pushed += 1;
        let ticket = self.pushed;
        // Most launches repeat a recent kernel.
        let mut known = self.unfinished.iter_mut().rev();
        match known.find(|(known, _)| Arc::ptr_eq(known, function)) {
            Some((_, last)) => *last = ticket,
            None => self.unfinished.push((Arc::clone(function), ticket)),
        }
    }

    /// The first event recorded at or after the ticket.
    pub(super) fn cover(&self, ticket: Ticket) -> Cover {
        let ticket = ticket.min(self.pushed);
        if ticket <= self.done {
            return Cover::Done;
        }
        match self.points.iter().find(|(at, _)| *at >= ticket) {
            Some(point) => Cover::Recorded(point.clone()),
            None => Cover::Nothing,
        }
    }

    /// Notes an event that was recorded just now, behind everything pushed.
    pub(super) fn note(&mut self, event: Arc<Event>) -> Point {
        if self.points.len() == MOST_EVENTS {
            self.points.pop_front();
        }
        let point = (self.pushed, event);
        self.points.push_back(point.clone());
        point
    }

    /// Everything up to the ticket is done. Returns kernels that are no longer
    /// needed, to be dropped without the lock.
    pub(super) fn advance(&mut self, done: Ticket) -> Vec<Launched> {
        self.done = self.done.max(done);
        let done = self.done;
        while self.points.front().is_some_and(|(at, _)| *at <= done) {
            self.points.pop_front();
        }
        self.unfinished
            .extract_if(.., |(_, last)| *last <= done)
            .collect()
    }

    /// True if so many kernels are remembered that some are probably done.
    pub(super) fn is_crowded(&self) -> bool {
        self.unfinished.len() > MOST_UNFINISHED
    }

    /// The oldest event.
    pub(super) fn oldest(&self) -> Option<Point> {
        self.points.front().cloned()
    }

    /// The names of kernels not known to be done.
    pub(super) fn suspects(&self) -> Vec<String> {
        let names = self.unfinished.iter();
        names.map(|(function, _)| function.name().into()).collect()
    }

    /// The kernels not known to be done.
    pub(super) fn take_unfinished(&mut self) -> Vec<Arc<dyn Function>> {
        let unfinished = self.unfinished.drain(..);
        unfinished.map(|(function, _)| function).collect()
    }
}
