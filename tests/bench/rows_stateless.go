package main

import (
	"context"
	"fmt"
	"slices"
)

// sessionTimes is what a call without a session may cost, as a multiple of one in a session.
const sessionTimes = 1.1

// inSession is mcpgen at the revision of the other rows, with sessions in memory. It does its work in turn with
// the calls without a session, or in a sealed one, because the speed of a machine changes from row to row.
const inSession = "mcpgen, in a session"

// besideSession adds the subject inSession to a row, and the target.
func besideSession(row *Row, start func(context.Context, *Lab, library) (*Work, error)) *Row {
	session := Subject{inSession, func(ctx context.Context, lab *Lab) (*Work, error) { return start(ctx, lab, onMcpgen(revision)) }}
	row.Subjects = slices.Insert(row.Subjects, 2, session) // beside mcpgen
	row.Targets = append([]Target{timesOf(sessionTimes, inSession)}, row.Targets...)
	return row
}

// statelessRows are calls in the revision without sessions, whose requests carry their own terms.
func statelessRows() []*Row {
	rows := []*Row{
		besideSession(&Row{
			Name: "stateless/inprocess", Title: "a typed call in process, without a session", Counts: "client and server",
			Subjects: subjectsAt(stateless, func(context.Context, *Lab) (*Work, error) { return hops(answerText), nil }, callInProcess),
			Targets:  overPeers(5, 40),
		}, callInProcess),
		besideSession(&Row{
			Name: "stateless/stdio", Title: "a call over stdio without a session, each with its own client", Counts: "time of both, memory of the client",
			Subjects: subjectsAt(stateless, echoLines, callStdio),
			Targets:  overPeers(2, 8),
		}, callStdio),
	}
	for _, width := range []int{1, atOnce} {
		call := func(ctx context.Context, _ *Lab, l library) (*Work, error) {
			h, err := l.handler(1, false)
			if err != nil {
				return nil, err
			}
			return ownHTTP(ctx, l, h, false, width)
		}
		rows = append(rows, besideSession(&Row{
			Name:   fmt.Sprintf("stateless/http/json/own/%d", width),
			Title:  fmt.Sprintf("a call over Streamable HTTP without a session, answered with JSON, %d at a time, each with its own client", width),
			Counts: "client and server",
			Subjects: subjectsAt(stateless,
				func(ctx context.Context, _ *Lab) (*Work, error) { return echoHTTP(ctx, false, width) }, call),
			Targets: overPeers(2, 8),
		}, call))
	}
	for _, stream := range []bool{false, true} {
		answer, title := "json", "answered with JSON"
		if stream {
			answer, title = "sse", "with progress, answered with an event stream"
		}
		for _, width := range []int{1, atOnce} {
			rows = append(rows, besideSession(&Row{
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
			}, func(ctx context.Context, _ *Lab, l library) (*Work, error) {
				h, err := l.handler(1, stream)
				if err != nil {
					return nil, err
				}
				return rawHTTP(ctx, l, h, stream, width)
			}))
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
