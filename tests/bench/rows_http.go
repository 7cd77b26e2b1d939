package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
)

// atOnce is the number of concurrent calls in the parallel rows.
const atOnce = 64

// httpRows are calls over Streamable HTTP.
func httpRows() []*Row {
	var rows []*Row
	for _, stream := range []bool{false, true} {
		answer, title := "json", "answered with JSON"
		if stream {
			answer, title = "sse", "with progress, answered with an event stream"
		}
		for _, own := range []bool{true, false} {
			who, with := "own", "each with its own client"
			if !own {
				who, with = "raw", "all with net/http"
			}
			for _, width := range []int{1, atOnce} {
				row := &Row{
					Name:   fmt.Sprintf("http/%s/%s/%d", answer, who, width),
					Title:  fmt.Sprintf("a call over Streamable HTTP, %s, %d at a time, %s", title, width, with),
					Counts: "client and server",
					Subjects: subjects(
						func(ctx context.Context, _ *Lab) (*Work, error) {
							return echoHTTP(ctx, stream, width)
						},
						func(ctx context.Context, _ *Lab, l library) (*Work, error) {
							h, err := l.handler(1, stream)
							if err != nil {
								return nil, err
							}
							if own {
								return ownHTTP(ctx, l, h, stream, width)
							}
							return rawHTTP(ctx, l, h, stream, width)
						}),
					Targets: []Target{timesFloor(1.35)},
				}
				if width > 1 {
					row.Targets[0] = timesFloor(1.5)
				}
				if own { // net/http takes most of the time of a raw call, for every server
					row.Targets = append(row.Targets, overPeers(2, 8)...)
				}
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// listen serves a handler on a loopback address.
func listen(h http.Handler) (url string, over *http.Client, end func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, nil, err
	}
	server := &http.Server{Handler: h}
	go server.Serve(l)
	t := &http.Transport{MaxIdleConnsPerHost: 2 * atOnce}
	return "http://" + l.Addr().String() + "/mcp", &http.Client{Transport: t}, func() {
		t.CloseIdleConnections()
		server.Close()
	}, nil
}

// ownHTTP calls with the client of a library.
func ownHTTP(ctx context.Context, l library, h http.Handler, stream bool, width int) (*Work, error) {
	url, over, end, err := listen(h)
	if err != nil {
		return nil, err
	}
	c, err := l.dialHTTP(ctx, url, over)
	if err != nil {
		return nil, err
	}
	if err := controlled(ctx, l, c); err != nil {
		return nil, err
	}
	for tries := 0; stream && c.progress() == 0; tries++ {
		if err := c.weather(ctx, true); err != nil || tries == 100 {
			return nil, fmt.Errorf("no progress in %d calls: %w", tries, err)
		}
	}
	return &Work{
		Do: func(n int) error {
			before := c.progress()
			if err := parallel(n, width, func() error { return c.weather(ctx, stream) }); err != nil {
				return err
			}
			if told := c.progress() - before; stream && !l.late && told != int64(n) {
				return fmt.Errorf("progress was reported %d times in %d calls", told, n)
			}
			return nil
		},
		Close: func() {
			c.close()
			end()
		},
	}, nil
}

// parallel calls f n times, with a limited number of concurrent calls.
func parallel(n, width int, f func() error) error {
	if width == 1 {
		for range n {
			if err := f(); err != nil {
				return err
			}
		}
		return nil
	}
	var left atomic.Int64
	left.Store(int64(n))
	errs := make(chan error, width)
	var all sync.WaitGroup
	for range min(width, n) {
		all.Go(func() {
			for left.Add(-1) >= 0 {
				if err := f(); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(errs)
	return <-errs
}

// poster is an HTTP client for one session that uses net/http directly.
type poster struct {
	url, session string
	token        string // an access token; "" for none
	alone        bool   // calls without a session
	stream       bool   // requests progress, and accepts an event stream
	loses        bool   // the server may lose progress notifications
	over         *http.Client
	id           atomic.Int64
	buffers      sync.Pool
}

// post sends a message and passes the body of the answer to check.
func (p *poster) post(ctx context.Context, text []byte, check func(r *http.Response, body []byte) error) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url, bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if p.token != "" {
		r.Header.Set("Authorization", "Bearer "+p.token)
	}
	if p.alone {
		r.Header.Set("Mcp-Protocol-Version", stateless)
		r.Header.Set("Mcp-Method", "tools/call")
		r.Header.Set("Mcp-Name", "get_weather")
	}
	if p.session != "" {
		r.Header.Set("Mcp-Session-Id", p.session)
		r.Header.Set("Mcp-Protocol-Version", revision)
	}
	answer, err := p.over.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	buf, _ := p.buffers.Get().(*bytes.Buffer)
	if buf == nil {
		buf = new(bytes.Buffer)
	}
	defer p.buffers.Put(buf)
	buf.Reset()
	if _, err := io.Copy(buf, answer.Body); err != nil {
		return err
	}
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("%s: %s", answer.Status, buf)
	}
	return check(answer, buf.Bytes())
}

// open opens a session.
func (p *poster) open(ctx context.Context) error {
	err := p.post(ctx, []byte(initializeText), func(r *http.Response, body []byte) error {
		p.session = r.Header.Get("Mcp-Session-Id")
		if p.session == "" || !bytes.Contains(body, []byte(`"protocolVersion":"`+revision+`"`)) {
			return fmt.Errorf("the answer to initialize: %s", body)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return p.post(ctx, []byte(initializedText), func(*http.Response, []byte) error { return nil })
}

// call calls get_weather.
func (p *poster) call(ctx context.Context) error {
	text := p.append(make([]byte, 0, 512), argsText, p.stream)
	return p.post(ctx, text, func(r *http.Response, body []byte) error {
		kind := "application/json"
		if p.stream {
			kind = "text/event-stream"
			if !p.loses && !bytes.Contains(body, []byte(`"notifications/progress"`)) {
				return fmt.Errorf("no progress: %s", body)
			}
		}
		if r.Header.Get("Content-Type") != kind {
			return fmt.Errorf("the content type is %q", r.Header.Get("Content-Type"))
		}
		return checkAnswer(body)
	})
}

// append appends a call with a new id.
func (p *poster) append(dst []byte, arguments string, progress bool) []byte {
	if p.alone {
		return appendStateless(dst, p.id.Add(1), arguments, progress)
	}
	return appendCall(dst, p.id.Add(1), arguments, progress)
}

// refused checks that the server refuses invalid calls.
func (p *poster) refused(ctx context.Context) error {
	for _, arguments := range invalid {
		text := p.append(nil, arguments, false)
		if err := p.post(ctx, text, func(_ *http.Response, body []byte) error { return checkRefused(body) }); err != nil {
			return err
		}
	}
	return nil
}

// noSession is the session of a server without sessions.
const noSession = "0123456789abcdef0123456789abcdef"

// echoHTTP posts to a server that does not parse its input.
func echoHTTP(ctx context.Context, stream bool, width int) (*Work, error) {
	url, over, end, err := listen(echo(stream))
	if err != nil {
		return nil, err
	}
	p := &poster{url: url, over: over, session: noSession, stream: stream}
	return p.work(ctx, width, end), nil
}

// rawHTTP calls with net/http.
func rawHTTP(ctx context.Context, l library, h http.Handler, stream bool, width int) (*Work, error) {
	url, over, end, err := listen(h)
	if err != nil {
		return nil, err
	}
	p := &poster{url: url, over: over, stream: stream, loses: l.loses}
	if err := p.open(ctx); err != nil {
		return nil, err
	}
	if err := p.refused(ctx); err != nil && !l.unchecked {
		return nil, err
	}
	return p.work(ctx, width, end), nil
}

// work returns the work of calling with a limited number of concurrent calls.
func (p *poster) work(ctx context.Context, width int, end func()) *Work {
	return &Work{
		Do:    func(n int) error { return parallel(n, width, func() error { return p.call(ctx) }) },
		Close: end,
	}
}
