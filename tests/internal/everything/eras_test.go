package everything_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/internal/everything"
)

// pipes returns the ends of a connection over standard input and output.
func pipes() (near, far runtime.Transport) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	return &stdio.Transport{In: outR, Out: inW}, &stdio.Transport{In: inR, Out: outW}
}

func inMemory() (near, far runtime.Transport) { return inproc.Pair() }

// TestEras calls the tools that ask the client, in revisions with and without sessions. The tools are the
// same, so the results are the same (P2).
func TestEras(t *testing.T) {
	tools := map[string]string{
		"form":                              `{}`,
		"choices":                           `{}`,
		"sample":                            `{}`,
		"roots":                             `{}`,
		"test_elicitation":                  `{"message":"Who?"}`,
		"test_sampling":                     `{"prompt":"Say it."}`,
		"test_elicitation_sep1034_defaults": `{}`,
		"test_elicitation_sep1330_enums":    `{}`,
	}
	for transport, pair := range map[string]func() (near, far runtime.Transport){"in process": inMemory, "stdio": pipes} {
		results := map[string]map[string]string{}
		for _, revision := range generated.Revisions() {
			if revision.ID < "2025-11-25" {
				continue
			}
			t.Run(transport+" "+revision.ID, func(t *testing.T) {
				near, far := pair()
				c := connectOver(t, revision, near, far)
				results[revision.ID] = map[string]string{}
				for tool, arguments := range tools {
					text := c.ask("tools/call", wire.Raw(`{"name":"`+tool+`","arguments":`+arguments+`}`))
					content, _ := wire.Object(text).Get("content")
					if results[revision.ID][tool] = string(content); content == "" || strings.Contains(text, `"isError":true`) {
						t.Errorf("%s: %s", tool, text)
					}
				}
			})
		}
		for tool := range tools {
			if a, b := results["2025-11-25"][tool], results["2026-07-28"][tool]; a != b {
				t.Errorf("%s: in a session %s, without %s", tool, a, b)
			}
		}
	}
}

// connectOver is connect over a transport.
func connectOver(t *testing.T, revision generated.Revision, near, far runtime.Transport) *client {
	server, _, err := everything.New(everything.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, code: revision, methods: make(map[string]runtime.Method)}
	for _, m := range revision.Methods {
		c.methods[m.Name] = m
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(context.Background(), far) }()
	session, err := runtime.NewClient(runtime.ClientOptions{
		Name: "test", Version: "1", Capabilities: wire.Raw(`{"roots":{},"sampling":{},"elicitation":{}}`),
	}, runtime.Binding{Revision: revision.ID, Direction: runtime.ToClient, Methods: revision.Methods, Handle: c.handle}).Connect(t.Context(), near)
	if err != nil {
		t.Fatal(err)
	}
	c.Session = session
	t.Cleanup(func() {
		session.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return c
}
