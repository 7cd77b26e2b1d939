package wire

import (
	"strconv"
	"strings"
	"time"
)

// isDateTime checks RFC 3339, section 5.6.
func isDateTime(s string) bool {
	return len(s) >= 20 && s[10]|0x20 == 't' && isDate(s[:10]) && isTime(s[11:])
}

func isDate(s string) bool {
	if len(s) != len(time.DateOnly) || s[4] != '-' || s[7] != '-' {
		return false
	}
	year, month, day := s[:4], s[5:7], s[8:]
	if !all(year, isDigit) || !all(month, isDigit) || !all(day, isDigit) {
		return false
	}
	y, _ := strconv.Atoi(year)
	m, _ := strconv.Atoi(month)
	d, _ := strconv.Atoi(day)
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) // which turns the 30th of February into the 1st of March
	return t.Month() == time.Month(m) && t.Day() == d
}

// isTime checks a time with its offset. The second 60 is valid only at 23:59 UTC.
func isTime(s string) bool {
	if len(s) < 9 || s[5] != ':' {
		return false
	}
	minutes, ok := clock(s[:5])
	second, err := strconv.Atoi(s[6:8])
	if !ok || err != nil || second < 0 || second > 60 {
		return false
	}
	zone := s[8:]
	if zone[0] == '.' {
		end := skipDigits(zone, 1)
		if end == 1 {
			return false
		}
		zone = zone[end:]
	}
	if zone != "z" && zone != "Z" {
		if len(zone) != 6 || zone[0] != '+' && zone[0] != '-' {
			return false
		}
		offset, ok := clock(zone[1:])
		if !ok {
			return false
		}
		if zone[0] == '+' {
			offset = -offset
		}
		minutes += offset
	}
	const day = 24 * 60
	return second < 60 || minutes == day-1 || minutes == -1
}

// clock returns the minutes of a time such as 01:30. Each part may have a sign.
func clock(s string) (minutes int, ok bool) {
	hour, err1 := strconv.Atoi(s[:2])
	minute, err2 := strconv.Atoi(s[3:])
	if err1 != nil || err2 != nil || s[2] != ':' || hour < 0 || hour > 23 || minute < 0 || minute > 59 {
		return 0, false
	}
	return hour*60 + minute, true
}

// isDuration checks appendix A of RFC 3339.
func isDuration(s string) bool {
	s, ok := strings.CutPrefix(s, "P")
	if !ok || s == "" {
		return false
	}
	if weeks, ok := strings.CutSuffix(s, "W"); ok {
		return weeks != "" && all(weeks, isDigit)
	}
	date, time, ok := strings.Cut(s, "T")
	return areCounts(date, "YMD") && (!ok || time != "" && areCounts(time, "HMS"))
}

// areCounts checks numbers that are each followed by a unit, in the order of the units.
func areCounts(s, units string) bool {
	for s != "" {
		n := skipDigits(s, 0)
		if n == 0 || n == len(s) {
			return false
		}
		i := strings.IndexByte(units, s[n])
		if i < 0 {
			return false
		}
		units = units[i+1:]
		s = s[n+1:]
	}
	return true
}

// isPeriod checks for two times, or a time and a duration, separated by a slash.
func isPeriod(s string) bool {
	start, end, ok := strings.Cut(s, "/")
	switch {
	case !ok:
		return false
	case strings.HasPrefix(start, "P"):
		return isDuration(start) && isDateTime(end)
	case strings.HasPrefix(end, "P"):
		return isDateTime(start) && isDuration(end)
	}
	return isDateTime(start) && isDateTime(end)
}
