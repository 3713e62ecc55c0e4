// SPDX-License-Identifier: GPL-2.0-or-later
//! A profile of Rust known by construction: 60 % of the time in a generic function, 40 % in one
//! of a trait that is called by its table.
//!
//!     split_rust SECONDS      runs for that much CPU time

use std::arch::asm;
use std::ffi::{c_int, c_long};

#[repr(C)]
struct TimeSpec {
    seconds: i64,
    nanoseconds: c_long,
}

const CLOCK_PROCESS_CPUTIME_ID: c_int = 2;

extern "C" {
    fn clock_gettime(clock: c_int, time: *mut TimeSpec) -> c_int;
    fn random() -> c_long;
}

fn cpu_seconds() -> f64 {
    let mut now = TimeSpec { seconds: 0, nanoseconds: 0 };

    unsafe { clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &mut now) };
    now.seconds as f64 + now.nanoseconds as f64 / 1e9
}

/// The loop of tests/vm/workloads/spin.h.
#[inline(always)]
fn spin(iterations: u64) {
    unsafe {
        asm!(
            ".balign 64",
            "2:",
            "sqrtsd {value}, {value}",
            "sqrtsd {value}, {value}",
            "sqrtsd {value}, {value}",
            "sqrtsd {value}, {value}",
            "dec {left}",
            "jnz 2b",
            left = inout(reg) iterations => _,
            value = inout(xmm_reg) 3.0f64 => _,
        );
    }
}

trait Light {
    fn light(&self, iterations: u64);
}

struct Worker;

impl Worker {
    #[inline(never)]
    fn heavy<T: Into<u64>>(&self, iterations: T) {
        spin(iterations.into());
    }
}

impl Light for Worker {
    #[inline(never)]
    fn light(&self, iterations: u64) {
        spin(iterations);
    }
}

fn main() {
    let seconds: f64 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(0.0);
    let by_table: &dyn Light = std::hint::black_box(&Worker);

    if seconds <= 0.0 {
        std::process::exit(2);
    }
    while cpu_seconds() < seconds {
        let part = 500 + unsafe { random() } as u64 % 1000;

        Worker.heavy(6 * part);
        by_table.light(4 * part);
    }
}
