package compat

import (
	"fmt"
	"testing"

	"github.com/mcpgen/mcpgen/gen/tools"
)

func TestDbg(t *testing.T) {
	l, _ := tools.Read([]byte(`[{"name":"t","inputSchema":{"type":"object","properties":{"a":{"not":{"const":"x"}},"b":{"type":"string"}}}}]`))
	in := l.Tools[0].Input
	c := newComparer("")
	b := newSchemaBuilder(in, c.prove)
	s := b.shape(in.Property("a"))
	for _, a := range s.alts() {
		fmt.Printf("%s also=%d %v\n", a.Kind, len(a.Also), c.make.samples(a))
	}
	fmt.Println(c.make.all(b.shape(in.Property("a").Not)))
}
