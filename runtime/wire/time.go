package wire

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ParseTime reads a date and time of RFC 3339, section 5.6, in which T and Z may be small letters. The
// location of the result is UTC if the offset is 0, and otherwise one without a name; it never is
// [time.Local]. A time.Time has nanoseconds and no leap seconds, so a fraction with more than nine digits,
// not counting zeros at its end, and the second 60 are errors.
func ParseTime(text string) (time.Time, error) {
	if !isDateTime(text) {
		return time.Time{}, fmt.Errorf("%s is not a date and time of RFC 3339", shown(strconv.Quote(text)))
	}
	number := func(s string) int {
		n, _ := strconv.Atoi(s) // isDateTime has checked it
		return n
	}
	clock, zone := text[11:19], text[19:]
	if clock[6:] == "60" {
		return time.Time{}, fmt.Errorf("%s is a leap second, which a time.Time cannot be", shown(strconv.Quote(text)))
	}
	nanoseconds := 0
	if zone[0] == '.' {
		end := skipDigits(zone, 1)
		digits := strings.TrimRight(zone[1:end], "0")
		if len(digits) > 9 {
			return time.Time{}, fmt.Errorf("%s has more digits than a time.Time, which has nanoseconds", shown(strconv.Quote(text)))
		}
		nanoseconds = number(digits + "000000000"[len(digits):])
		zone = zone[end:]
	}
	location := time.UTC
	if len(zone) > 1 {
		offset := (number(zone[1:3])*60 + number(zone[4:])) * 60
		if zone[0] == '-' {
			offset = -offset
		}
		if offset != 0 {
			location = time.FixedZone("", offset)
		}
	}
	// isDate says why time.Parse is not called.
	return time.Date(number(text[:4]), time.Month(number(text[5:7])), number(text[8:10]),
		number(clock[:2]), number(clock[3:5]), number(clock[6:]), nanoseconds, location), nil
}

// AppendTime appends a time as a string of RFC 3339, with as many digits of a second as it has. The
// offset is that of its location; a time whose offset is not a number of minutes is written in UTC. A
// year beyond 0 to 9999 is an error.
func AppendTime(dst []byte, t time.Time) ([]byte, error) {
	if _, offset := t.Zone(); offset%60 != 0 || offset <= -24*60*60 || offset >= 24*60*60 {
		t = t.UTC()
	}
	if year := t.Year(); year < 0 || year > 9999 {
		return dst, fmt.Errorf("the year %d is not one of RFC 3339, from 0 to 9999", year)
	}
	return append(t.AppendFormat(append(dst, '"'), time.RFC3339Nano), '"'), nil
}

// ReadTime reads a string as [ParseTime] does.
func (r *Reader) ReadTime() time.Time {
	start := skipSpace(r.src, r.pos)
	text := r.ReadString()
	if r.err != nil {
		return time.Time{}
	}
	t, err := ParseTime(text)
	if err != nil {
		r.fail(start, err.Error())
	}
	return t
}

// PutTime writes a time as [AppendTime] does.
func (w *Writer) PutTime(t time.Time) {
	dst, err := AppendTime(w.dst, t)
	if err != nil {
		w.Fail(err)
		return
	}
	w.dst = dst
}

// Time writes a member that is a time.
func (w *Writer) Time(name string, t time.Time) {
	w.dst = appendPlainName(w.dst, name)
	w.PutTime(t)
}

// TimePointer writes a member that is a time, if t is not nil.
func (w *Writer) TimePointer(name string, t *time.Time) {
	if t != nil {
		w.Time(name, *t)
	}
}
