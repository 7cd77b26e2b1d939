package main

import (
	"context"
	"fmt"
)

// sessionTimes is what a call without a session may cost, as a multiple of one in a session.
const sessionTimes = 1.1

// statelessRows are calls in the revision without sessions, whose requests carry their own terms.
func statelessRows() []*Row {
	rows := []*Row{
		{
			Name: "stateless/inprocess", Title: "a typed call in process, without a session", Counts: "client and server",
			Subjects: subjectsAt(stateless,
				func(context.Context, *Lab) (*Work, error) { return hops(answerText), nil },
				func(ctx context.Context, _ *Lab, l library) (*Work, error) {
					c, err := l.connect(ctx, 1)
					if err != nil {
						return nil, err
					}
					return calls(ctx, c), controlled(ctx, l, c)
				}),
			Targets: append([]Target{timesRow(sessionTimes, "inprocess/call")}, overPeers(5, 40)...),
		},
		{
			Name: "stateless/stdio", Title: "a call over stdio without a session, each with its own client", Counts: "time of both, memory of the client",
			Subjects: subjectsAt(stateless, echoLines, func(ctx context.Context, lab *Lab, l library) (*Work, error) {
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
			Targets: append([]Target{timesRow(sessionTimes, "stdio/call/own")}, overPeers(2, 8)...),
		},
	}
	for _, width := range []int{1, atOnce} {
		rows = append(rows, &Row{
			Name:   fmt.Sprintf("stateless/http/json/own/%d", width),
			Title:  fmt.Sprintf("a call over Streamable HTTP without a session, answered with JSON, %d at a time, each with its own client", width),
			Counts: "client and server",
			Subjects: subjectsAt(stateless,
				func(ctx context.Context, _ *Lab) (*Work, error) { return echoHTTP(ctx, false, width) },
				func(ctx context.Context, _ *Lab, l library) (*Work, error) {
					h, err := l.handler(1, false)
					if err != nil {
						return nil, err
					}
					return ownHTTP(ctx, l, h, false, width)
				}),
			Targets: append([]Target{timesRow(sessionTimes, fmt.Sprintf("http/json/own/%d", width))}, overPeers(2, 8)...),
		})
	}
	for _, stream := range []bool{false, true} {
		answer, title := "json", "answered with JSON"
		if stream {
			answer, title = "sse", "with progress, answered with an event stream"
		}
		for _, width := range []int{1, atOnce} {
			rows = append(rows, &Row{
				Name:   fmt.Sprintf("stateless/http/%s/raw/%d", answer, width),
				Title:  fmt.Sprintf("a call of revision %s over Streamable HTTP, %s, %d at a time, all with net/http", stateless, title, width),
				Counts: "client and server",
				Subjects: subjectsAt(stateless,
					func(ctx context.Context, _ *Lab) (*Work, error) {
						url, over, end, err := listen(echo(stream))
						if err != nil {
							return nil, err
						}
						p := &poster{url: url, over: over, alone: true, stream: stream}
						return p.work(ctx, width, end), nil
					},
					func(ctx context.Context, _ *Lab, l library) (*Work, error) { return callAlone(ctx, l, stream, width) }),
				Targets: []Target{timesRow(sessionTimes, fmt.Sprintf("http/%s/raw/%d", answer, width))},
			})
		}
	}
	return rows
}

// callAlone calls the server of a library without a session.
func callAlone(ctx context.Context, l library, stream bool, width int) (*Work, error) {
	h, err := l.handler(1, stream)
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
