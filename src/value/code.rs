//! Stable codes of the wire format, each declared once with its meaning.

/// Declares an enum of codes.
///
/// The doc comment of a code is also its row in the tables of `docs/reference/errors-and-lints.md`.
macro_rules! codes {
    (
        $(#[$attribute:meta])*
        $vis:vis enum $codes:ident { $($(#[doc = $doc:literal])+ $name:ident = $text:literal,)+ }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        $vis enum $codes { $($(#[doc = $doc])+ $name,)+ }

        impl $codes {
            /// Every code, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$name,)+];

            /// Returns the code as written on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }

            /// Returns the meaning of the code, in one sentence.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),+).trim_ascii(),)+ }
            }
        }

        impl std::fmt::Display for $codes {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl serde::Serialize for $codes {
            fn serialize<S: serde::Serializer>(
                &self,
                serializer: S,
            ) -> std::result::Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}

pub(crate) use codes;
