package main

import (
	"context"
	"fmt"
)

// statelessRows are calls of a revision without sessions over Streamable HTTP, all with net/http. Those of
// mcpgen may take little longer than the same calls in a session.
func statelessRows() []*Row {
	var rows []*Row
	for _, stream := range []bool{false, true} {
		answer, title := "json", "answered with JSON"
		if stream {
			answer, title = "sse", "with progress, answered with an event stream"
		}
		for _, width := range []int{1, atOnce} {
			rows = append(rows, &Row{
				Name:   fmt.Sprintf("http/%s/stateless/%d", answer, width),
				Title:  fmt.Sprintf("a call of revision %s over Streamable HTTP, %s, %d at a time, all with net/http", revisionAlone, title, width),
				Counts: "client and server",
				Subjects: subjects(
					func(ctx context.Context, _ *Lab) (*Work, error) {
						url, over, end, err := listen(echo(stream))
						if err != nil {
							return nil, err
						}
						p := &poster{url: url, over: over, alone: true, stream: stream}
						return p.work(ctx, width, end), nil
					},
					func(ctx context.Context, _ *Lab, l library) (*Work, error) { return callAlone(ctx, l, stream, width) }),
				Targets: []Target{timesRow(1.1, fmt.Sprintf("http/%s/raw/%d", answer, width))},
			})
		}
	}
	return rows
}

// callAlone calls the server of a library without a session.
func callAlone(ctx context.Context, l library, stream bool, width int) (*Work, error) {
	handler := l.handler
	if l.stateless != nil {
		handler = l.stateless
	}
	h, err := handler(1, stream)
	if err != nil {
		return nil, err
	}
	url, over, end, err := listen(h)
	if err != nil {
		return nil, err
	}
	p := &poster{url: url, over: over, alone: true, stream: stream, loses: l.loses}
	if err := p.refused(ctx); err != nil && !l.unchecked {
		return nil, err
	}
	return p.work(ctx, width, end), nil
}
