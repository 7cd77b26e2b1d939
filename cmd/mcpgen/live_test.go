package main

import (
	"bytes"
	"compress/gzip"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/streamable"
)

// TestFetchOverSSE reads the tools of a server that supports only HTTP+SSE.
func TestFetchOverSSE(t *testing.T) {
	list, err := newListServer([]byte(`[{"name":"sum","inputSchema":{"type":"object"}}]`))
	if err != nil {
		t.Fatal(err)
	}
	//lint:ignore SA1019 It is for peers that have nothing newer.
	handler := streamable.NewSSEHandler(list.server(nil), streamable.Options{})
	server := httptest.NewServer(handler)
	defer server.Close()
	defer handler.Close()
	got, err := (&origin{url: server.URL}).fetch(t.Context(), t.Output())
	if want := `[{"name":"sum","inputSchema":{"type":"object"}}]`; string(got) != want || err != nil {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// TestVerifyBrokenInput checks that verify reports the findings in the readable part of a
// recording, including entries that wait for initialize.
func TestVerifyBrokenInput(t *testing.T) {
	var compressed bytes.Buffer
	w := gzip.NewWriter(&compressed)
	w.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":7}` + "\n"))
	w.Flush()
	var stdout, stderr strings.Builder
	code := run(t.Context(), []string{"verify", "-"}, &compressed, &stdout, &stderr)
	if code != 2 || !strings.Contains(stderr.String(), "unexpected EOF") {
		t.Errorf("exit code %d, %s", code, stderr.String())
	}
	if !strings.Contains(stdout.String(), "params") {
		t.Errorf("no finding about params is reported:\n%s", stdout.String())
	}
}
