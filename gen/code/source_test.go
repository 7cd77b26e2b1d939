package code

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/dave/jennifer/jen"
)

// TestRender checks that long sources are divided and that nothing is lost or reordered.
func TestRender(t *testing.T) {
	const items = 1000
	list, err := Render(
		Source{Name: "p/a.gen.go", Package: "p", From: "test", Items: items,
			Fill: func(f *jen.File, first, end int) {
				for i := first; i < end; i++ {
					f.Func().Id(fmt.Sprint("item", i)).Params().Block(jen.Return(), jen.Return(), jen.Return(), jen.Return(), jen.Return())
					f.Line()
				}
			}},
		Source{Name: "p/empty.go", Package: "p", From: "test", Fill: func(*jen.File, int, int) {}},
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
			t.Errorf("file %d is %s, want %s", i, f.Path, want)
		}
		if n := bytes.Count(f.Content, []byte("\n")); n > maxLines {
			t.Errorf("%s has %d lines", f.Path, n)
		}
		for _, line := range strings.Split(string(f.Content), "\n") {
			if number, ok := strings.CutPrefix(line, "func item"); ok {
				if number, _, _ := strings.Cut(number, "("); number != fmt.Sprint(next) {
					t.Fatalf("%s: %s, want item %d", f.Path, line, next)
				}
				next++
			}
		}
	}
	if next != items {
		t.Errorf("%d items, want %d", next, items)
	}
	if last := list[len(list)-1]; last.Path != "p/empty.go" {
		t.Errorf("the last file is %s", last.Path)
	}
}
