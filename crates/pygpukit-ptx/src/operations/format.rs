//! The conversions of C's `printf`.

use super::decimal::{exponential, general};

/// Where the arguments come from. Nothing as answer ends the text.
pub(super) trait Source {
    fn int(&mut self) -> Option<u32>;
    fn long(&mut self) -> Option<u64>;
    fn string(&mut self, address: u64) -> Option<Vec<u8>>;
}

/// `%-08.3lld`, in parts.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent flags")]
struct Conversion {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    long: bool,
}

/// Longer numbers than these are cut: a wrong format must not fill the memory.
const WIDEST: usize = 4096;

/// Writes a text with its arguments.
pub(super) fn write(format: &[u8], source: &mut dyn Source, out: &mut Vec<u8>) -> Option<()> {
    let mut rest = format;
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'%' {
            out.push(first);
            continue;
        }
        let (conversion, kind) = Conversion::read(&mut rest, source)?;
        match kind {
            Some(kind) => conversion.write(kind, source, out)?,
            None => return Some(()),
        }
    }
    Some(())
}

impl Conversion {
    /// Reads what stands behind `%`, with the letter that ends it.
    fn read(rest: &mut &[u8], source: &mut dyn Source) -> Option<(Self, Option<u8>)> {
        let mut found = Self::default();
        let next = |rest: &mut &[u8]| {
            let (&first, after) = rest.split_first()?;
            *rest = after;
            Some(first)
        };
        loop {
            match rest.first() {
                Some(b'-') => found.left = true,
                Some(b'+') => found.plus = true,
                Some(b' ') => found.space = true,
                Some(b'#') => found.alternate = true,
                Some(b'0') => found.zero = true,
                _ => break,
            }
            next(rest);
        }
        let width = Self::number(rest, source)?;
        found.left |= width < 0;
        found.width = (width.unsigned_abs() as usize).min(WIDEST);
        if rest.first() == Some(&b'.') {
            next(rest);
            let digits = Self::number(rest, source)?;
            found.precision = usize::try_from(digits).ok().map(|it| it.min(WIDEST));
        }
        while let Some(b'l' | b'h' | b'z' | b'j' | b't') = rest.first() {
            found.long |= rest.first() != Some(&b'h');
            next(rest);
        }
        Some((found, next(rest)))
    }

    /// Digits, `*` for an argument, or zero.
    fn number(rest: &mut &[u8], source: &mut dyn Source) -> Option<i32> {
        if let Some((b'*', after)) = rest.split_first() {
            *rest = after;
            return Some(source.int()?.cast_signed());
        }
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, after) = rest.split_at(count);
        *rest = after;
        let digits = std::str::from_utf8(digits).unwrap_or_default();
        Some(digits.parse().unwrap_or(0))
    }

    fn write(self, kind: u8, source: &mut dyn Source, out: &mut Vec<u8>) -> Option<()> {
        match kind {
            b'd' | b'i' => {
                let value = if self.long {
                    source.long()?.cast_signed()
                } else {
                    i64::from(source.int()?.cast_signed())
                };
                let digits = value.unsigned_abs().to_string();
                self.integer(self.sign(value < 0), &digits, out);
            }
            b'u' | b'o' | b'x' | b'X' => {
                let value = if self.long {
                    source.long()?
                } else {
                    u64::from(source.int()?)
                };
                let prefix = if self.alternate && value != 0 {
                    kind
                } else {
                    b'u'
                };
                let (prefix, digits) = match (prefix, kind) {
                    (b'x', _) => ("0x", format!("{value:x}")),
                    (b'X', _) => ("0X", format!("{value:X}")),
                    (b'o', _) => ("0", format!("{value:o}")),
                    (_, b'x') => ("", format!("{value:x}")),
                    (_, b'X') => ("", format!("{value:X}")),
                    (_, b'o') => ("", format!("{value:o}")),
                    _ => ("", value.to_string()),
                };
                self.integer(prefix, &digits, out);
            }
            b'c' => {
                let byte = source.int()? as u8;
                self.pad("", &[byte], false, out);
            }
            b's' => {
                let address = source.long()?;
                let mut text = source.string(address)?;
                text.truncate(self.precision.unwrap_or(usize::MAX));
                self.pad("", &text, false, out);
            }
            b'p' => {
                let text = format!("{:#x}", source.long()?);
                self.pad("", text.as_bytes(), false, out);
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' => {
                let value = f64::from_bits(source.long()?);
                self.real(value, kind, out);
            }
            b'%' => out.push(b'%'),
            // Not known: written as it is.
            other => out.extend_from_slice(&[b'%', other]),
        }
        Some(())
    }

    fn sign(self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    fn integer(self, prefix: &str, digits: &str, out: &mut Vec<u8>) {
        let least = self.precision.unwrap_or(1);
        let digits = match (self.precision, digits) {
            (Some(0), "0") => String::new(),
            _ => format!("{digits:0>least$}"),
        };
        self.pad(prefix, digits.as_bytes(), self.precision.is_none(), out);
    }

    fn real(self, value: f64, kind: u8, out: &mut Vec<u8>) {
        let sign = self.sign(value.is_sign_negative());
        let size = value.abs();
        let digits = self.precision.unwrap_or(6);
        let text = match kind.to_ascii_lowercase() {
            _ if !size.is_finite() => if size.is_nan() { "nan" } else { "inf" }.to_owned(),
            b'f' => format!("{size:.digits$}"),
            b'e' => exponential(size, digits),
            _ => general(size, digits.max(1), self.alternate),
        };
        let text = if kind.is_ascii_uppercase() {
            text.to_uppercase()
        } else {
            text
        };
        self.pad(sign, text.as_bytes(), size.is_finite(), out);
    }

    /// Writes a text at least as wide as it should be.
    fn pad(self, prefix: &str, text: &[u8], zeros: bool, out: &mut Vec<u8>) {
        let missing = self.width.saturating_sub(prefix.len() + text.len());
        let fill = |out: &mut Vec<u8>, byte| out.extend(std::iter::repeat_n(byte, missing));
        let zeros = zeros && self.zero && !self.left;
        if !self.left && !zeros {
            fill(out, b' ');
        }
        out.extend_from_slice(prefix.as_bytes());
        if zeros {
            fill(out, b'0');
        }
        out.extend_from_slice(text);
        if self.left {
            fill(out, b' ');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Values(Vec<u64>);

    impl Source for Values {
        fn int(&mut self) -> Option<u32> {
            self.long().map(|value| value as u32)
        }
        fn long(&mut self) -> Option<u64> {
            (!self.0.is_empty()).then(|| self.0.remove(0))
        }
        fn string(&mut self, address: u64) -> Option<Vec<u8>> {
            Some(vec![b'a' + address as u8; 3])
        }
    }

    fn text(format: &str, values: &[u64]) -> String {
        let mut out = Vec::new();
        let written = write(format.as_bytes(), &mut Values(values.to_vec()), &mut out);
        assert!(written.is_some(), "{format}");
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn as_c_writes_it() {
        let minus = u64::from((-42_i32) as u32);
        assert_eq!(
            text("%d|%5d|%-5d|%05d|%+d", &[minus, 7, 7, minus, 7]),
            "-42|    7|7    |-0042|+7"
        );
        assert_eq!(
            text("%.3d|%8.3d|%.0d|%u", &[7, 7, 0, minus]),
            "007|     007||4294967254"
        );
        assert_eq!(
            text("%x %#X %#o %08x", &[255, 255, 8, 255]),
            "ff 0XFF 010 000000ff"
        );
        assert_eq!(
            text("%lld %llu", &[(-1_i64) as u64, u64::MAX]),
            "-1 18446744073709551615"
        );
        assert_eq!(
            text("%c%s|%5s|%-5s|%.2s", &[65, 1, 2, 3, 4]),
            "Abbb|  ccc|ddd  |ee"
        );
        let half = 0.5_f64.to_bits();
        let big = (-12345.678_f64).to_bits();
        assert_eq!(
            text("%f %.2f %8.1f|%-8.1f|", &[half, big, big, half]),
            "0.500000 -12345.68 -12345.7|0.5     |"
        );
        assert_eq!(text("%e %.1E", &[big, half]), "-1.234568e+04 5.0E-01");
        assert_eq!(
            text(
                "%g %g %g %G",
                &[half, big, 1e-7_f64.to_bits(), 1e20_f64.to_bits()]
            ),
            "0.5 -12345.7 1e-07 1E+20"
        );
        assert_eq!(
            text(
                "%g %#g %.3g",
                &[100_000.0_f64.to_bits(), half, 0.0001_f64.to_bits()]
            ),
            "100000 0.500000 0.0001"
        );
        assert_eq!(
            text(
                "%f %F %5f",
                &[
                    f64::NAN.to_bits(),
                    f64::INFINITY.to_bits(),
                    f64::INFINITY.to_bits()
                ]
            ),
            "nan INF   inf"
        );
        assert_eq!(
            text("%*d|%-*d|%.*f", &[4, 7, 4, 7, 1, half]),
            "   7|7   |0.5"
        );
        assert_eq!(text("100%% %q %", &[]), "100% %q ");
        assert_eq!(text("%p", &[255]), "0xff");
    }

    #[test]
    fn arguments_that_are_missing_end_the_text() {
        let mut out = Vec::new();
        assert!(write(b"a %d", &mut Values(Vec::new()), &mut out).is_none());
        assert_eq!(text("%99999d", &[1]).len(), WIDEST);
    }
}
