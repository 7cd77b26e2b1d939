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
	var indexes []string
	for _, pattern := range []string{"corpus/*/index.json", "upstream/*/examples/index.json"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		indexes = append(indexes, found...)
	}
	if len(indexes) == 0 {
		t.Skipf("no example messages in %s (MCPGEN_SHARED names the folder)", root)
	}
	for _, name := range indexes {
		dir := filepath.Dir(name)
		t.Run(strings.TrimPrefix(dir, root+"/"), func(t *testing.T) {
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
				content, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				checkVerdict(t, want.Valid, "", index.Revision, want.Definition, path)
				// One notification in the examples has the method of a request.
				if isMessage(want.Definition, content) && !strings.Contains(file, "-notification-resources-list") {
					checkVerdict(t, want.Valid, "", index.Revision, "", path)
				}
				if want.ResultDefinition == "" {
					continue
				}
				var message struct{ Result json.RawMessage }
				if err := json.Unmarshal(content, &message); err != nil {
					t.Fatalf("%s: %v", file, err)
				}
				checkVerdict(t, want.Valid, string(message.Result), index.Revision, want.ResultDefinition, "-")
			}
		})
	}
}

// isMessage reports whether an example is a whole message rather than a part of one, such as an
// input request.
func isMessage(definition string, text []byte) bool {
	return bytes.Contains(text, []byte(`"jsonrpc"`)) && (strings.HasPrefix(definition, "JSONRPC") || strings.HasSuffix(definition, "Request") || strings.HasSuffix(definition, "Notification"))
}

func checkVerdict(t *testing.T, valid bool, stdin, revision, definition, file string) {
	t.Helper()
	checkVerdictOf(t, valid, stdin, []string{"--roundtrip", "--revision", revision}, definition, file)
	if len(file)%8 == 0 { // a sample, because each run reads the whole schema
		checkVerdictOf(t, valid, stdin, []string{"--schema", "../../spec/" + revision + "/schema.json"}, definition, file)
	}
}

func checkVerdictOf(t *testing.T, valid bool, stdin string, flags []string, definition, file string) {
	t.Helper()
	args := append([]string{"verify"}, flags...)
	if definition != "" {
		args = append(args, "--definition", definition)
	}
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), append(args, file), strings.NewReader(stdin), &stdout, &stderr)
	if code == exitFailed || (code == exitDone) != valid {
		t.Errorf("%s as %q with %q: exit code %d, want valid %t\n%s%s", file, definition, flags, code, valid, stdout.String(), stderr.String())
	}
}
