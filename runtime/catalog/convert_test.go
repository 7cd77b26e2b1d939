package catalog_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/convert"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// converter converts by adding the revision to objects, refuses what has "new" in it for
// the older of two revisions, and notes what it is asked for.
type converter struct {
	mu    sync.Mutex
	asked []string
}

func (c *converter) append(_ context.Context, dst []byte, revision, definition string, v wire.Appender) ([]byte, error) {
	text, err := wire.Marshal(v)
	if err != nil {
		return dst, err
	}
	name, _ := wire.Object(text).Get("name")
	c.mu.Lock()
	c.asked = append(c.asked, strings.TrimSpace(revision+" "+definition+" "+string(name)))
	c.mu.Unlock()
	if strings.Contains(string(text), "new") {
		return dst, errors.New("too new")
	}
	o, err := wire.Object(text).With("in", wire.Raw(`"`+revision+`"`))
	return append(dst, o...), err
}

// heard is what was asked for since the last time.
func (c *converter) heard() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer func() { c.asked = nil }()
	return c.asked
}

// TestConvert has lists be converted once for each revision and change, and results each
// time; what is refused is not listed.
func TestConvert(t *testing.T) {
	var made converter
	c := catalog.New(catalog.Options{PageSize: 2, Convert: &convert.Converter{Native: "2025-11-25", Append: made.append}})
	must(t, c.Add(echo("a"), echo("newer"), echo("b"), echo("c")))
	server := runtime.NewServer(runtime.ServerOptions{Name: "s", Version: "1", Capabilities: wire.Raw(everything)},
		c.Over(runtime.Binding{Revision: "2025-06-18", Direction: runtime.ToServer, Methods: methods}),
		c.Over(runtime.Binding{Revision: "2025-11-25", Direction: runtime.ToServer, Methods: methods}))
	older, newer := connectIn(t, server, "2025-06-18"), connectIn(t, server, "2025-11-25")
	defer older.close()
	defer newer.close()

	const schema = `","inputSchema":{"type":"object"}`
	first := `{"tools":[{"name":"a` + schema + `,"in":"2025-06-18"},{"name":"b` + schema + `,"in":"2025-06-18"}],"nextCursor":"`
	for range 2 {
		if got := older.ask("tools/list", "{}"); !strings.HasPrefix(got, first) {
			t.Errorf("got %s", got)
		}
	}
	_, cursor := turn(older, "")
	if names, next := turn(older, cursor); !slices.Equal(names, []string{"c"}) || next != "" {
		t.Errorf("the second page has %v and is followed by %q", names, next)
	}
	want := []string{`2025-06-18 Tool "a"`, `2025-06-18 Tool "newer"`, `2025-06-18 Tool "b"`, `2025-06-18 Tool "c"`}
	if diff := cmp.Diff(want, made.heard()); diff != "" {
		t.Errorf("converted (-want +got):\n%s", diff)
	}
	if names, _ := turn(newer, ""); !slices.Equal(names, []string{"a", "newer"}) {
		t.Errorf("the newer revision lists %v", names)
	}
	made.heard()

	if got, want := older.ask("tools/call", `{"name":"a"}`), `{"content":[],"structuredContent":{},"in":"2025-06-18"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := older.ask("tools/call", `{"name":"a","arguments":{"new":1}}`), "-32603 internal error"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if diff := cmp.Diff([]string{"2025-06-18 CallToolResult", "2025-06-18 CallToolResult"}, made.heard()); diff != "" {
		t.Errorf("converted (-want +got):\n%s", diff)
	}

	c.RemoveTools("b", "c")
	if names, _ := turn(older, ""); !slices.Equal(names, []string{"a"}) {
		t.Errorf("after a change there are %v", names)
	}
	if got := made.heard(); len(got) != 2 {
		t.Errorf("after a change converted %v", got)
	}
}
