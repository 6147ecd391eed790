//! Dates as in `main@{yesterday}`, parsed as in git: exactly if the text is a whole date, else word
//! by word, each by its possible meaning.
//!
//! Source: "DATE FORMATS" of git-commit(1), and the results of git 2.47.3 where that is silent.

use super::clock::{Calendar, Clock, DAY};
use super::date_words as words;

/// Parses a date, relative to now, to seconds since 1970; `None` if the text contains none.
pub fn date_of(text: &str) -> Option<i64> {
    parse(text.as_bytes(), &Clock::here())
}

/// Tells whether a text is a whole date, and not one that git makes out of some of its words.
pub fn is_whole_date(text: &str) -> bool {
    exact(text.as_bytes(), &Clock::here()).is_some()
}

/// Parses a date, relative to a clock, to seconds since 1970; `None` if the text contains none.
pub fn parse(text: &[u8], clock: &Clock) -> Option<i64> {
    exact(text, clock).or_else(|| approximate(text, clock))
}

/// A text and the reading position. After its end there are NULs, as in C.
struct DateText<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl<'t> DateText<'t> {
    fn byte(&self, offset: usize) -> u8 {
        self.bytes.get(self.at + offset).copied().unwrap_or(0)
    }

    /// Passes the letters at the front; returns the text from them on.
    fn word(&mut self) -> &'t [u8] {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        rest
    }

    /// Reads the digits at the front; without digits the number is 0.
    fn number(&mut self) -> i64 {
        let mut number = 0i64;
        while self.byte(0).is_ascii_digit() {
            number = number.saturating_mul(10).saturating_add(i64::from(self.byte(0) - b'0'));
            self.at += 1;
        }
        number
    }

    /// Tells whether the next byte is a separator with a digit after it.
    fn is_split_at(&self, is_separator: impl Fn(u8) -> bool) -> bool {
        is_separator(self.byte(0)) && self.byte(1).is_ascii_digit()
    }

    /// Passes the digits after a point.
    fn fraction(&mut self) {
        if self.is_split_at(|byte| byte == b'.') {
            self.at += 1;
            self.number();
        }
    }
}

/// An exact date.
struct Exact {
    calendar: Calendar,
    /// Minutes ahead of UTC, if stated.
    offset: Option<i64>,
    /// Whether the date is given in seconds since 1970.
    is_utc: bool,
}

/// Parses a text that is a whole date.
fn exact(text: &[u8], clock: &Clock) -> Option<i64> {
    if let Some(time) = text.strip_prefix(b"@").and_then(header) {
        return Some(time);
    }
    let mut text = DateText { bytes: text, at: 0 };
    let mut date = Exact { calendar: Calendar::UNKNOWN, offset: None, is_utc: false };
    loop {
        let start = text.at;
        match text.byte(0) {
            0 | b'\n' => break,
            c if c.is_ascii_alphabetic() => date.word(text.word()),
            c if c.is_ascii_digit() => date.digits(&mut text, clock),
            b'-' | b'+' if text.byte(1).is_ascii_digit() && date.calendar.hour != -1 => {
                date.zone(&mut text)
            }
            _ => {}
        }
        text.at = text.at.max(start + 1);
    }
    let time = checked(&date.calendar)?;
    if date.is_utc {
        return Some(time);
    }
    match date.offset {
        Some(minutes) => Some(time - minutes * 60),
        None => {
            // git computes in whole minutes.
            let local = clock.time(&date.calendar);
            Some(time - (time - local) / 60 * 60)
        }
    }
}

/// Parses `<seconds> <zone>`, the format in objects.
fn header(text: &[u8]) -> Option<i64> {
    let text = text.split(|&byte| byte == b'\n').next()?;
    let space = text.iter().position(|&byte| byte == b' ')?;
    let (seconds, zone) = (&text[..space], &text[space + 1..]);
    let [b'+' | b'-', digits @ ..] = zone else { return None };
    let is_number = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    if !is_number(seconds) || digits.len() != 4 || !is_number(digits) {
        return None;
    }
    std::str::from_utf8(seconds).ok()?.parse().ok()
}

/// Returns the time of a UTC calendar if all fields are known and git accepts the year.
fn checked(calendar: &Calendar) -> Option<i64> {
    let Calendar { year, month, hour, minute, second, .. } = *calendar;
    let is_known = (70..=199).contains(&year)
        && (0..=11).contains(&month)
        && [hour, minute, second].iter().all(|&field| field >= 0);
    // git counts an unknown day as the day before the last one of the previous month.
    is_known.then(|| calendar.as_utc()).filter(|&time| time != -1)
}

impl Exact {
    /// Reads the word at the front of a text; the day of the week does not matter.
    fn word(&mut self, text: &[u8]) {
        let calendar = &mut self.calendar;
        if let Some(month) = words::month(text) {
            calendar.month = month;
        } else if let Some(hours) = words::zone(text) {
            // A numeric zone has precedence.
            self.offset.get_or_insert(hours * 60);
        } else if words::is_word(text, "PM") {
            calendar.hour = calendar.hour % 12 + 12;
        } else if words::is_word(text, "AM") {
            calendar.hour %= 12;
        } else if matches!(text, [b'T', b'0'..=b'9', ..]) && calendar.hour == -1 {
            (calendar.minute, calendar.second) = (0, 0);
        }
    }

    /// Tells whether no date and no time were read so far.
    fn has_nothing(&self) -> bool {
        let Calendar { year, month, day, hour, minute, second, .. } = self.calendar;
        (year & month & day & hour & minute & second) < 0
    }

    /// Reads the number at the front and its suffix.
    fn digits(&mut self, text: &mut DateText<'_>, clock: &Clock) {
        let start = text.at;
        let number = text.number();
        let digits = text.at - start;
        // So large a number is in seconds; one of eight digits is a date.
        if number >= 100_000_000 && self.has_nothing() {
            self.calendar = Calendar::utc(number);
            self.is_utc = true;
            return;
        }
        if several(number, text, &mut self.calendar, clock) {
            return;
        }
        let calendar = &mut self.calendar;
        if digits == 8 || digits == 6 {
            let (first, second, third) = (number / 10_000, number % 10_000 / 100, number % 100);
            if digits == 8 {
                set_date(calendar, first, second, third, None);
            } else if set_time(calendar, first, second, third) {
                text.fraction();
            }
            return;
        }
        // After a `T`: hours, or hours and minutes.
        if calendar.hour == -1 && calendar.minute == 0 && calendar.second == 0 {
            let (hour, minute) =
                if digits == 4 { (number / 100, number % 100) } else { (number, 0) };
            if (digits == 4 || digits == 2) && set_time(calendar, hour, minute, 0) {
                return;
            }
            (calendar.minute, calendar.second) = (-1, -1);
        }
        match digits {
            4 if number <= 1400 && self.offset.is_none() => {
                self.offset = Some(number / 100 * 60 + number % 100)
            }
            4 if (1901..2100).contains(&number) => calendar.year = number - 1900,
            1 | 2 if (1..32).contains(&number) && calendar.day < 0 => calendar.day = number,
            2 if calendar.year < 0 && number < 10 && calendar.day >= 0 => {
                calendar.year = number + 100
            }
            2 if calendar.year < 0 && number >= 70 => calendar.year = number,
            1 | 2 if (1..13).contains(&number) && calendar.month < 0 => calendar.month = number - 1,
            _ => {}
        }
    }

    /// Reads a zone: `+hh`, `+hhmm` or `+hh:mm`.
    fn zone(&mut self, text: &mut DateText<'_>) {
        let is_west = text.byte(0) == b'-';
        text.at += 1;
        let start = text.at;
        let mut hours = text.number();
        let mut minutes = 0;
        match text.at - start {
            4 => (hours, minutes) = (hours / 100, hours % 100),
            2 if text.byte(0) == b':' => {
                text.at += 1;
                minutes = text.number();
                if text.at - start != 5 {
                    minutes = 99;
                }
            }
            2 => {}
            _ => minutes = 99,
        }
        if minutes < 60 && hours < 24 {
            let offset = hours * 60 + minutes;
            self.offset = Some(if is_west { -offset } else { offset });
        }
    }
}

fn set_time(calendar: &mut Calendar, hour: i64, minute: i64, second: i64) -> bool {
    let fits = (0..=24).contains(&hour) && (0..60).contains(&minute) && (0..=60).contains(&second);
    if fits {
        (calendar.hour, calendar.minute, calendar.second) = (hour, minute, second);
    }
    fits
}

/// Sets a date if it is valid; year -1 is invalid. With `clock`, it must not be ten days ahead.
fn set_date(
    calendar: &mut Calendar,
    year: i64,
    month: i64,
    day: i64,
    clock: Option<&Clock>,
) -> bool {
    if !(1..13).contains(&month) || !(1..32).contains(&day) {
        return false;
    }
    let mut date = Calendar { month: month - 1, day, ..*calendar };
    match (year, clock) {
        (-1, Some(clock)) => date.year = Calendar::utc(clock.now()).year,
        (1970..2100, _) => date.year = year - 1900,
        (71..100, _) => date.year = year,
        (0..38, _) => date.year = year + 100,
        _ => {
            // git sets day and month even if it rejects the date.
            if clock.is_none() {
                *calendar = date;
            }
            return false;
        }
    }
    if let Some(clock) = clock {
        if checked(&date).is_some_and(|time| clock.now() + 10 * DAY < time) {
            return false;
        }
        if year == -1 {
            date.year = calendar.year;
        }
    }
    *calendar = date;
    true
}

/// Reads `n:n`, `n-n-n` and the like after `first`, unless they are neither a time nor a date.
fn several(first: i64, text: &mut DateText<'_>, calendar: &mut Calendar, clock: &Clock) -> bool {
    let (start, separator) = (text.at, text.byte(0));
    if !text.is_split_at(|byte| matches!(byte, b':' | b'.' | b'/' | b'-')) {
        return false;
    }
    text.at += 1;
    let second = text.number();
    let mut third = -1;
    if text.is_split_at(|byte| byte == separator) {
        text.at += 1;
        third = text.number();
    }
    let is_set = if separator == b':' {
        set_time(calendar, first, second, third.max(0))
    } else {
        let past = Some(clock);
        first > 70
            && (set_date(calendar, first, second, third, None)
                || set_date(calendar, first, third, second, None))
            || separator != b'.' && set_date(calendar, third, first, second, past)
            || set_date(calendar, third, second, first, past)
            || separator == b'.' && set_date(calendar, third, first, second, past)
    };
    if !is_set {
        text.at = start;
    } else if separator == b':'
        && [calendar.year, calendar.month, calendar.day].iter().all(|&field| field >= 0)
    {
        text.fraction();
    }
    is_set
}

/// A date composed from words.
struct Approximate<'c> {
    calendar: Calendar,
    now: Calendar,
    /// A number whose meaning the next word decides; 0 if none.
    number: i64,
    clock: &'c Clock,
}

/// What a word does to a date.
type Meaning = fn(&mut Approximate<'_>);

/// The words with a meaning of their own.
const SPECIAL: [(&str, Meaning); 8] = [
    ("yesterday", |date| date.ago(DAY)),
    ("noon", |date| date.at_hour(12)),
    ("midnight", |date| date.at_hour(0)),
    ("tea", |date| date.at_hour(17)),
    ("PM", |date| date.in_half(12)),
    ("AM", |date| date.in_half(0)),
    ("never", |date| (date.number, date.calendar) = (0, date.clock.calendar(0))),
    ("now", |date| date.ago(0)),
];

/// Parses any date in a text; missing parts are those of now.
fn approximate(text: &[u8], clock: &Clock) -> Option<i64> {
    let now = clock.calendar(clock.now());
    let calendar = Calendar { year: -1, month: -1, day: -1, ..now };
    let mut date = Approximate { calendar, now, number: 0, clock };
    let mut text = DateText { bytes: text, at: 0 };
    let mut is_touched = false;
    while text.byte(0) != 0 {
        let c = text.byte(0);
        if c.is_ascii_digit() {
            date.settle_number();
            date.digits(&mut text);
            is_touched = true;
        } else if c.is_ascii_alphabetic() {
            is_touched |= date.word(text.word());
        } else {
            text.at += 1;
        }
    }
    date.settle_number();
    is_touched.then(|| date.back(0))
}

impl Approximate<'_> {
    /// Uses a number without a following word as a day, a month or a year.
    fn settle_number(&mut self) {
        let number = std::mem::take(&mut self.number);
        let calendar = &mut self.calendar;
        match number {
            0 => {}
            _ if calendar.day < 0 && number < 32 => calendar.day = number,
            _ if calendar.month < 0 && number < 13 => calendar.month = number - 1,
            _ if calendar.year >= 0 => {}
            1970..2100 => calendar.year = number - 1900,
            70..100 => calendar.year = number,
            ..38 => calendar.year = number + 100,
            _ => {}
        }
    }

    /// Fills unknown fields from now, and goes back by some seconds.
    fn back(&mut self, seconds: i64) -> i64 {
        let calendar = &mut self.calendar;
        if calendar.day < 0 {
            calendar.day = self.now.day;
        }
        if calendar.month < 0 {
            calendar.month = self.now.month;
        }
        if calendar.year < 0 {
            calendar.year = self.now.year - i64::from(calendar.month > self.now.month);
        }
        let time = self.clock.time(calendar).saturating_sub(seconds);
        *calendar = self.clock.calendar(time);
        time
    }

    fn digits(&mut self, text: &mut DateText<'_>) {
        let start = text.at;
        let number = text.number();
        if several(number, text, &mut self.calendar, self.clock) {
            return;
        }
        // Only small numbers may have a leading zero: `Dec 02`.
        if text.bytes[start] != b'0' || text.at - start <= 2 {
            // git keeps 32 bits of it.
            self.number = i64::from(number as i32);
        }
    }

    /// Goes back from now; a number before that has no meaning.
    fn ago(&mut self, seconds: i64) {
        self.number = 0;
        self.back(seconds);
    }

    /// Sets the time of day to `hour`: today's, or yesterday's if that is in the future.
    fn at_hour(&mut self, hour: i64) {
        self.settle_number();
        if self.calendar.hour < hour {
            self.back(DAY);
        }
        (self.calendar.hour, self.calendar.minute, self.calendar.second) = (hour, 0, 0);
    }

    /// Moves the time to the morning (0) or the afternoon (12); a number is its hour.
    fn in_half(&mut self, later: i64) {
        let number = std::mem::take(&mut self.number);
        if number != 0 {
            (self.calendar.hour, self.calendar.minute, self.calendar.second) = (number, 0, 0);
        }
        self.calendar.hour = self.calendar.hour % 12 + later;
    }

    /// Reads the word at the front; returns whether it has a meaning.
    fn word(&mut self, text: &[u8]) -> bool {
        if let Some(month) = words::month(text) {
            self.calendar.month = month;
            return true;
        }
        if let Some((_, take)) = SPECIAL.iter().find(|(name, _)| words::is_word(text, name)) {
            take(self);
            return true;
        }
        if self.number == 0 {
            let number = words::number(text);
            self.number = number.unwrap_or(0);
            return number.is_some();
        }
        let number = self.number;
        if let Some(seconds) = words::unit(text) {
            self.back(seconds.saturating_mul(number));
        } else if let Some(weekday) = words::weekday(text) {
            let days = self.calendar.weekday - weekday;
            let weeks = number - i64::from(days > 0);
            self.back((days + 7 * weeks) * DAY);
        } else if words::matched(text, "months") >= 5 {
            self.back(0);
            let month = self.calendar.month - number;
            self.calendar.year += month.div_euclid(12).min(0);
            self.calendar.month = if month < 0 { month.rem_euclid(12) } else { month };
        } else if words::matched(text, "years") >= 4 {
            self.back(0);
            self.calendar.year -= number;
        } else {
            return false;
        }
        self.number = 0;
        true
    }
}
