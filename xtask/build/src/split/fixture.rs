//! A module with one part. The tests of the split compile it.
#![no_std]

/// Called by the core and by the part.
#[inline(never)]
#[unsafe(no_mangle)]
pub extern "C" fn shared(number: i32) -> i32 {
    number.wrapping_mul(7)
}

extern "C" fn twice(number: i32) -> i32 {
    number.wrapping_mul(2)
}

/// Called through the table.
static WAYS: [extern "C" fn(i32) -> i32; 2] = [shared, twice];

mod call {
    pub mod operations {
        pub mod gate {
            /// The gate of the part `extra`.
            #[inline(never)]
            pub fn extra(number: i32) -> i32 {
                static WORDS: &[u8] = b"only the part says this";
                let word = WORDS.get(number as usize).copied().unwrap_or(0);
                i32::from(word).wrapping_add(crate::shared(number))
            }
        }
    }
}

/// The export that a host calls. It calls the part through its gate.
#[unsafe(no_mangle)]
pub extern "C" fn ask(number: i32) -> i32 {
    match (number < 0, WAYS.get((number & 1) as usize)) {
        (true, Some(way)) => way(number),
        (true, None) => 0,
        (false, _) => call::operations::gate::extra(number),
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
