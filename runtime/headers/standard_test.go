package headers_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime/headers"
)

var call = headers.Standard{Revision: "2026-07-28", Method: "tools/call", Name: "get_weather", Named: true}

// TestStandard checks the comparison of the standard headers with a message.
func TestStandard(t *testing.T) {
	list := headers.Standard{Revision: "2026-07-28", Method: "tools/list"}
	encoded := headers.Standard{Revision: "2026-07-28", Method: "tools/call", Name: "日本", Named: true}
	for _, c := range []struct {
		name  string
		of    headers.Standard
		lines string // that replace those of Set
		wrong string // the header that is reported; "" for none
	}{
		{"H22 H27 H28 the headers of a client", call, "", ""},
		{"H50 names in lower case", call, "mcp-protocol-version: 2026-07-28\nmcp-method: tools/call\nmcp-name: get_weather", ""},
		{"H50 names in upper case", call, "MCP-PROTOCOL-VERSION: 2026-07-28\nMCP-METHOD: tools/call\nMCP-NAME: get_weather", ""},
		{"H64 white space around values", call, "Mcp-Protocol-Version:  2026-07-28 \nMcp-Method: \ttools/call\nMcp-Name:   get_weather  ", ""},
		{"H54 no version", call, "Mcp-Method: tools/call\nMcp-Name: get_weather", headers.Revision},
		{"H54 no method", call, "Mcp-Protocol-Version: 2026-07-28\nMcp-Name: get_weather", headers.Method},
		{"H54 no name", call, "Mcp-Protocol-Version: 2026-07-28\nMcp-Method: tools/call", headers.Name},
		{"H54 empty name", call, "Mcp-Protocol-Version: 2026-07-28\nMcp-Method: tools/call\nMcp-Name:", headers.Name},
		{"H23 another version", call, "Mcp-Protocol-Version: 2025-11-25\nMcp-Method: tools/call\nMcp-Name: get_weather", headers.Revision},
		{"H51 another method", call, "Mcp-Protocol-Version: 2026-07-28\nMcp-Method: tools/list\nMcp-Name: get_weather", headers.Method},
		{"H50 a method in upper case", call, "Mcp-Protocol-Version: 2026-07-28\nMcp-Method: TOOLS/CALL\nMcp-Name: get_weather", headers.Method},
		{"H51 another name", call, "Mcp-Protocol-Version: 2026-07-28\nMcp-Method: tools/call\nMcp-Name: delete_all", headers.Name},
		{"H50 a name of another case", call, "Mcp-Protocol-Version: 2026-07-28\nMcp-Method: tools/call\nMcp-Name: Get_Weather", headers.Name},
		{"H42 an encoded name", encoded, "", ""},
		{"H42 a name encoded without need", call, "Mcp-Protocol-Version: 2026-07-28\nMcp-Method: tools/call\nMcp-Name: =?base64?Z2V0X3dlYXRoZXI=?=", ""},
		{"H42 a method is never encoded", list, "Mcp-Protocol-Version: 2026-07-28\nMcp-Method: =?base64?dG9vbHMvbGlzdA==?=", headers.Method},
		{"H46 a name with bad base64", call, "Mcp-Protocol-Version: 2026-07-28\nMcp-Method: tools/call\nMcp-Name: =?base64?Z2V0X3dlYXRoZXI?=", headers.Name},
		{"H46 a name that is not ASCII", encoded, "Mcp-Protocol-Version: 2026-07-28\nMcp-Method: tools/call\nMcp-Name: 日本", headers.Name},
		{"H51 two names, the first right", call, "Mcp-Protocol-Version: 2026-07-28\nMcp-Method: tools/call\nMcp-Name: get_weather\nMcp-Name: delete_all", headers.Name},
		{"H51 two equal methods", list, "Mcp-Protocol-Version: 2026-07-28\nMcp-Method: tools/list\nMcp-Method: tools/list", headers.Method},
		{"H28 a name where the method has none is ignored", list, "Mcp-Protocol-Version: 2026-07-28\nMcp-Method: tools/list\nMcp-Name: x", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := http.Header{}
			if c.lines == "" {
				c.of.Set(h)
			} else {
				h = parse(c.lines)
			}
			check(t, c.of.Check(h), c.wrong)
		})
	}
}

// TestMethodOf checks that MethodOf returns the one method with which a request passes the check.
func TestMethodOf(t *testing.T) {
	for lines, want := range map[string]string{
		"Mcp-Method: tools/call":                         "tools/call",
		"mcp-method:tools/call":                          "tools/call",
		"Mcp-Method: \t tools/call \t":                   "tools/call",
		"Mcp-Method: Tools/call":                         "Tools/call",
		"Mcp-Method: =?base64?dG9vbHMvY2FsbA==?=":        "=?base64?dG9vbHMvY2FsbA==?=",
		"Mcp-Method:":                                    "",
		"Mcp-Name: tools/call":                           "",
		"Mcp-Method: tools/call\nMcp-Method: tools/call": "",
	} {
		h := parse(lines)
		if got := headers.MethodOf(h); got != want {
			t.Errorf("%q: got %q, want %q", lines, got, want)
		}
		h.Set(headers.Revision, "2026-07-28")
		for _, method := range []string{"tools/call", "Tools/call"} {
			err := headers.Standard{Revision: "2026-07-28", Method: method}.Check(h)
			if (err == nil) != (method == want) {
				t.Errorf("%q: the check of %q returns %v", lines, method, err)
			}
		}
	}
}

// TestCheckAllocates checks that right headers cost nothing.
func TestCheckAllocates(t *testing.T) {
	h := http.Header{}
	call.Set(h)
	table, err := headers.NewTable(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Set(h, `{"region":"us-west1"}`); err != nil {
		t.Fatal(err)
	}
	n := testkit.Allocs(100, func() {
		if err := errors.Join(call.Check(h), table.Check(h, `{"region":"us-west1"}`)); err != nil {
			t.Error(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// parse returns header lines as net/http does, except that it keeps the white space after values.
func parse(lines string) http.Header {
	h := http.Header{}
	for line := range strings.Lines(lines) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":")
		h.Add(name, value)
	}
	return h
}

// check checks that err reports the header.
func check(t *testing.T, err error, header string) {
	t.Helper()
	e, ok := errors.AsType[*headers.MismatchError](err)
	if err != nil && !ok || ok != (header != "") || ok && e.Header != header {
		t.Errorf("%v, want a mismatch of %q", err, header)
	}
}
