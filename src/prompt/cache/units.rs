//! Units that several requests share.

use super::body::{Ttl, Unit};
use std::cell::OnceCell;
use std::ops::{Deref, DerefMut};
use std::rc::Rc;

/// The units of a request: the start of a list. A request that extends another one shares its list.
#[derive(Clone, Default)]
pub(crate) struct Units<'a> {
    list: Rc<List<'a>>,
    len: usize,
}

#[derive(Clone, Default)]
struct List<'a> {
    units: Vec<Unit<'a>>,
    /// The positions after units with a mark, in order.
    marks: OnceCell<Vec<(usize, Ttl)>>,
}

impl<'a> Units<'a> {
    pub fn push(&mut self, unit: Unit<'a>) {
        let list = Rc::make_mut(&mut self.list);
        list.units.truncate(self.len);
        list.units.push(unit);
        list.marks.take();
        self.len += 1;
    }

    /// Returns the first units, of the same list.
    pub fn start(&self, len: usize) -> Self {
        Self { list: Rc::clone(&self.list), len: len.min(self.len) }
    }

    /// Returns all units of the list.
    pub fn whole(&self) -> Self {
        Self { list: Rc::clone(&self.list), len: self.list.units.len() }
    }

    pub fn shares(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.list, &other.list)
    }

    /// Returns the marks of the units.
    pub fn marks(&self) -> &[(usize, Ttl)] {
        let all = self.list.marks.get_or_init(|| {
            let units = self.list.units.iter().enumerate();
            units.filter_map(|(at, unit)| Some((at + 1, unit.mark?))).collect()
        });
        let count = all.partition_point(|(at, _)| *at <= self.len);
        all.get(..count).unwrap_or_default()
    }
}

impl<'a> From<Vec<Unit<'a>>> for Units<'a> {
    fn from(units: Vec<Unit<'a>>) -> Self {
        let len = units.len();
        Self { list: Rc::new(List { units, marks: OnceCell::new() }), len }
    }
}

impl<'a> Deref for Units<'a> {
    type Target = [Unit<'a>];

    fn deref(&self) -> &[Unit<'a>] {
        self.list.units.get(..self.len).unwrap_or_default()
    }
}

impl<'a> DerefMut for Units<'a> {
    fn deref_mut(&mut self) -> &mut [Unit<'a>] {
        let list = Rc::make_mut(&mut self.list);
        list.marks.take();
        list.units.get_mut(..self.len).unwrap_or_default()
    }
}
