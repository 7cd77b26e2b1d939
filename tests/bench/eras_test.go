package main

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testkit"
)

// TestLibrariesTogether has the client of each library call the server of each other one, over HTTP and
// stdio, in a session and in the revision without sessions.
func TestLibrariesTogether(t *testing.T) {
	lab, err := newLab(100)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.close)
	for _, revision := range []string{revision, stateless} {
		for _, of := range librariesAt(revision) {
			for _, with := range librariesAt(revision) {
				if of.name != mcpgen && with.name != mcpgen {
					continue
				}
				t.Run(revision+" "+of.name+" calls "+with.name, func(t *testing.T) {
					t.Run("http", func(t *testing.T) {
						h, err := with.handler(1, true)
						if err != nil {
							t.Fatal(err)
						}
						url, over, end, err := listen(h)
						if err != nil {
							t.Fatal(err)
						}
						defer end()
						talk(t, func(ctx context.Context) (client, error) { return of.dialHTTP(ctx, url, over) })
					})
					t.Run("stdio", func(t *testing.T) {
						program, err := lab.server(t.Context(), with.name)
						if err != nil {
							t.Fatal(err)
						}
						talk(t, func(ctx context.Context) (client, error) { return of.start(ctx, program) })
					})
				})
			}
		}
	}
}

// talk connects a client, lists the tools and calls one, with and without progress.
func talk(t *testing.T, connect func(ctx context.Context) (client, error)) {
	t.Helper()
	ctx := testkit.Context(t)
	c, err := connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if err := c.tools(ctx, 1); err != nil {
		t.Error(err)
	}
	for _, progress := range []bool{false, true} {
		if err := c.weather(ctx, progress); err != nil {
			t.Error(err)
		}
	}
}
