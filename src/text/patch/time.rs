//! Finds the time after a name in a `---` or `+++` line whose TAB has become blanks, as it does on
//! pages and terminals. It is what `git apply` takes for one, and nothing else: a name may end in a
//! year or a clock.

/// Returns where the blanks before a time at the end of a text start.
pub(super) fn time_start(text: &[u8]) -> Option<usize> {
    let text = without_zone(text);
    let text = without_clock(text).unwrap_or(text);
    let text = before(text, b"00-00-00")?;
    let text = before(text, b"00").unwrap_or(text);
    let name = text.strip_suffix(b" ")?;
    let end = name.iter().rposition(|&byte| byte != b' ');
    Some(end.map_or(0, |last| last + 1))
}

/// Removes ` +0000` or ` +00:00`.
fn without_zone(text: &[u8]) -> &[u8] {
    let zones: [&[u8]; 4] = [b" +0000", b" -0000", b" +00:00", b" -00:00"];
    zones.iter().find_map(|zone| before(text, zone)).unwrap_or(text)
}

/// Removes ` 00:00:00`, with a fraction or without.
fn without_clock(text: &[u8]) -> Option<&[u8]> {
    const CLOCK: &[u8] = b" 00:00:00";
    let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let fraction = text[..text.len() - digits].strip_suffix(b".").filter(|_| digits > 0);
    before(text, CLOCK).or_else(|| before(fraction?, CLOCK))
}

/// Returns the text before a form at its end; 0 in the form is any digit.
fn before<'a>(text: &'a [u8], form: &[u8]) -> Option<&'a [u8]> {
    let (rest, end) = text.split_at_checked(text.len().checked_sub(form.len())?)?;
    let fits = |(byte, of_form): (&u8, &u8)| match of_form {
        b'0' => byte.is_ascii_digit(),
        of_form => byte == of_form,
    };
    end.iter().zip(form).all(fits).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_told_from_a_name_as_git_apply_tells_it() {
        for (text, name) in [
            ("x 2024-06-06", Some("x")),
            ("x 24-06-06", Some("x")),
            ("x 2024-06-06 14:05:11", Some("x")),
            ("x   2024-06-06 14:05:11 -0500", Some("x")),
            ("x 2024-06-06 14:05:11.913631400 +05:30", Some("x")),
            ("x 2024-06-06 +0000", Some("x")),
            ("x y 24-06-06 14:05:11.1", Some("x y")),
            (" 2024-06-06", Some("")),
            ("2024-06-06", None),
            ("x-2024-06-06", None),
            ("x 12024-06-06", None),
            ("x 14:05:11 -0500", None),
            ("x -0500", None),
            ("x Sat Dec 26 14:05:11 2024", None),
            ("x 2024-06-06T14:05:11Z", None),
            ("x 2024-06-06 14:05", None),
            ("x 2024-06-06 ", None),
            ("x 2024-06-06 14:05:11.", None),
            ("x 2024-06-06 (old)", None),
            ("", None),
        ] {
            let found = time_start(text.as_bytes()).map(|end| &text[..end]);
            assert_eq!(found, name, "{text:?}");
        }
    }
}
