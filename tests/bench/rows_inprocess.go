package main

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/server"

	"github.com/mcpgen/mcpgen/tests/bench/peers"
	"github.com/mcpgen/mcpgen/tests/bench/peers/mcpgo"
)

// inProcessRows are tool calls in one process.
func inProcessRows() []*Row {
	row := &Row{
		Name: "inprocess/call", Title: "a typed call in process", Counts: "client and server",
		Subjects: subjects(
			func(context.Context, *Lab) (*Work, error) { return hops(answerText), nil },
			callInProcess),
		Targets: append([]Target{atMost(4000, perOp), atMost(25, allocs)}, overPeers(5, 40)...),
	}
	row.Subjects = append(row.Subjects, Subject{"mcp-go, checking", func(ctx context.Context, _ *Lab) (*Work, error) {
		c, err := mcpgoInProcess(mcpgo.NewServer(1, server.WithInputSchemaValidation(), server.WithOutputSchemaValidation()), revision)(ctx)
		if err != nil {
			return nil, err
		}
		return calls(ctx, c), refusals(ctx, c)
	}})
	return []*Row{row}
}

// callInProcess calls a server in memory.
func callInProcess(ctx context.Context, _ *Lab, l library) (*Work, error) {
	c, err := l.connect(ctx, 1)
	if err != nil {
		return nil, err
	}
	return calls(ctx, c), controlled(ctx, l, c)
}

// connect connects a client to a new server in memory.
func (l library) connect(ctx context.Context, tools int) (client, error) {
	dial, err := l.inProcess(tools)
	if err != nil {
		return nil, err
	}
	return dial(ctx)
}

// controlled checks a client and its server before they are measured: a valid call is answered
// correctly, and an invalid one is refused if the library checks arguments.
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

// refusals checks the negative controls.
func refusals(ctx context.Context, c client) error {
	for _, city := range []string{"", peers.Nowhere} {
		if err := c.refused(ctx, city); err != nil {
			return fmt.Errorf("negative control: the call for %q is not refused: %w", city, err)
		}
	}
	return nil
}
