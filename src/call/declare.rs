//! The macro that makes the parts of the module and their gates from the table of operations.

macro_rules! operations {
    ($($(#[$doc:meta])* $part:ident = $gate:ident {
        $($(#[$about:meta])* $name:literal $([$($fact:tt)*])? => $take:expr,)*
    })*) => {
        /// A part of the module that a host can load separately.
        ///
        /// Shown by the example of [`parts`](super::parts()).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Part {
            $($(#[$doc])* $part,)*
        }

        impl Part {
            /// All parts, the core first.
            pub const ALL: &[Self] = &[$(Self::$part,)*];

            /// Returns the name of the part.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$part => stringify!($gate),)*
                }
            }

            /// Reads a call of the operation `name` if it belongs to this part.
            pub(super) fn take(
                self,
                name: &str,
                json: &mut Json,
                setup: &Setup,
            ) -> Option<Result<Call>> {
                match self {
                    $(Self::$part => {
                        // a constant, so that the compiler removes the code of an excluded part
                        if Self::$part.is_included() {
                            gate::$gate(name, json, setup)
                        } else {
                            Some(super::excluded(json))
                        }
                    })*
                }
            }
        }

        /// Each operation and its part.
        pub(super) const OPERATIONS: &[(&str, Part)] = &[$($(($name, Part::$part),)*)*];

        /// The entry functions of the parts. The build finds them by name.
        mod gate {
            use super::*;

            $(
                #[inline(never)]
                pub(super) fn $gate(
                    name: &str,
                    json: &mut Json,
                    setup: &Setup,
                ) -> Option<Result<Call>> {
                    const TAKE: &[(&str, Take)] = &[$(($name, $take),)*];
                    let (_, take) = TAKE.iter().find(|(known, _)| *known == name)?;
                    Some(take(json, setup))
                }
            )*
        }
    };
}

pub(super) use operations;
