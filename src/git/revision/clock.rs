//! Local time: conversions between seconds since 1970 and calendar fields.

use std::sync::OnceLock;

use jiff::Timestamp;
use jiff::tz::{Dst, TimeZone};

/// The time zone of the process, read once: later, the calling thread may be allowed to read only
/// the repository.
static LOCAL: OnceLock<TimeZone> = OnceLock::new();

/// Returns the time zone of the process, read at the first call.
pub fn local_time_zone() -> &'static TimeZone {
    LOCAL.get_or_init(TimeZone::system)
}

/// A time zone and the current moment.
#[derive(Debug, Clone)]
pub struct Clock {
    zone: TimeZone,
    now: i64,
}

/// Calendar fields; the year counts from 1900 and the month from 0. Fields out of range are carried
/// over; -1 is an unknown field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Calendar {
    pub year: i64,
    pub month: i64,
    pub day: i64,
    pub hour: i64,
    pub minute: i64,
    pub second: i64,
    /// Days since Sunday.
    pub weekday: i64,
    /// Whether the time is daylight saving time, if known.
    pub is_summer: Option<bool>,
}

/// The seconds of a day.
pub const DAY: i64 = 86_400;

impl Clock {
    /// Returns a clock whose current moment is `now`, in seconds since 1970.
    pub fn new(zone: TimeZone, now: i64) -> Self {
        Self { zone, now }
    }

    /// Returns the clock of the process at this moment.
    pub fn here() -> Self {
        Self::new(local_time_zone().clone(), Timestamp::now().as_second())
    }

    /// Returns the current moment, in seconds since 1970.
    pub fn now(&self) -> i64 {
        self.now
    }

    /// Returns the offset from UTC in seconds, and whether it is daylight saving time.
    fn offset(&self, time: i64) -> (i64, bool) {
        let (first, last) = (Timestamp::MIN.as_second(), Timestamp::MAX.as_second());
        let time = Timestamp::from_second(time.clamp(first, last)).unwrap_or_default();
        let info = self.zone.to_offset_info(time);
        (i64::from(info.offset().seconds()), info.dst() == Dst::Yes)
    }

    /// Returns the local calendar fields of a time.
    pub fn calendar(&self, time: i64) -> Calendar {
        let (offset, is_summer) = self.offset(time);
        Calendar { is_summer: Some(is_summer), ..Calendar::utc(time.saturating_add(offset)) }
    }

    /// Returns the time of local calendar fields as glibc's `mktime` does: a time marked as
    /// daylight saving outside that period uses the offset of the nearest such period.
    pub fn time(&self, calendar: &Calendar) -> i64 {
        /// The step and the limit of glibc's search for the other kind of time.
        const STRIDE: i64 = 601_200;
        const FARTHEST: i64 = 268_227_000 + STRIDE;
        let shown = calendar.as_utc();
        let before = self.offset(shown - DAY);
        let after = self.offset(shown + DAY);
        let fits = |offset: (i64, bool)| self.offset(shown - offset.0).0 == offset.0;
        let wanted = calendar.is_summer;
        let as_wanted = |offset: &(i64, bool)| wanted.is_none_or(|summer| offset.1 == summer);
        let fitting = || [before, after].into_iter().filter(|&offset| fits(offset));
        let found = fitting().find(as_wanted).or_else(|| fitting().next()).unwrap_or(before);
        let time = shown - found.0;
        if as_wanted(&self.offset(time)) {
            return time;
        }
        let mut distance = STRIDE;
        while distance < FARTHEST {
            for near in [time - distance, time + distance] {
                let offset = self.offset(near);
                if as_wanted(&offset) {
                    return shown - offset.0;
                }
            }
            distance += STRIDE;
        }
        time
    }
}

impl Calendar {
    /// A calendar without known fields.
    pub const UNKNOWN: Self = Self {
        year: -1,
        month: -1,
        day: -1,
        hour: -1,
        minute: -1,
        second: -1,
        weekday: -1,
        is_summer: None,
    };

    /// Returns the UTC calendar fields of a time.
    pub fn utc(time: i64) -> Self {
        let days = time.div_euclid(DAY);
        let seconds = time.rem_euclid(DAY);
        // Howard Hinnant's civil_from_days: years begin in March, eras have 400 of them.
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let of_era = shifted.rem_euclid(146_097);
        let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year + year / 4 - year / 100);
        let from_march = (5 * of_year + 2) / 153;
        let month = (from_march + 2) % 12;
        Self {
            year: year + era * 400 + i64::from(month < 2) - 1900,
            month,
            day: of_year - (153 * from_march + 2) / 5 + 1,
            hour: seconds / 3600,
            minute: seconds / 60 % 60,
            second: seconds % 60,
            weekday: (days + 4).rem_euclid(7),
            is_summer: None,
        }
    }

    /// Returns the time of UTC calendar fields.
    pub fn as_utc(&self) -> i64 {
        let months = self.year.saturating_add(1900).saturating_mul(12).saturating_add(self.month);
        let (year, month) = (months.div_euclid(12), months.rem_euclid(12));
        let year = year - i64::from(month < 2);
        let era = year.div_euclid(400);
        let of_era = year.rem_euclid(400);
        let of_year = (153 * ((month + 10) % 12) + 2) / 5;
        let days = (era.saturating_mul(146_097))
            .saturating_add(of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
            .saturating_add(self.day - 1);
        days.saturating_mul(DAY)
            .saturating_add(self.hour.saturating_mul(3600))
            .saturating_add(self.minute.saturating_mul(60))
            .saturating_add(self.second)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_calendar_shows_the_time_it_was_made_from() {
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let clock = Clock::new(zone, 0);
        for time in (0..4_000_000_000).step_by(8_641_003) {
            assert_eq!(Calendar::utc(time).as_utc(), time);
            assert_eq!(clock.time(&clock.calendar(time)), time);
        }
        let shown = Calendar::utc(951_782_400);
        assert_eq!((shown.year, shown.month, shown.day, shown.weekday), (100, 1, 29, 2));
    }
}
