//! The list of providers.

/// Passes the list of providers to another macro. A new provider is one file with a `SPEC` and a
/// `READER`, and one line here.
macro_rules! providers {
    ($apply:ident) => {
        $apply! {
            /// The neutral messages, unchanged.
            Neutral in neutral;
            /// OpenAI Chat Completions.
            OpenaiChat in openai_chat;
            /// OpenAI Responses.
            OpenaiResponses in openai_responses;
            /// Anthropic Messages.
            Anthropic in anthropic;
            /// Google Gemini, `generateContent`.
            Gemini in gemini;
            /// Amazon Bedrock, `Converse`.
            Bedrock in bedrock;
            /// Mistral chat completions.
            Mistral in mistral;
            /// Servers that offer chat completions, such as vLLM, llama.cpp and Ollama.
            OpenaiCompatible in openai_compatible;
            /// Vercel's AI SDK: `ModelMessage[]` and its settings.
            AiSdk in ai_sdk;
        }
    };
}

pub(super) use providers;

macro_rules! names {
    ($($(#[doc = $doc:literal])+ $name:ident in $file:ident;)*) => {
        /// The provider of a payload.
        ///
        /// ```
        /// use tuckbox::prompt::provider::Provider;
        ///
        /// assert_eq!(Provider::OpenaiChat.as_str(), "openai_chat");
        /// assert!(Provider::ALL.contains(&Provider::Bedrock));
        /// assert_eq!(Provider::Anthropic.meaning(), "Anthropic Messages.");
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Provider { $($(#[doc = $doc])+ $name,)* }

        impl Provider {
            /// Every provider.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Returns the description of the provider, in one sentence.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$name => concat!($($doc),+).trim_ascii(),)* }
            }
        }
    };
}

providers! { names }
