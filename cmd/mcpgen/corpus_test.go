package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCorpus runs verify on the example messages of the official documents, which are not part
// of the project. MCPGEN_SHARED names their folder.
func TestCorpus(t *testing.T) {
	root := os.Getenv("MCPGEN_SHARED")
	if root == "" {
		root = "../../../shared"
	}
	indexes, err := filepath.Glob(filepath.Join(root, "corpus", "*", "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(indexes) == 0 {
		t.Skipf("no example messages in %s (MCPGEN_SHARED names the folder)", root)
	}
	for _, name := range indexes {
		dir := filepath.Dir(name)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var index struct {
				Revision string
				Files    map[string]struct {
					Definition       string
					ResultDefinition string `json:"result_definition"`
					Valid            bool
				}
			}
			if err := json.Unmarshal(src, &index); err != nil {
				t.Fatal(err)
			}
			if len(index.Files) == 0 {
				t.Fatal("the index is empty")
			}
			for file, want := range index.Files {
				path := filepath.Join(dir, file)
				checkVerdict(t, want.Valid, "", index.Revision, want.Definition, path)
				// One notification in the examples has the method of a request.
				if isMessage(want.Definition) && !strings.Contains(file, "-notification-resources-list") {
					checkVerdict(t, want.Valid, "", index.Revision, "", path)
				}
				if want.ResultDefinition == "" {
					continue
				}
				var message struct{ Result json.RawMessage }
				content, err := os.ReadFile(path)
				if err == nil {
					err = json.Unmarshal(content, &message)
				}
				if err != nil {
					t.Fatalf("%s: %v", file, err)
				}
				checkVerdict(t, want.Valid, string(message.Result), index.Revision, want.ResultDefinition, "-")
			}
		})
	}
}

// isMessage reports whether a definition is a whole message rather than a part of one.
func isMessage(definition string) bool {
	return strings.HasPrefix(definition, "JSONRPC") || strings.HasSuffix(definition, "Request") || strings.HasSuffix(definition, "Notification")
}

func checkVerdict(t *testing.T, valid bool, stdin, revision, definition, file string) {
	t.Helper()
	args := []string{"verify", "--roundtrip", "--revision", revision}
	if definition != "" {
		args = append(args, "--definition", definition)
	}
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), append(args, file), strings.NewReader(stdin), &stdout, &stderr)
	if code == exitFailed || (code == exitDone) != valid {
		t.Errorf("%s as %q: exit code %d, want valid %t\n%s%s", file, definition, code, valid, stdout.String(), stderr.String())
	}
}
