package catalog_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// turn asks for a page of tools and returns their names and the next cursor.
func turn(c *client, cursor string) (names []string, next string) {
	c.t.Helper()
	params := wire.Raw(`{}`)
	if cursor != "" {
		params = wire.Raw(fmt.Sprintf(`{"cursor":%q}`, cursor))
	}
	text := c.ask("tools/list", params)
	for part := range strings.SplitSeq(text, `{"name":"`) {
		if name, _, ok := strings.Cut(part, `","`); ok {
			names = append(names, name)
		}
	}
	if _, rest, ok := strings.Cut(text, `"nextCursor":"`); ok {
		next = strings.TrimSuffix(rest, `"}`)
	}
	return names, next
}

// F39
func TestPages(t *testing.T) {
	for _, row := range []struct {
		items int
		want  []string
	}{
		{0, []string{""}},
		{1, []string{"0"}},
		{3, []string{"0 1 2"}},
		{4, []string{"0 1 2", "3"}},
		{7, []string{"0 1 2", "3 4 5", "6"}},
	} {
		c := catalog.New(catalog.Options{PageSize: 3})
		for i := range row.items {
			must(t, c.Add(echo(fmt.Sprint(i))))
		}
		s := connect(t, serve(t, c, everything))
		var got []string
		for cursor := ""; ; {
			names, next := turn(s, cursor)
			got = append(got, strings.Join(names, " "))
			if cursor = next; cursor == "" {
				break
			}
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%d items (-want +got):\n%s", row.items, diff)
		}
		s.close()
	}
}

// TestPagesOfChangingList changes the list between two pages.
func TestPagesOfChangingList(t *testing.T) {
	for name, row := range map[string]struct {
		change func(c *catalog.Catalog) error
		want   string // the second page
	}{
		"nothing":           {func(c *catalog.Catalog) error { return nil }, "c d"},
		"last removed":      {func(c *catalog.Catalog) error { c.RemoveTools("b"); return nil }, "c d"},
		"first removed":     {func(c *catalog.Catalog) error { c.RemoveTools("a"); return nil }, "c d"},
		"next removed":      {func(c *catalog.Catalog) error { c.RemoveTools("c"); return nil }, "d e"},
		"all later removed": {func(c *catalog.Catalog) error { c.RemoveTools("c", "d", "e"); return nil }, ""},
		"all removed":       {func(c *catalog.Catalog) error { c.RemoveTools("a", "b", "c", "d", "e"); return nil }, ""},
		"one added":         {func(c *catalog.Catalog) error { return c.Add(echo("f")) }, "c d"},
		"first replaced":    {func(c *catalog.Catalog) error { return c.Add(echo("a")) }, "c d"},
		"moved to the end": {func(c *catalog.Catalog) error {
			c.RemoveTools("b", "c", "d")
			return c.Add(echo("b"))
		}, "e b"},
	} {
		t.Run(name, func(t *testing.T) {
			c := catalog.New(catalog.Options{PageSize: 2})
			must(t, c.Add(echo("a"), echo("b"), echo("c"), echo("d"), echo("e")))
			s := connect(t, serve(t, c, everything))
			defer s.close()
			_, cursor := turn(s, "")
			must(t, row.change(c))
			if names, _ := turn(s, cursor); strings.Join(names, " ") != row.want {
				t.Errorf("got %s, want %s", names, row.want)
			}
		})
	}
}

// TestCursors tells that only what the list has made is a cursor.
func TestCursors(t *testing.T) {
	c := filled(t, catalog.Options{PageSize: 1})
	s := connect(t, serve(t, c, everything))
	defer s.close()
	_, good := turn(s, "")
	if good != "dAE" { // 't', 1
		t.Errorf("cursor %q", good)
	}
	_, prompts, _ := strings.Cut(s.ask("prompts/list", ``), `"nextCursor":"`)
	bad := []string{
		"", "x", "dAE=", "dAF", " dAE", "dAE\n", "dAA", "dAY", "dIEA", "dA", "____", strings.Repeat("A", 100_000),
		strings.TrimSuffix(prompts, `"}`),
	}
	for _, cursor := range bad {
		params, err := wire.ObjectOf(wire.Members{{Name: "cursor", Value: wire.Raw(wire.ScalarOf(cursor).String())}})
		must(t, err)
		if got := s.ask("tools/list", wire.Raw(params)); !strings.HasPrefix(got, "-32602 ") {
			t.Errorf("%.50q: got %s", cursor, got)
		}
	}
}

// large is a catalog with many tools.
func large(t testing.TB, n int) *catalog.Catalog {
	c := catalog.New(catalog.Options{PageSize: n})
	var all []catalog.Item
	for i := range n {
		tool := echo(fmt.Sprint("tool", i))
		tool.Definition, _ = tool.Definition.(wire.Object).With("description", wire.Raw(`"`+strings.Repeat("words ", 50)+`"`))
		all = append(all, tool)
	}
	must(t, c.Add(all...))
	return c
}

// TestConcurrentChanges uses a catalog while it changes; the race detector looks on.
func TestConcurrentChanges(t *testing.T) {
	c := filled(t, catalog.Options{PageSize: 2})
	server := serve(t, c, everything)
	stop := make(chan struct{})
	changed := make(chan struct{})
	go func() {
		defer close(changed)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			name := fmt.Sprint("extra", i%7)
			c.Add(echo(name))
			c.RemoveTools(fmt.Sprint("extra", (i+3)%7))
			c.ResourceUpdated("test://a")
			c.Add(catalog.Resource{Definition: wire.Object(`{"uri":"test://b","name":"b"}`), Read: contents})
			c.RemoveResources("test://b")
		}
	}()
	done := make(chan struct{})
	for range 4 {
		go func() {
			defer func() { done <- struct{}{} }()
			for range 5 {
				s := connect(t, server)
				s.ask("resources/subscribe", `{"uri":"test://a"}`)
				var all []string
				for cursor, i := "", 0; i < 20; i++ {
					names, next := turn(s, cursor)
					all = append(all, names...)
					if cursor = next; cursor == "" {
						break
					}
				}
				// What is there all the time is seen once.
				for _, name := range []string{"echo", "fail", "panic", "protocol", "nothing"} {
					if slices.Index(all, name) < 0 || slices.Index(all[slices.Index(all, name)+1:], name) >= 0 {
						t.Errorf("%s not once in %s", name, all)
					}
				}
				if got := s.ask("tools/call", `{"name":"echo"}`); !strings.HasPrefix(got, `{"content":[]`) {
					t.Errorf("call: %s", got)
				}
				s.ask("resources/unsubscribe", `{"uri":"test://a"}`)
				s.close()
			}
		}()
	}
	for range 4 {
		<-done
	}
	close(stop)
	<-changed
}

// TestCursorOfReplacedItems checks that cursors do not depend on how often items were replaced, and not on items of
// other kinds, so that they are valid at all replicas.
func TestCursorOfReplacedItems(t *testing.T) {
	var cursors []string
	for _, additions := range [][][]catalog.Item{
		{{echo("a"), echo("b"), echo("c")}},
		{{aPrompt, echo("a"), echo("b")}, {echo("b"), echo("a")}, {echo("a"), aResource, echo("c")}},
	} {
		c := catalog.New(catalog.Options{PageSize: 2})
		for _, items := range additions {
			must(t, c.Add(items...))
		}
		must(t, c.Add(echo("d")))
		result, err := c.Over(runtime.Binding{Methods: methods}).Handle(t.Context(), &runtime.Message{Kind: jsonrpc.Request, Method: "tools/list", Params: wire.Raw(`{}`)})
		must(t, err)
		text, err := wire.Marshal(result)
		must(t, err)
		cursor := wire.Object(text).GetString("nextCursor")
		result, err = c.Over(runtime.Binding{Methods: methods}).Handle(t.Context(), &runtime.Message{Kind: jsonrpc.Request, Method: "tools/list", Params: wire.Raw(`{"cursor":"` + cursor + `"}`)})
		must(t, err)
		page, err := wire.Marshal(result)
		must(t, err)
		cursors = append(cursors, cursor+string(page))
	}
	if cursors[0] != cursors[1] {
		t.Errorf("got %q, want the same", cursors)
	}
}

// BenchmarkList lists tools. Nothing is rendered: however long the list, a call takes two small allocations,
// for the params and for the result.
func BenchmarkList(b *testing.B) {
	for _, n := range []int{1, 100, 1000} {
		handle := large(b, n).Over(runtime.Binding{Methods: methods}).Handle
		buf := make([]byte, 0, 1<<20)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				result, err := handle(b.Context(), &runtime.Message{Kind: jsonrpc.Request, Method: "tools/list", Params: wire.Raw(`{}`)})
				if err == nil {
					_, err = result.AppendJSON(buf)
				}
				must(b, err)
			}
		})
	}
}

// BenchmarkCall calls a tool whose handler does nothing.
func BenchmarkCall(b *testing.B) {
	handle := large(b, 1000).Over(runtime.Binding{Methods: methods}).Handle
	b.ReportAllocs()
	for b.Loop() {
		_, err := handle(b.Context(), &runtime.Message{Kind: jsonrpc.Request, Method: "tools/call", Params: wire.Raw(`{"name":"tool7","arguments":{"a":1}}`)})
		must(b, err)
	}
}
