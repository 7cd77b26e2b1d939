package wire_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// shelf is as generated code makes the type of a result.
type shelf struct {
	Books []book
	Note  *string
}

type book struct {
	Title string
	Pages *int64
	Tags  []string
}

func (x *shelf) AppendJSON(dst []byte) ([]byte, error) { return dst, wire.ErrMissing }

func (x *shelf) DecodeJSON(r *wire.Reader) error {
	*x = shelf{}
	var seen [1]uint64
	for r.BeginObject(); r.Member(); {
		switch r.Name() {
		case "books":
			seen[0] |= 1 << 0
			x.Books = wire.ReadList(r, (*book).DecodeJSON)
		case "note":
			if r.Present() {
				x.Note = r.ReadStringPointer()
			}
		default:
			r.Skip()
		}
	}
	if seen[0]&1 != 1 {
		r.Missing(seen[:], "books")
	}
	return r.Err()
}

func (x *book) DecodeJSON(r *wire.Reader) error {
	*x = book{}
	var seen [1]uint64
	for r.BeginObject(); r.Member(); {
		switch r.Name() {
		case "title":
			seen[0] |= 1 << 0
			x.Title = r.ReadString()
		case "pages":
			if r.Present() {
				x.Pages = r.ReadInt64Pointer()
			}
		case "tags":
			if r.Present() {
				x.Tags = r.ReadStrings()
			}
		default:
			r.Skip()
		}
	}
	if seen[0]&1 != 1 {
		r.Missing(seen[:], "title")
	}
	return r.Err()
}

func (x *shelf) String() string {
	var titles []string
	for _, b := range x.Books {
		titles = append(titles, fmt.Sprintf("%s%t%d", b.Title, b.Pages != nil, len(b.Tags)))
	}
	return strings.Join(titles, " ")
}

const everything = wire.AbsentNulls | wire.LeaveOut

func TestUnmarshalLenient(t *testing.T) {
	for _, c := range []struct {
		text     string
		lenience wire.Lenience
		want     string // or the error
		accepted string
	}{
		{`{"books":[{"title":"a","pages":1,"tags":["x"]}]}`, everything, "atrue1", ""},
		{`{"books":[{"title":"a","pages":null,"tags":null}],"note":null}`, everything, "afalse0",
			"/books/0/pages: null is read as an absent member; /books/0/tags: null is read as an absent member; /note: null is read as an absent member"},
		{`{"books":[{"title":"a","pages":null}]}`, 0, "wire: at /books/0/pages, byte 31: expected an integer, found null", ""},
		{`{"books":[{"title":"a","pages":null}]}`, wire.LeaveOut, "", "/books/0/pages: the element is left out: expected an integer, found null"},
		{`{"books":null}`, everything, "", "/books: null is read as an empty list"},
		{`{"books":null}`, wire.LeaveOut, "wire: at /books, byte 9: expected an array, found null", ""},
		{`{"books":[1, {"title":"a"} ,{"tags":[],"pages":2},null,{"title":"b","tags":["x",{"y":[1]}]}, {"title":"c"} , []]}`, everything, "afalse0 cfalse0",
			`/books/0: the element is left out: expected an object, found a number; /books/2: the element is left out: missing member "title"; ` +
				"/books/3: the element is left out: expected an object, found null; /books/4/tags/1: the element is left out: expected a string, found an object; " +
				"/books/6: the element is left out: expected an object, found an array"},
		{`{"books":[{"title":null,"pages":null}]}`, everything, "", "/books/0/title: the element is left out: expected a string, found null"},
		{`{"books":[{"pages":null,"title":null}]}`, everything, "", "/books/0/title: the element is left out: expected a string, found null"},
		{`{"books":[1]}`, wire.AbsentNulls, "wire: at /books/0, byte 10: expected an object, found a number", ""},
		{`{"books":[1]}`, wire.LeaveOut, "", "/books/0: the element is left out: expected an object, found a number"},
		{`{"books":{}}`, everything, "wire: at /books, byte 9: expected an array, found an object", ""},
		{`{}`, everything, `wire: at byte 0: missing member "books"`, ""},
		{`null`, everything, "wire: at byte 0: expected an object, found null", ""},
	} {
		var x shelf
		accepted, more, err := wire.UnmarshalLenient(wire.Raw(c.text), &x, c.lenience)
		got := x.String()
		if err != nil {
			got = err.Error()
		}
		var told []string
		for _, d := range accepted {
			told = append(told, d.String())
		}
		if got != c.want || strings.Join(told, "; ") != c.accepted || more != 0 {
			t.Errorf("%s, %d: got %q, %q\nwant %q, %q", c.text, c.lenience, got, told, c.want, c.accepted)
		}
	}
}

// TestManyDeviations checks that a text with many deviations is read in linear time and memory,
// and that they are counted.
func TestManyDeviations(t *testing.T) {
	const n = 100_000
	text := `{"books":[` + strings.Repeat(`{"title":"a","pages":null},7,`, n) + `{"title":"b"}]}`
	var x shelf
	accepted, more, err := wire.UnmarshalLenient(wire.Raw(text), &x, everything)
	if err != nil || len(x.Books) != n+1 || len(accepted)+more != 2*n || len(accepted) != 1000 {
		t.Fatalf("%v, %d books, %d deviations and %d more", err, len(x.Books), len(accepted), more)
	}
	if last := accepted[999]; last.Pointer != "/books/999" || !last.LeftOut {
		t.Errorf("the last is %v", last)
	}
}

// TestTriedNulls checks that nothing is told of what was read in vain.
func TestTriedNulls(t *testing.T) {
	var x tried
	accepted, _, err := wire.UnmarshalLenient(`{"books":[{"title":"a","pages":null}],"note":7}`, &x, everything)
	if err != nil || len(accepted) > 0 || x.raw == "" {
		t.Errorf("%v, %v, %s", err, accepted, x.raw)
	}
}

// tried is a shelf, or else anything.
type tried struct {
	shelf
	raw wire.Raw
}

func (x *tried) DecodeJSON(r *wire.Reader) error {
	if !r.Try(&x.shelf) {
		x.raw = r.ReadRaw()
	}
	return r.Err()
}
