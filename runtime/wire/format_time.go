package wire

import (
	"strconv"
	"strings"
)

// number2 returns the number that two bytes are, signs being let through.
func number2(s string) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0
}

// isDateTime checks RFC 3339, section 5.6.
func isDateTime(s string) bool {
	return len(s) >= 20 && s[10]|0x20 == 't' && isDate(s[:10]) && isTime(s[11:])
}

func isDate(s string) bool {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return false
	}
	for i := range len(s) {
		if i != 4 && i != 7 && !isDigit(s[i]) {
			return false
		}
	}
	year, _ := strconv.Atoi(s[:4])
	month, _ := number2(s[5:7])
	day, _ := number2(s[8:])
	return 1 <= month && month <= 12 && 1 <= day && day <= daysIn(month, year)
}

func daysIn(month, year int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// isTime checks a time with its offset; the second 60 is for 23:59 UTC only.
func isTime(s string) bool {
	if len(s) < 9 || s[2] != ':' || s[5] != ':' {
		return false
	}
	hour, ok1 := number2(s[:2])
	minute, ok2 := number2(s[3:5])
	second, ok3 := number2(s[6:8])
	if !ok1 || !ok2 || !ok3 || hour > 23 || minute > 59 || second > 60 {
		return false
	}
	s = s[8:]
	if s[0] == '.' {
		end := skipDigits(s, 1)
		if end == 1 {
			return false
		}
		s = s[end:]
	}
	offset, ok := timeOffset(s)
	if !ok {
		return false
	}
	if second < 60 {
		return true
	}
	utc := hour*60 + minute - offset
	if utc < 0 {
		utc += 24 * 60
	}
	return utc == 23*60+59
}

// timeOffset returns the minutes of an offset as +01:00.
func timeOffset(s string) (minutes int, ok bool) {
	if s == "z" || s == "Z" {
		return 0, true
	}
	if len(s) != 6 || s[0] != '+' && s[0] != '-' || s[3] != ':' {
		return 0, false
	}
	hour, ok1 := number2(s[1:3])
	minute, ok2 := number2(s[4:])
	if !ok1 || !ok2 || hour > 23 || minute > 59 {
		return 0, false
	}
	minutes = hour*60 + minute
	if s[0] == '-' {
		minutes = -minutes
	}
	return minutes, true
}

// isDuration checks appendix A of RFC 3339.
func isDuration(s string) bool {
	s, ok := strings.CutPrefix(s, "P")
	if !ok || s == "" {
		return false
	}
	if weeks, ok := strings.CutSuffix(s, "W"); ok {
		return weeks != "" && skipDigits(weeks, 0) == len(weeks)
	}
	date, time, ok := strings.Cut(s, "T")
	return areCounts(date, "YMD") && (!ok || time != "" && areCounts(time, "HMS"))
}

// areCounts checks numbers, each with a unit after it, in the order of the units.
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

// isPeriod checks two times, or one and a duration, around a slash.
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
