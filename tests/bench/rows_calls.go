package main

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/server"

	"github.com/mcpgen/mcpgen/tests/bench/peers"
	"github.com/mcpgen/mcpgen/tests/bench/peers/mcpgo"
)

// callRows are calls of a tool in one process.
func callRows() []*Row {
	row := &Row{
		Name: "inprocess/call", Title: "a typed call in process", Counts: "client and server",
		Subjects: subjects(
			func(context.Context, *Lab) (*Work, error) { return hops(answerText), nil },
			func(ctx context.Context, _ *Lab, l library) (*Work, error) {
				c, err := l.inProcess(ctx, 1)
				if err != nil {
					return nil, err
				}
				return calls(ctx, c), controlled(ctx, l, c)
			}),
		Targets: append([]Target{atMost(4000, perOp), atMost(25, allocs)}, overPeers(5, 40)...),
	}
	row.Subjects = append(row.Subjects, Subject{"mcp-go, checking", func(ctx context.Context, _ *Lab) (*Work, error) {
		c, err := mcpgoInProcess(ctx, mcpgo.NewServer(1, server.WithInputSchemaValidation(), server.WithOutputSchemaValidation()))
		if err != nil {
			return nil, err
		}
		return calls(ctx, c), refusals(ctx, c)
	}})
	return []*Row{row}
}

// controlled holds a client and its server to what they must do, before they are measured:
// a call is answered right, and one that is not valid is refused where arguments are
// checked.
func controlled(ctx context.Context, l library, c client) error {
	if err := c.weather(ctx, false); err != nil {
		return err
	}
	if err := c.tools(ctx, 1); err != nil {
		return err
	}
	if l.unchecked {
		return nil
	}
	return refusals(ctx, c)
}

// refusals are the negative controls.
func refusals(ctx context.Context, c client) error {
	for _, city := range []string{"", peers.Nowhere} {
		if err := c.refused(ctx, city); err != nil {
			return fmt.Errorf("negative control: the call for %q is not refused: %w", city, err)
		}
	}
	return nil
}

// stdioRows are calls of a server process.
func stdioRows() []*Row {
	targets := append([]Target{timesFloor(1.25)}, overPeers(2, 8)...)
	return []*Row{
		{
			Name: "stdio/call/own", Title: "a call over stdio, each with its own client", Counts: "time of both, memory of the client",
			Subjects: subjects(echoLines, func(ctx context.Context, lab *Lab, l library) (*Work, error) {
				program, err := lab.server(ctx, l.name)
				if err != nil {
					return nil, err
				}
				c, err := l.start(ctx, program)
				if err != nil {
					return nil, err
				}
				return calls(ctx, c), controlled(ctx, l, c)
			}),
			Targets: targets,
		},
		{
			Name: "stdio/call/raw", Title: "a call over stdio, all with one raw client", Counts: "time of the server",
			Subjects: subjects(echoLines, rawLines), Targets: targets,
		},
	}
}

// echoLines writes a line to a process and reads one.
func echoLines(ctx context.Context, lab *Lab) (*Work, error) {
	program, err := lab.server(ctx, floor)
	if err != nil {
		return nil, err
	}
	l, err := startLines(program)
	if err != nil {
		return nil, err
	}
	return l.work(func(answer []byte) error {
		if len(answer) != 240 {
			return fmt.Errorf("the echo has %d bytes", len(answer))
		}
		return nil
	}), nil
}

// rawLines calls a server with lines.
func rawLines(ctx context.Context, lab *Lab, library library) (*Work, error) {
	program, err := lab.server(ctx, library.name)
	if err != nil {
		return nil, err
	}
	l, err := startLines(program)
	if err != nil {
		return nil, err
	}
	if err := l.open(); err != nil {
		return nil, err
	}
	for _, arguments := range invalid {
		answer, err := l.call(arguments)
		if err != nil {
			return nil, err
		}
		if err := checkRefused(answer); err != nil && !library.unchecked {
			return nil, err
		}
	}
	return l.work(checkAnswer), nil
}

// work is the work of calling and checking the answer.
func (l *lines) work(check func([]byte) error) *Work {
	return &Work{
		Outside: true,
		Do: func(n int) error {
			for range n {
				answer, err := l.call(argsText)
				if err != nil {
					return err
				}
				if err := check(answer); err != nil {
					return err
				}
			}
			return nil
		},
		Close: l.close,
	}
}
