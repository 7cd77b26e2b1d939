package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/generated/mcp20250618"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// listServer is a server that answers tools/list from a file, correctly or not, with one
// definition a page. It answers other lists with a single page.
type listServer struct {
	all []wire.Raw
	// file is the whole object, or "" if the file has an array of tools.
	file wire.Object
	// needs is the capability of the client without which the list is empty; "" for none.
	needs string
}

func newListServer(text []byte) (*listServer, error) {
	s := &listServer{}
	r := wire.NewStringReader(string(text))
	if r.Kind() == wire.KindObject {
		s.file = wire.Object(text)
		tools, _ := r.PeekRaw("tools")
		r = wire.NewStringReader(string(tools))
	}
	for r.BeginArray(); r.Element(); {
		s.all = append(s.all, r.ReadRaw())
	}
	return s, r.Err()
}

// binding answers tools/list and calls note, if not nil, with each received method.
func (s *listServer) binding(note func(method string)) runtime.Binding {
	b := mcp20250618.BindServer(mcp20250618.UnimplementedServer{})
	below := b.Handle
	b.Handle = func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
		method, params := message.Method, wire.Raw(message.Object())
		if note != nil {
			note(method)
		}
		if list, ok := s.file.Get(otherLists[method]); ok {
			return wire.Raw(`{"` + otherLists[method] + `":` + string(list) + `}`), nil
		}
		if method != "tools/list" {
			return below(ctx, message)
		}
		if s.needs != "" && !runtime.Declares(runtime.CallOf(ctx).PeerCapabilities(), s.needs) {
			return wire.Raw(`{"tools":[]}`), nil
		}
		var cursor *string
		if raw, ok := wire.Object(params).Get("cursor"); ok {
			r := wire.NewStringReader(string(raw))
			cursor = r.ReadStringPointer()
		}
		page, next, err := runtime.Page(s.all, cursor, 1)
		if err != nil || len(page) == 0 {
			return wire.Raw(`{"tools":[]}`), err
		}
		result := `{"tools":[` + string(page[0]) + `]`
		if next != nil {
			result += `,"nextCursor":"` + *next + `"`
		}
		return wire.Raw(result + `}`), nil
	}
	return b
}

// otherLists maps the methods of the other lists to the members of their results.
var otherLists = map[string]string{"prompts/list": "prompts", "resources/list": "resources", "resources/templates/list": "resourceTemplates"}

func (s *listServer) server(note func(string)) *runtime.Server {
	capabilities := wire.Raw(`{"tools":{}}`)
	if declared, ok := s.file.Get("capabilities"); ok {
		capabilities = declared
	}
	return runtime.NewServer(runtime.ServerOptions{Name: "lists", Version: "1", Capabilities: capabilities}, s.binding(note))
}

// listServerMain is a program for scripts that serves the list in a file.
func listServerMain() {
	messages := flag.String("log", "", "`file` for the names of the received methods")
	die := flag.Bool("die", false, "exit at once")
	banner := flag.String("banner", "", "line to print before the messages")
	deaf := flag.Bool("deaf", false, "print the banner, read one line and exit")
	needs := flag.String("needs", "", "`capability` of the client without which the list is empty")
	flag.Parse()
	fail := func(err error) {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	if *die {
		fail(fmt.Errorf("gone"))
	}
	if *banner != "" {
		fmt.Println(*banner)
	}
	if *deaf {
		fmt.Scanln()
		return
	}
	text, err := os.ReadFile(flag.Arg(0))
	if err != nil {
		fail(err)
	}
	s, err := newListServer(text)
	if err != nil {
		fail(err)
	}
	s.needs = *needs
	var mu sync.Mutex
	var log []string // A notification and the next request may be handled in any order.
	err = s.server(func(method string) {
		mu.Lock()
		defer mu.Unlock()
		log = append(log, method+"\n")
	}).Serve(context.Background(), &stdio.Transport{})
	if *messages != "" {
		slices.Sort(log)
		err = os.WriteFile(*messages, []byte(strings.Join(log, "")), 0o666)
	}
	if err != nil {
		fail(err)
	}
}

// serveList serves over HTTP. It refuses requests without the key.
func serveList(t *testing.T) string {
	t.Helper()
	s, err := newListServer([]byte(`[{"name":"sum","inputSchema":{"type":"object","properties":{"z":{"type":"number","maximum":12345678901234567890123},"a":{"type":"number","default":1.50}}}},
		{"name":"now","title":"The time","inputSchema":{"type":"object"},"x-vendor":[1,1e2]}]`))
	if err != nil {
		t.Fatal(err)
	}
	handler := streamable.NewHandler(s.server(nil), streamable.Options{})
	t.Cleanup(handler.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/private" {
			http.Error(w, "who are you", http.StatusUnauthorized)
			return
		}
		if r.Header.Get("X-Key") != "secret" || r.Header.Get("X-Other") != "a=b" {
			http.Error(w, "missing key", http.StatusForbidden)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}
