package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mark3labs/mcp-go/server"

	"github.com/mcpgen/mcpgen/tests/bench/peers"
	"github.com/mcpgen/mcpgen/tests/bench/peers/gosdk"
	"github.com/mcpgen/mcpgen/tests/bench/peers/mcpgo"
)

// manyTools is how many tools are registered.
const manyTools = 1000

// registerRows are the making of a server of many tools.
func registerRows() []*Row {
	times := func(make func()) *Work {
		return &Work{Do: func(n int) error {
			for range n {
				make()
			}
			return nil
		}}
	}
	return []*Row{{
		Name: "register/1000", Title: "making a server of 1,000 typed tools", Counts: "server",
		Subjects: []Subject{
			{mcpgen, registerGenerated},
			{mcpGo, func(context.Context, *Lab) (*Work, error) {
				return times(func() {
					s := server.NewMCPServer("weather", "1", server.WithToolCapabilities(true))
					for i := range manyTools {
						mcpgo.Register(s, peers.Name(i))
					}
				}), nil
			}},
			{goSDK, func(context.Context, *Lab) (*Work, error) {
				return times(func() {
					s := gosdk.New()
					for i := range manyTools {
						gosdk.Register(s, peers.Name(i))
					}
				}), nil
			}},
		},
		Targets: []Target{atMost(1e6, perOp)},
	}}
}

//go:embed testdata/register.go.txt
var registerMain []byte

// registerGenerated has a program measure itself that is generated with all the tools, so
// that each has code of its own.
func registerGenerated(ctx context.Context, lab *Lab) (*Work, error) {
	p, err := lab.project(ctx, "register", lab.list(manyTools))
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(p.dir, "main.go"), registerMain, 0o666); err != nil {
		return nil, err
	}
	program, err := p.build(ctx)
	if err != nil {
		return nil, err
	}
	l, err := startLines(program)
	if err != nil {
		return nil, err
	}
	var tools int
	line, err := l.out.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	if _, err := fmt.Sscan(string(line), &tools); err != nil || tools != manyTools {
		return nil, fmt.Errorf("%d tools: %w", tools, err)
	}
	return &Work{
		Measure: func() (Sample, error) {
			const n = 20
			answer, err := l.ask(fmt.Sprint(n))
			if err != nil {
				return nil, err
			}
			var took, size, count float64
			_, err = fmt.Fscan(bytes.NewReader(answer), &took, &size, &count)
			return Sample{perOp: took / n, allocBytes: size / n, allocs: count / n}, err
		},
		Close: l.close,
	}, nil
}
