package runtime_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime"
)

func TestPage(t *testing.T) {
	letters := strings.Split("abcdefg", "")
	for _, c := range []struct {
		items []string
		size  int
		want  []string // the pages, joined
	}{
		{nil, 3, []string{""}},
		{letters, 3, []string{"abc", "def", "g"}},
		{letters[:6], 3, []string{"abc", "def"}},
		{letters, 7, []string{"abcdefg"}},
		{letters, 100, []string{"abcdefg"}},
		{letters, 0, []string{"abcdefg"}},
		{letters, -1, []string{"abcdefg"}},
		{letters[:3], 1, []string{"a", "b", "c"}},
	} {
		var got []string
		for next, last := (*string)(nil), false; !last; {
			page, following, err := runtime.Page(c.items, next, c.size)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, strings.Join(page, ""))
			next, last = following, following == nil
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%d by %d (-want +got):\n%s", len(c.items), c.size, diff)
		}
	}

	// The cursor of a page fits no list that has become shorter, nor do others.
	_, next, _ := runtime.Page(letters, nil, 3)
	if _, _, err := runtime.Page(letters[:3], next, 3); code(err) != -32602 {
		t.Errorf("shorter list: %v", err)
	}
	page, _, _ := runtime.Page(letters, nil, 3)
	_ = append(page, "x")
	if letters[3] != "d" {
		t.Error("a page can be appended to in place")
	}
}

func FuzzPage(f *testing.F) {
	items := make([]int, 1000)
	for _, s := range []string{"", "0", "3", "at-", "at-0", "at-3", "at-03", "at-+3", "at--3", "AT-3", "at-3 ", "at-1jz", "at-zzzzzzzzzzzzzz", "at-\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, cursor string) {
		page, next, err := runtime.Page(items, &cursor, 2)
		if err != nil {
			if code(err) != -32602 {
				t.Error(err)
			}
			return
		}
		if len(page) == 0 || len(page) == 1 && next != nil {
			t.Errorf("%q: %d items, %v", cursor, len(page), next)
		}
		if next != nil && *next == cursor {
			t.Errorf("%q leads to itself", cursor)
		}
	})
}

// chain is a list whose cursors are given.
func chain(cursors ...string) func(*string) ([]int, *string, error) {
	return func(cursor *string) ([]int, *string, error) {
		n := 0
		if cursor != nil {
			for i, c := range cursors {
				if c == *cursor {
					n = i + 1
					break
				}
			}
		}
		switch {
		case n > 0 && cursors[n-1] == "error":
			return nil, nil, errors.New("broken")
		case n < len(cursors):
			return []int{2 * n, 2*n + 1}, &cursors[n], nil
		}
		return []int{2 * n, 2*n + 1}, nil, nil
	}
}

func TestAll(t *testing.T) {
	for _, c := range []struct {
		name    string
		cursors []string
		stop    int // after so many items; 0: not
		want    string
	}{
		{"one page", nil, 0, "0 1"},
		{"pages", []string{"a", "b"}, 0, "0 1 2 3 4 5"},
		{"an empty cursor ends it", []string{"a", ""}, 0, "0 1 2 3"},
		{"an error", []string{"a", "error"}, 0, "0 1 2 3 broken"},
		{"stopped", []string{"a", "error"}, 3, "0 1 2"},
		{"stopped at the end of a page", []string{"a", "error"}, 4, "0 1 2 3"},
		{"a cursor that leads to itself", []string{"a", "a"}, 0, `0 1 2 3 runtime: the same cursor twice: "a"`},
		{"round", []string{"a", "b", "c", "a"}, 0, `0 1 2 3 4 5 6 7 runtime: the same cursor twice: "a"`},
	} {
		var got []string
		for item, err := range runtime.All(chain(c.cursors...)) {
			if err != nil {
				got = append(got, err.Error())
				continue
			}
			if got = append(got, fmt.Sprint(*item)); len(got) == c.stop {
				break
			}
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func ExampleAll() {
	// With a generated caller:
	//
	//	for tool, err := range runtime.All(func(cursor *string) ([]mcp.Tool, *string, error) {
	//		page, err := server.ListTools(ctx, &mcp.PaginatedRequestParams{Cursor: cursor})
	//		if err != nil {
	//			return nil, nil, err
	//		}
	//		return page.Tools, page.NextCursor, nil
	//	}) {
	list := []string{"one", "two", "three"}
	for item, err := range runtime.All(func(cursor *string) ([]string, *string, error) {
		return runtime.Page(list, cursor, 2) // a server's side
	}) {
		fmt.Println(*item, err)
	}
	// Output:
	// one <nil>
	// two <nil>
	// three <nil>
}
