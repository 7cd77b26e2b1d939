package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mcpgen/mcpgen/tests/bench/peers"
	"github.com/mcpgen/mcpgen/tests/bench/peers/gosdk"
	"github.com/mcpgen/mcpgen/tests/bench/peers/mcpgo"
)

// manyTools is the number of registered tools.
const manyTools = 1000

// registerRows create a server with many tools.
func registerRows() []*Row {
	times := func(make func(tools int)) func(context.Context, *Lab) (*Work, error) {
		return func(_ context.Context, lab *Lab) (*Work, error) {
			return &Work{Do: func(n int) error {
				for range n {
					make(lab.partOf(manyTools))
				}
				return nil
			}}, nil
		}
	}
	onMCPGo := func(results bool) func(context.Context, *Lab) (*Work, error) {
		return times(func(tools int) {
			s := mcpgo.NewServer(0)
			for i := range tools {
				mcpgo.Register(s, peers.Name(i), results)
			}
		})
	}
	return []*Row{{
		Name: "register/1000", Title: "making a server of 1,000 typed tools", Counts: "server, that of mcpgen in a process of its own",
		Subjects: []Subject{
			{mcpgen, registerGenerated},
			{mcpGo, onMCPGo(true)},
			{goSDK, times(func(tools int) {
				s := gosdk.NewServer(0)
				for i := range tools {
					gosdk.Register(s, peers.Name(i))
				}
			})},
			{"mcp-go, no results", onMCPGo(false)},
		},
		Targets: []Target{atMost(1e6, perOp)},
	}}
}

//go:embed testdata/register.go.txt
var registerMain []byte

// registerGenerated builds a program that was generated with all the tools and measures itself,
// so that each tool has its own code.
func registerGenerated(ctx context.Context, lab *Lab) (*Work, error) {
	want := lab.partOf(manyTools)
	list, err := lab.list(want)
	if err != nil {
		return nil, err
	}
	p, err := lab.project(ctx, "register", list)
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
	if _, err := fmt.Sscan(string(line), &tools); err != nil || tools != want {
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
