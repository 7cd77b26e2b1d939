package main

import (
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// serveAPI serves the API of testdata/openapi.txtar and returns its URL. The path /log lists the
// requests, sorted: the method, the target, the headers that matter, and the body with " | " in place of
// line breaks.
func serveAPI(t *testing.T) string {
	t.Helper()
	var mu sync.Mutex
	var log []string
	answers := map[string]struct {
		status          int
		mediaType, body string
	}{
		"/v1/pets/7":          {200, "application/json; charset=utf-8", `{"id":7,"name":"Rex","tags":["a"],"parent":{"id":1,"name":null}}`},
		"/v1/pets/8":          {404, "application/problem+json", `{"detail":"no such pet"}`},
		"/v1/pets/9":          {200, "text/html", "<p>Down for maintenance</p>"},
		"/v1/pets":            {201, "application/json", `[{"id":1,"name":"a"}]`},
		"/v1/text":            {200, "text/plain", "plain answer"},
		"/v1/picture":         {200, "image/png", "\x89PNG"},
		"/v1/nothing":         {204, "", ""},
		"/v1/files/a%2Fb%20c": {200, "application/octet-stream", "\xff\xfe"},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.URL.Path == "/log" {
			fmt.Fprintln(w, strings.Join(slices.Sorted(slices.Values(log)), "\n"))
			log = nil
			return
		}
		log = append(log, requestLine(r))
		answer, ok := answers[r.URL.EscapedPath()]
		if !ok {
			answer.status, answer.mediaType, answer.body = 200, "application/json", `{"ok":true}`
		}
		if answer.mediaType != "" {
			w.Header().Set("Content-Type", answer.mediaType)
		}
		w.WriteHeader(answer.status)
		io.WriteString(w, answer.body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// requestLine describes a request on one line.
func requestLine(r *http.Request) string {
	body, _ := io.ReadAll(r.Body)
	text := string(body)
	if _, params, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err == nil && params["boundary"] != "" {
		text = strings.ReplaceAll(text, params["boundary"], "BOUNDARY")
		r.Header.Set("Content-Type", "multipart/form-data; boundary=BOUNDARY")
	}
	line := r.Method + " " + r.RequestURI
	for _, name := range slices.Sorted(maps.Keys(r.Header)) {
		switch name {
		case "Accept-Encoding", "User-Agent", "Content-Length":
		default:
			line += fmt.Sprintf(" [%s: %s]", name, strings.Join(r.Header[name], ", "))
		}
	}
	if text != "" {
		line += " " + strings.NewReplacer("\r\n", " | ", "\n", " | ").Replace(text)
	}
	return line
}
