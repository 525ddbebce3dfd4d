//! Which instructions of the host are used.

/// What the processor at hand can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// What every processor of the architecture can.
    Portable,
    /// AVX2, FMA, BMI and F16C of x86-64.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Level {
    /// What this processor can.
    pub(crate) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            let found = std::is_x86_feature_detected!("avx2")
                && std::is_x86_feature_detected!("fma")
                && std::is_x86_feature_detected!("f16c")
                && std::is_x86_feature_detected!("bmi1")
                && std::is_x86_feature_detected!("bmi2")
                && std::is_x86_feature_detected!("lzcnt")
                && std::is_x86_feature_detected!("popcnt");
            if found {
                return Self::Avx2;
            }
        }
        Self::Portable
    }
}

/// Makes a function that gives the handler with that body for an operation, compiled for
/// each level.
macro_rules! dispatched {
    ($(#[$doc:meta])* $name:ident, $body:ident, $operation:path) => {
        $(#[$doc])*
        pub(crate) fn $name<O: $operation>(
            level: $crate::execute::Level,
        ) -> $crate::execute::Handler {
            use $crate::execute::{Core, Flow, Level, Step};
            fn portable<O: $operation>(core: &mut Core<'_>, step: &Step) -> Flow {
                $body::<O>(core, step)
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt")]
            fn avx2<O: $operation>(core: &mut Core<'_>, step: &Step) -> Flow {
                $body::<O>(core, step)
            }
            match level {
                Level::Portable => portable::<O>,
                #[cfg(target_arch = "x86_64")]
                Level::Avx2 => avx2::<O>,
            }
        }
    };
}

pub(crate) use dispatched;
