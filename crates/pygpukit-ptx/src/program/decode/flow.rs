//! Branches, calls, barriers, and what needs nothing done.

use crate::execute::Handler;
use crate::operations::control::{self, flags};
use crate::operations::warp::meet;
use crate::parse::{Operand, Scalar};
use crate::program::draft::{Draft, Field, Usage};
use crate::program::error::Issue;
use crate::program::form::Form;
use crate::program::lower::Lowering;
use crate::program::operands::{exactly, name_of};
use crate::program::scope::Named;

pub(super) fn decode(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    match form.mnemonic {
        "bra" => {
            form.take("uni");
            form.done()?;
            let [target] = exactly(operands)?;
            let mut draft = Draft::new(control::branch);
            draft.target = Some(lowering.label(name_of(target)?)?);
            draft.ends = true;
            lowering.emit(draft)
        }
        "brx" => indexed(lowering, form, operands),
        "call" => {
            form.take("uni");
            form.done()?;
            lowering.call(operands)
        }
        "ret" => {
            form.take("uni");
            form.done()?;
            lowering.ret()
        }
        "exit" | "trap" => {
            form.done()?;
            let handler: Handler = match form.mnemonic {
                "exit" => control::exit,
                _ => control::trap,
            };
            let mut draft = Draft::new(handler);
            draft.ends = true;
            lowering.emit(draft)
        }
        "bar" | "barrier" => barrier(lowering, form, operands),
        // Everything is in order already; nothing is fetched ahead.
        "membar" | "fence" | "prefetch" | "prefetchu" | "discard" | "applypriority"
        | "nanosleep" | "pmevent" | "brkpt" | "setmaxnreg" | "griddepcontrol" => {
            lowering.emit(Draft::new(control::nothing))
        }
        _ => Err(Issue::Form),
    }
}

fn indexed(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    form.take("uni");
    if !form.take("idx") {
        return Err(Issue::Form);
    }
    form.done()?;
    let [index, table] = exactly(operands)?;
    let Some(Named::Table(names)) = lowering.find(name_of(table)?)? else {
        return Issue::invalid(format!("`{table}` is no list of labels"));
    };
    let labels = names.iter().map(|name| lowering.label(name));
    let labels = labels.collect::<Result<Vec<_>, _>>()?;
    lowering.tables.push(labels);
    let mut draft = Draft::new(control::branch_indexed)
        .a(lowering.source(index, Scalar::B32)?)
        .extra(lowering.tables.len() as u32 - 1);
    draft.table = Some(lowering.tables.len() - 1);
    draft.ends = true;
    lowering.emit(draft)
}

fn barrier(
    lowering: &mut Lowering<'_>,
    form: &mut Form<'_>,
    operands: &[Operand],
) -> Result<(), Issue> {
    form.take("cta");
    if form.take("warp") {
        form.take("sync");
        form.done()?;
        let [members] = exactly(operands)?;
        let draft = Draft::new(meet).a(lowering.source(members, Scalar::B32)?);
        return lowering.emit(draft);
    }
    let mut extra = 0;
    if form.take("aligned") || form.mnemonic == "bar" {
        extra |= flags::ALIGNED;
    }
    let kind = form
        .take_of(&["sync", "arrive", "red"])
        .ok_or(Issue::Form)?;
    let join = form.take_of(&["popc", "and", "or"]);
    let mut draft = Draft::new(control::barrier);
    let mut rest = operands;
    let mut predicate = None;
    match (kind, join) {
        ("sync", None) => {}
        ("arrive", None) => extra |= flags::ARRIVE,
        ("red", Some(join)) => {
            let scalar = form.scalar()?;
            let (to, more) = rest.split_first().ok_or(Issue::Form)?;
            let (last, middle) = more.split_last().ok_or(Issue::Form)?;
            predicate = Some(lowering.predicate(last)?);
            rest = middle;
            extra |= match (join, scalar) {
                ("popc", Scalar::U32) => flags::COUNT,
                ("and", Scalar::Pred) => flags::AND,
                ("or", Scalar::Pred) => flags::OR,
                _ => return Err(Issue::Form),
            };
            draft = draft.with(Field::To, lowering.written(to, scalar)?, Usage::Both);
        }
        _ => return Err(Issue::Form),
    }
    form.done()?;
    let (number, threads) = match rest {
        [number] if kind != "arrive" => (number, None),
        [number, threads] => (number, Some(threads)),
        _ => return Err(Issue::Form),
    };
    draft = draft.a(lowering.source(number, Scalar::B32)?);
    if let Some(threads) = threads {
        draft = draft.b(lowering.source(threads, Scalar::B32)?);
    }
    if let Some((predicate, negated)) = predicate {
        draft = draft.c(predicate);
        extra |= if negated { flags::INVERT } else { 0 };
    }
    lowering.emit(draft.extra(extra))
}
