package diff_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/gen/diff"
)

// manyTools returns two lists of tools, all of which have changed.
func manyTools(n int) (old, new string) {
	list := func(schema string) string {
		var tools []string
		for i := range n {
			tools = append(tools, fmt.Sprintf(`{"name":"t%03d","inputSchema":`+schema+`}`, i))
		}
		return "[" + strings.Join(tools, ",") + "]"
	}
	return list(`{"type":"object","required":["a"],"properties":{"a":{"type":"integer","minimum":0,"maximum":1900},"b":{"enum":["x","y"]},"c":{"type":"string","pattern":"^[a-z]{2,9}$"}}}`),
		list(`{"type":"object","required":["a","b"],"properties":{"a":{"type":"integer","minimum":1,"maximum":1900},"b":{"enum":["x"]},"c":{"type":"string","maxLength":5}}}`)
}

// TestToolsInOrder checks that a report does not depend on the number of processors.
func TestToolsInOrder(t *testing.T) {
	before, after := manyTools(50)
	var reports [2]string
	for i, processors := range []int{1, 4} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		report, err := diff.Tools(toolSide(t, "old", before), toolSide(t, "new", after))
		if err != nil || len(report.Findings) < 250 || report.Summary.Undecided > 0 {
			t.Fatal(err, report.Summary)
		}
		text, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		reports[i] = string(text)
	}
	if reports[0] != reports[1] {
		t.Error("the reports differ")
	}
}

// TestToolsPanics checks that a panic in one of the goroutines that compare tools reaches the caller.
func TestToolsPanics(t *testing.T) {
	before, after := manyTools(3)
	new := toolSide(t, "new", after)
	new.Progress = func() { panic("out of paper") }
	defer func() {
		if v := recover(); v == nil || !strings.Contains(fmt.Sprint(v), "out of paper") {
			t.Errorf("recovered %v", v)
		}
	}()
	diff.Tools(toolSide(t, "old", before), new)
}
