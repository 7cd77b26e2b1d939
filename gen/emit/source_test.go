package emit

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"
)

// TestRender checks that long sources are divided and that nothing is lost or reordered,
// with and without estimates.
func TestRender(t *testing.T) {
	const items = 1000
	for _, test := range []struct {
		name  string
		lines func(int) int
	}{
		{"no estimate", nil},
		{"right estimate", func(int) int { return 8 }},
		{"estimate too low", func(int) int { return 1 }},
		{"estimate too high", func(int) int { return 100 }},
	} {
		list, err := Render(
			Source{Name: "p/a.gen.go", New: func() *jen.File { return newFile("p", "test") }, Items: items, Lines: test.lines,
				Fill: func(f *jen.File, first, end int) {
					for i := first; i < end; i++ {
						f.Func().Id(fmt.Sprint("item", i)).Params().Block(jen.Return(), jen.Return(), jen.Return(), jen.Return(), jen.Return())
						f.Line()
					}
				}},
			Source{Name: "p/empty.go", New: func() *jen.File { return newFile("p", "test") }, Fill: func(*jen.File, int, int) {}},
		)
		if err != nil {
			t.Fatal(err)
		}
		next := 0
		for i, f := range list[:len(list)-1] {
			want := "p/a.gen.go"
			if i > 0 {
				want = fmt.Sprintf("p/a_%d.gen.go", i+1)
			}
			if f.Path != want {
				t.Errorf("%s: file %d is %s, want %s", test.name, i, f.Path, want)
			}
			if n := bytes.Count(f.Content, []byte("\n")); n > maxLines {
				t.Errorf("%s: %s has %d lines", test.name, f.Path, n)
			}
			for _, line := range strings.Split(string(f.Content), "\n") {
				if number, ok := strings.CutPrefix(line, "func item"); ok {
					if number, _, _ := strings.Cut(number, "("); number != fmt.Sprint(next) {
						t.Fatalf("%s: %s: %s, want item %d", test.name, f.Path, line, next)
					}
					next++
				}
			}
		}
		if next != items {
			t.Errorf("%s: %d items, want %d", test.name, next, items)
		}
		if last := list[len(list)-1]; last.Path != "p/empty.go" {
			t.Errorf("%s: the last file is %s", test.name, last.Path)
		}
	}
}
