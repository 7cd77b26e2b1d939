package bundle_test

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/bundle"
)

func valid() bundle.Server {
	return bundle.Server{Name: "io.github.ada/weather", Description: "Tells the weather.", Version: "1.0.0", Author: "Ada"}
}

// TestCheck checks what a registry or a host refuses.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(s *bundle.Server)
		want   string // a part of the error, or ""
	}{
		{"valid", func(s *bundle.Server) {}, ""},
		{"no namespace", func(s *bundle.Server) { s.Name = "weather" }, `the name "weather" must be a domain`},
		{"two slashes", func(s *bundle.Server) { s.Name = "a/b/c" }, "must be a domain"},
		{"a long description", func(s *bundle.Server) { s.Description = strings.Repeat("é", 101) }, "the description has 101 characters"},
		{"100 characters", func(s *bundle.Server) { s.Description = strings.Repeat("é", 100) }, ""},
		{"no description", func(s *bundle.Server) { s.Description = "" }, "the description has 0 characters"},
		{"latest", func(s *bundle.Server) { s.Version = "latest" }, `the version "latest" must be one version`},
		{"a range", func(s *bundle.Server) { s.Version = "^1.0" }, "must be one version"},
		{"a wildcard", func(s *bundle.Server) { s.Version = "1.x" }, "must be one version"},
		{"a suffix", func(s *bundle.Server) { s.Version = "1.0.0-rc.1+linux" }, ""},
		{"no author", func(s *bundle.Server) { s.Author = "" }, "the author is missing"},
		{"a path", func(s *bundle.Server) { s.Repository = "/src" }, `"/src" is not a URL`},
		{"a variable", func(s *bundle.Server) { s.Variables = []bundle.Variable{{Name: "A-B"}} }, `"A-B" must consist of`},
		{"a variable twice", func(s *bundle.Server) { s.Variables = []bundle.Variable{{Name: "KEY"}, {Name: "Key"}} }, "Key is named twice"},
	} {
		s := valid()
		c.change(&s)
		if err := s.Check(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestParseTargets(t *testing.T) {
	all, err := bundle.ParseTargets("linux/amd64, windows/arm64")
	if err != nil || len(all) != 2 || all[1] != (bundle.Target{OS: "windows", Arch: "arm64"}) {
		t.Errorf("%v, %v", all, err)
	}
	for list, want := range map[string]string{
		"":                        "expected an operating system",
		"linux":                   "expected an operating system",
		"plan9/amd64":             "bundles are for linux, darwin and windows",
		"linux/amd64,linux/arm64": "has a program for linux already (linux/amd64)",
	} {
		if _, err := bundle.ParseTargets(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", list, err)
		}
	}
}

// TestPack checks that equal contents make equal bundles.
func TestPack(t *testing.T) {
	var bundles [2]bytes.Buffer
	for i := range bundles {
		err := bundle.Pack(&bundles[i], []bundle.Content{{File: "server/a", Program: true, WriteTo: func(w io.Writer) error {
			_, err := io.WriteString(w, "program")
			return err
		}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(bundles[0].Bytes(), bundles[1].Bytes()) {
		t.Error("the bundles differ")
	}
}
