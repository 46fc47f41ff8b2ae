//! Forks of the process, which wait until no thread works in the core.
//!
//! A forked process has only the thread that forked. A lock of another thread would stay locked there.

use pyo3::prelude::*;
use std::cell::RefCell;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// Read by threads that work in the core, written by a thread that forks.
static WORK: RwLock<()> = RwLock::new(());

thread_local! {
    /// The lock of this thread while it forks.
    static FORK: RefCell<Option<RwLockWriteGuard<'static, ()>>> = const { RefCell::new(None) };
}

/// Delays forks by other threads while the guard exists.
pub fn delayed() -> Option<RwLockReadGuard<'static, ()>> {
    // other functions of a fork can call the core
    let forks = FORK.with_borrow(Option::is_some);
    (!forks).then(|| WORK.read().unwrap_or_else(PoisonError::into_inner))
}

/// Waits until no other thread works in the core. Threads that begin to work wait.
#[pyfunction]
pub fn before_fork(py: Python<'_>) {
    py.detach(|| FORK.set(Some(WORK.write().unwrap_or_else(PoisonError::into_inner))));
}

/// Ends the wait of other threads, in both processes.
#[pyfunction]
pub fn after_fork() {
    FORK.set(None);
}
