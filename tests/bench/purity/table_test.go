package purity

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/tests/internal/golden"
)

// count has the counts of messages from a server to the client of a revision.
type count struct {
	sent      int
	invalid   int            // messages that the schema refuses
	foreign   int            // messages with anything that the schema does not define
	refused   map[string]int // the methods of invalid messages
	undefined map[string]int // the undefined members, variants and methods
}

// TestTable uses each server with a client of each revision, and validates the server's
// messages with the schema of that revision. All messages of this project's server must be
// valid. A golden file and a README have the results as a table.
func TestTable(t *testing.T) {
	subjects := []subject{onMcpgen, onGoSDK, onMCPGo}
	var table, details strings.Builder
	names := []string{"Revision"}
	for _, s := range subjects {
		names = append(names, title(t, s.module))
	}
	row(&table, names...)
	row(&table, "---", "--:", "--:", "--:")
	for _, j := range judges(t) {
		cells := []string{j.revision}
		for i, s := range subjects {
			t.Run(j.revision+"/"+filepath.Base(s.module), func(t *testing.T) {
				sent, failed := visit(t, j, s)
				c := judged(t, j, sent)
				if s.module == onMcpgen.module && (c.invalid > 0 || c.foreign > 0) {
					t.Errorf("%d messages are invalid, %d contain undefined parts: %v", c.invalid, c.foreign, c.undefined)
				}
				cells = append(cells, fmt.Sprintf("%d / %d / %d", c.invalid, c.foreign, c.sent))
				fmt.Fprintf(&details, "\n%s to %s:\n\n", names[i+1], j.revision)
				items(&details, "tools that end in an error", map[string]int{strings.Join(failed, ", "): len(failed)})
				items(&details, "not valid", c.refused)
				items(&details, "not defined", c.undefined)
			})
		}
		row(&table, cells...)
	}
	t.Log("\n" + table.String())
	golden.Check(t, filepath.Join("testdata", "table.md"), "Messages that a server sends to a client of a revision: not valid by its schema /\n"+
		"with methods, members or variants that it does not define / all.\n\n"+table.String()+details.String())
	readme, err := os.ReadFile(filepath.Join("..", "..", "..", "runtime", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), table.String()) {
		t.Errorf("runtime/README.md does not have this table:\n%s", table.String())
	}
}

func judged(t *testing.T, j *judge, messages []message) count {
	c := count{sent: len(messages), refused: map[string]int{}, undefined: map[string]int{}}
	for _, m := range messages {
		undefined, invalid := j.message(m.text, m.asked)
		if invalid != nil {
			c.invalid++
			c.refused[m.method+m.asked]++
		}
		if len(undefined) > 0 {
			c.foreign++
		}
		for _, what := range undefined {
			c.undefined[what]++
		}
		if invalid != nil || len(undefined) > 0 {
			t.Logf("%s%s: %q, %v\n%s", m.method, m.asked, undefined, invalid, m.text)
		}
	}
	return c
}

func items(details *strings.Builder, title string, counts map[string]int) {
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		if counts[what] > 0 {
			fmt.Fprintf(details, "- %s: %s: %d\n", title, what, counts[what])
		}
	}
}

func row(table *strings.Builder, cells ...string) {
	fmt.Fprintf(table, "| %s |\n", strings.Join(cells, " | "))
}

// title returns the heading of a module in the table: its name and its pinned version.
func title(t *testing.T, module string) string {
	t.Helper()
	if module == onMcpgen.module {
		return "mcpgen"
	}
	text, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == module {
			return strings.TrimPrefix(module, "github.com/") + " " + fields[1]
		}
	}
	t.Fatalf("go.mod does not have %s", module)
	return ""
}
