package main

import (
	"context"
	"net/http"
)

// startRows measure the time from no session to the first answer of a tool.
func startRows() []*Row {
	return []*Row{
		{
			Name: "start/inprocess", Title: "a session, from initialize to the answer of the first call, in process", Counts: "client and server",
			Subjects: subjects(
				func(context.Context, *Lab) (*Work, error) {
					// Two requests with answers, and a notification between them.
					w := hops(answerText)
					do := w.Do
					w.Do = func(n int) error { return do(3 * n) }
					return w, nil
				},
				func(ctx context.Context, _ *Lab, l library) (*Work, error) {
					dial, err := l.inProcess(1)
					return sessions(ctx, dial), err
				}),
		},
		{
			Name: "start/http", Title: "a session, from initialize to the answer of the first call, over Streamable HTTP", Counts: "client and server",
			Subjects: subjects(
				func(ctx context.Context, _ *Lab) (*Work, error) {
					w, err := echoHTTP(ctx, false, 1)
					if err != nil {
						return nil, err
					}
					do := w.Do
					w.Do = func(n int) error { return do(4 * n) } // and the DELETE that ends the session
					return w, nil
				},
				func(ctx context.Context, _ *Lab, l library) (*Work, error) {
					h, err := l.handler(1, false)
					if err != nil {
						return nil, err
					}
					return startHTTP(ctx, l, h)
				}),
		},
	}
}

func startHTTP(ctx context.Context, l library, h http.Handler) (*Work, error) {
	url, over, end, err := listen(h)
	if err != nil {
		return nil, err
	}
	w := sessions(ctx, func(ctx context.Context) (client, error) { return l.dialHTTP(ctx, url, over) })
	w.Close = end
	return w, nil
}

// sessions opens sessions one after the other, with a call in each.
func sessions(ctx context.Context, open dial) *Work {
	return &Work{Do: func(n int) error {
		for range n {
			c, err := open(ctx)
			if err != nil {
				return err
			}
			err = c.weather(ctx, false)
			c.close()
			if err != nil {
				return err
			}
		}
		return nil
	}}
}
