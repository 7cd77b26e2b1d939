package tools_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/mcpgen/mcpgen/gen/tools"
)

// upstream returns the tool lists of real servers.
func upstream(t testing.TB) map[string]*tools.List {
	shared := os.Getenv("MCPGEN_SHARED")
	if shared == "" {
		shared = "../../../shared"
	}
	names, _ := filepath.Glob(filepath.Join(shared, "toollists", "*.json"))
	if len(names) == 0 {
		t.Skip("no tool lists of real servers: set MCPGEN_SHARED")
	}
	lists := map[string]*tools.List{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list, err := tools.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		lists[filepath.Base(name)] = list
	}
	return lists
}

func TestSamplesOfUpstreamLists(t *testing.T) {
	schemas, sampled, samples, mutations, size, msize := 0, 0, 0, 0, 0, 0
	for name, list := range upstream(t) {
		for _, tool := range list.Tools {
			for _, s := range []*tools.Schema{tool.Input, tool.Output} {
				if s == nil {
					continue
				}
				schemas++
				all := tools.Samples(s)
				if len(all) == 0 {
					t.Errorf("%s: %s: no sample of %s", name, tool.Name, s.Pointer)
					continue
				}
				sampled++
				samples += len(all)
				for _, v := range all {
					size += len(v)
				}
				for _, m := range tools.Mutations(s, all[min(1, len(all)-1)]) {
					mutations++
					msize += len(m.Value)
				}
			}
		}
	}
	t.Logf("%d schemas, %d with samples, %d samples of %d bytes, %d mutations of %d bytes", schemas, sampled, samples, size, mutations, msize)
}
