package wire_test

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// timeText returns the text of a time.
func timeText(t time.Time) ([]byte, error) {
	w := wire.NewWriter(nil)
	w.PutTime(t)
	return w.End()
}

// TestParseTime reads texts, and writes what it has read.
func TestParseTime(t *testing.T) {
	for _, test := range []struct{ text, again, err string }{
		{text: "2026-01-31T12:00:00Z"},
		{text: "2026-01-31T12:00:00.5Z"},
		{text: "2026-01-31T12:00:00.123456789+05:30"},
		{text: "2026-01-31T12:00:00.000000001-23:59"},
		{text: "0000-01-01T00:00:00Z"},
		{text: "9999-12-31T23:59:59.999999999-12:00"},
		{text: "2026-01-31t12:00:00z", again: "2026-01-31T12:00:00Z"},
		{text: "2026-01-31T12:00:00+00:00", again: "2026-01-31T12:00:00Z"},
		{text: "2026-01-31T12:00:00-00:00", again: "2026-01-31T12:00:00Z"},
		{text: "2026-01-31T12:00:00.120Z", again: "2026-01-31T12:00:00.12Z"},
		{text: "2026-01-31T12:00:00.000Z", again: "2026-01-31T12:00:00Z"},
		{text: "2026-01-31T12:00:00.123456789000000Z", again: "2026-01-31T12:00:00.123456789Z"},
		{text: "2026-01-31T12:00:00.1234567891Z", err: `"2026-01-31T12:00:00.1234567891Z" has more digits than a time.Time, which has nanoseconds`},
		{text: "2026-12-31T23:59:60Z", err: `"2026-12-31T23:59:60Z" is a leap second, which a time.Time cannot be`},
		{text: "1990-12-31T15:59:60.5-08:00", err: `"1990-12-31T15:59:60.5-08:00" is a leap second, which a time.Time cannot be`},
		{text: "2026-02-30T12:00:00Z", err: `"2026-02-30T12:00:00Z" is not a date and time of RFC 3339`},
		{text: "2026-01-31 12:00:00Z", err: `"2026-01-31 12:00:00Z" is not a date and time of RFC 3339`},
		{text: "2026-01-31T12:00:00", err: `"2026-01-31T12:00:00" is not a date and time of RFC 3339`},
		{text: "2026-01-31", err: `"2026-01-31" is not a date and time of RFC 3339`},
		{text: "", err: `"" is not a date and time of RFC 3339`},
	} {
		got, err := wire.ParseTime(test.text)
		if err != nil || test.err != "" {
			if err == nil || err.Error() != test.err {
				t.Errorf("%q: %v, want %s", test.text, err, test.err)
			}
			continue
		}
		if test.again == "" {
			test.again = test.text
		}
		again, err := timeText(got)
		if err != nil || string(again) != `"`+test.again+`"` {
			t.Errorf("%q: written as %s, %v", test.text, again, err)
		}
		upper := strings.ToUpper(test.text) // package time refuses small letters
		if want, err := time.Parse(time.RFC3339Nano, upper); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, package time reads %v, %v", test.text, got, want, err)
		}
		if got.Location() == time.Local && time.Local != time.UTC {
			t.Errorf("%q: the location is that of the machine", test.text)
		}
	}
}

// TestTimes writes random times in random zones, and reads them.
func TestTimes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		seconds := random.Int64N(253402300799+62167219200-2*86400) - 62167219200 + 86400 // from the year 0 to 9999
		want := time.Unix(seconds, random.Int64N(1e9)).In(time.FixedZone("", random.IntN(2*86399)-86399))
		if random.IntN(2) == 0 {
			want = want.Truncate(time.Duration(1e9 / random.IntN(1e6)))
		}
		text, err := timeText(want)
		if err != nil {
			t.Fatal(want, err)
		}
		r := wire.NewStringReader(string(text))
		if got := r.ReadTime(); r.Err() != nil || !got.Equal(want) {
			t.Errorf("%v: %s was read as %v, %v", want, text, got, r.Err())
		}
		if _, offset := want.Zone(); offset%60 == 0 {
			if std, err := json.Marshal(want); err != nil || string(std) != string(text) {
				t.Errorf("%v: %s, encoding/json writes %s, %v", want, text, std, err)
			}
		}
	}
	for _, year := range []int{-1, 10000} {
		if _, err := timeText(time.Date(year, 2, 3, 0, 0, 0, 0, time.UTC)); err == nil {
			t.Errorf("the year %d is no error", year)
		}
	}
}

// TestTimeMembers writes and reads times as members of objects.
func TestTimeMembers(t *testing.T) {
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	w := wire.NewWriter(nil)
	w.BeginObject()
	w.Time("a", at)
	w.TimePointer("b", &at)
	w.TimePointer("c", nil)
	w.EndObject()
	text, err := w.End()
	if want := `{"a":"2026-01-31T12:00:00Z","b":"2026-01-31T12:00:00Z"}`; err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
	w = wire.NewWriter(nil)
	w.BeginObject()
	w.Time("a", time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC))
	w.EndObject()
	if _, err := w.End(); err == nil || err.Error() != `wire: at /a: the year 10000 is not one of RFC 3339, from 0 to 9999` {
		t.Error(err)
	}
	for text, want := range map[string]string{
		`{"a":"2026-01-31"}`: `wire: at /a, byte 5: "2026-01-31" is not a date and time of RFC 3339`,
		`{"a":1}`:            `wire: at /a, byte 5: expected a string, found a number`,
	} {
		r := wire.NewStringReader(text)
		for r.BeginObject(); r.Member(); {
			if at := r.ReadTime(); !at.IsZero() {
				t.Errorf("%s: %v", text, at)
			}
		}
		if r.Err() == nil || r.Err().Error() != want {
			t.Errorf("%s: %v, want %s", text, r.Err(), want)
		}
	}
}
