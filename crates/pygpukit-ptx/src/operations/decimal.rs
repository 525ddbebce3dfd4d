//! Floating-point numbers as C writes them.

/// `1.500000e+02`
pub(super) fn exponential(size: f64, digits: usize) -> String {
    let text = format!("{size:.digits$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.abs())
}

/// The shorter of both ways, without zeros at the end.
pub(super) fn general(size: f64, digits: usize, keep_zeros: bool) -> String {
    let exponent: i32 = {
        let text = format!("{size:.*e}", digits - 1);
        text.split_once('e')
            .and_then(|(_, exponent)| exponent.parse().ok())
            .unwrap_or(0)
    };
    let whole = i64::try_from(digits).unwrap_or(i64::MAX);
    let (text, tail) = if exponent < -4 || i64::from(exponent) >= whole {
        let text = exponential(size, digits - 1);
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "+00"));
        (mantissa.to_owned(), format!("e{exponent}"))
    } else {
        let places = usize::try_from(whole - 1 - i64::from(exponent)).unwrap_or(0);
        (format!("{size:.places$}"), String::new())
    };
    let text = if text.contains('.') && !keep_zeros {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    format!("{text}{tail}")
}
