package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// step is what a scripted server does after a while with the request it has got.
type step struct {
	after    time.Duration
	progress float64 // 0: it answers
}

// script is a server's end that answers initialize at once and every other request by
// steps. It records the cancellations it gets.
type script struct {
	t         testing.TB
	end       *mcptest.Raw
	cancelled []string
	params    []wire.Raw
	methods   []string
}

// scripted opens a session with a server that does the steps.
func scripted(t testing.TB, opts runtime.ClientOptions, steps ...step) (*runtime.Session, *script) {
	a, b := mcptest.Pair()
	s := &script{t: t, end: a}
	go s.serve(steps)
	binding := side{}.bind(r11, runtime.ToClient)
	binding.Methods = nil // anything may be sent
	session, err := runtime.NewClient(opts, binding).Connect(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	return session, s
}

func (s *script) send(format string, args ...any) {
	s.end.Send(context.Background(), runtime.Outgoing{Text: fmt.Appendf(nil, format, args...)})
}

func (s *script) serve(steps []step) {
	for {
		in, err := s.end.Receive(context.Background())
		if err != nil {
			return
		}
		m := wire.Object(in.Text)
		method, _ := m.Get("method")
		id, isRequest := m.Get("id")
		params, _ := m.Get("params")
		switch {
		case method == `"initialize"`:
			s.send(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%q,"capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`, id, r11)
		case method == `"notifications/cancelled"`:
			s.cancelled = append(s.cancelled, string(params))
		case isRequest:
			s.methods = append(s.methods, string(method))
			s.params = append(s.params, params)
			go func() {
				for _, step := range steps {
					time.Sleep(step.after)
					if step.progress != 0 {
						s.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%v,"total":10,"message":"m"}}`, id, step.progress)
					} else {
						s.send(`{"jsonrpc":"2.0","id":%s,"result":{}}`, id)
					}
				}
			}()
		}
	}
}

// TestTimeout checks how long an answer is waited for.
//
// P42, P43, P44
func TestTimeout(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		name     string
		opts     runtime.ClientOptions
		method   string // "tools/call" when ""
		steps    []step
		deadline time.Duration
		progress bool
		took     time.Duration
		want     *runtime.TimeoutError // nil for none
	}{
		{name: "in time", steps: []step{{59 * s, 0}}, took: 59 * s},
		{name: "default", took: 60 * s, want: &runtime.TimeoutError{Method: "tools/call", Quiet: 60 * s, Total: time.Hour}},
		{name: "option", opts: runtime.ClientOptions{Limits: runtime.Limits{Timeout: 2 * s}}, took: 2 * s, want: &runtime.TimeoutError{Method: "tools/call", Quiet: 2 * s, Total: time.Hour}},
		{name: "none", opts: runtime.ClientOptions{Limits: runtime.Limits{Timeout: -1, MaxTimeout: -1}}, steps: []step{{100 * time.Hour, 0}}, took: 100 * time.Hour},
		{name: "only the longer one", opts: runtime.ClientOptions{Limits: runtime.Limits{Timeout: -1, MaxTimeout: 3 * s}}, took: 3 * s, want: &runtime.TimeoutError{Method: "tools/call", Quiet: 3 * s, Total: 3 * s}},
		{name: "a longer deadline", deadline: 2 * time.Hour, steps: []step{{90 * time.Minute, 0}}, took: 90 * time.Minute},
		{name: "a person", method: "elicitation/create", steps: []step{{59 * time.Minute, 0}}, took: 59 * time.Minute},
		{name: "a person is gone", method: "sampling/createMessage", took: time.Hour, want: &runtime.TimeoutError{Method: "sampling/createMessage", Quiet: time.Hour, Total: time.Hour}},
		{name: "progress", progress: true, steps: []step{{50 * s, 1}, {50 * s, 2}, {50 * s, 0}}, took: 150 * s},
		{name: "progress not asked for", steps: []step{{50 * s, 1}, {50 * s, 0}}, took: 60 * s, want: &runtime.TimeoutError{Method: "tools/call", Quiet: 60 * s, Total: time.Hour}},
		{name: "progress that does not grow", progress: true, steps: []step{{50 * s, 1}, {50 * s, 1}, {50 * s, 0}}, took: 110 * s,
			want: &runtime.TimeoutError{Method: "tools/call", Quiet: 60 * s, Total: time.Hour}},
		{name: "progress without end", opts: runtime.ClientOptions{Limits: runtime.Limits{MaxTimeout: 100 * s}}, progress: true, steps: []step{{50 * s, 1}, {45 * s, 2}, {20 * s, 0}}, took: 100 * s,
			want: &runtime.TimeoutError{Method: "tools/call", Quiet: 60 * s, Total: 100 * s}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if c.method == "" {
					c.method = "tools/call"
				}
				session, server := scripted(t, c.opts, c.steps...)
				ctx := t.Context()
				if c.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.deadline)
					defer cancel()
				}
				if c.progress {
					ctx = runtime.WithProgress(ctx, func(runtime.Progress) {})
				}
				for range 2 { // what is kept of the first request must not harm the second
					start := time.Now()
					err := session.Call(ctx, c.method, nil, nil)
					if took := time.Since(start); took != c.took {
						t.Errorf("took %v, want %v", took, c.took)
					}
					got, _ := errors.AsType[*runtime.TimeoutError](err)
					if diff := cmp.Diff(c.want, got); diff != "" {
						t.Errorf("%v (-want +got):\n%s", err, diff)
					}
					if errors.Is(err, context.DeadlineExceeded) != (c.want != nil) {
						t.Errorf("error: %v", err)
					}
					if c.deadline > 0 {
						break
					}
				}
				synctest.Wait()
				var cancelled []string
				if c.want != nil {
					for _, id := range []string{"2", "3"} {
						cancelled = append(cancelled, `{"requestId":`+id+`,"reason":"no answer within `+c.want.Quiet.String()+`"}`)
					}
				}
				if diff := cmp.Diff(cancelled, server.cancelled); diff != "" {
					t.Errorf("cancelled (-want +got):\n%s", diff)
				}
				session.Close()
				time.Sleep(200 * time.Hour) // the script's goroutines
			})
		})
	}
}

// TestConnectTimeout checks that the answer to initialize is not waited for without end,
// and that initialize is not cancelled.
func TestConnectTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := mcptest.Pair()
		_, err := newClient(nil, r11).Connect(t.Context(), b)
		if _, ok := errors.AsType[*runtime.TimeoutError](err); !ok {
			t.Error(err)
		}
		if _, err := a.Receive(t.Context()); err != nil {
			t.Error(err)
		}
		if in, err := a.Receive(t.Context()); err != runtime.ErrClosed {
			t.Errorf("%s, %v", in.Text, err)
		}
	})
}

// stuck is a transport to a server that stops reading when a message comes.
type stuck struct {
	*inproc.Transport
	method  string        // of the message
	waiting *atomic.Int32 // how many wait
}

func (s stuck) Send(ctx context.Context, m runtime.Outgoing) error {
	if m.Method == s.method {
		s.waiting.Add(1)
		defer s.waiting.Add(-1)
		<-ctx.Done()
		return fmt.Errorf("stuck: %w", context.Cause(ctx))
	}
	return s.Transport.Send(ctx, m)
}

func (stuck) ProbeTimeout() time.Duration { return -1 }

// TestUnreadCancellation checks that the cancellations of requests do not wait without end for a server that does not read.
func TestUnreadCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := mcptest.Pair()
		s := &script{t: t, end: a}
		go s.serve(nil)
		var waiting atomic.Int32
		session, err := newClient(nil, r11).Connect(t.Context(), stuck{b, "notifications/cancelled", &waiting})
		if err != nil {
			t.Fatal(err)
		}
		defer session.Close()
		for range 3 {
			if err := session.Ping(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
		}
		time.Sleep(time.Hour)
		if n := waiting.Load(); n != 0 {
			t.Errorf("%d cancellations wait", n)
		}
	})
}

// TestUnreadTimeout checks that a server which does not read is not waited for without end, for a context without a
// deadline.
func TestUnreadTimeout(t *testing.T) {
	for _, method := range []string{"notifications/initialized", "ping"} {
		t.Run(method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b := mcptest.Pair()
				s := &script{t: t, end: a}
				go s.serve(nil)
				start := time.Now()
				session, err := newClient(nil, r11).Connect(t.Context(), stuck{b, method, new(atomic.Int32)})
				if err == nil {
					defer session.Close()
					err = session.Ping(t.Context())
				}
				timeout, _ := errors.AsType[*runtime.TimeoutError](err)
				if timeout == nil || timeout.Method != method || time.Since(start) != runtime.DefaultTimeout {
					t.Errorf("after %v: %v", time.Since(start), err)
				}
			})
		})
	}
}

// TestWithProgress checks which reports reach the callback, in the goroutine of the call
// and before it returns, and what the request's params become.
//
// P52
func TestWithProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		session, server := scripted(t, runtime.ClientOptions{}, step{1, 1}, step{0, 3}, step{0, 2}, step{0, 3}, step{1, 3.5}, step{0, 0}, step{1, 9})
		total := 10.0
		for _, c := range []struct {
			params wire.Appender
			want   string
		}{
			{nil, `{"_meta":{"progressToken":2}}`},
			{wire.Raw(`{"a":1}`), `{"a":1,"_meta":{"progressToken":3}}`},
			{wire.Raw(`{"_meta":{"x":1,"progressToken":"own"},"a":1}`), `{"a":1,"_meta":{"progressToken":4,"x":1}}`},
		} {
			var got []runtime.Progress
			ctx := runtime.WithProgress(t.Context(), func(p runtime.Progress) {
				if p.Params == "" {
					t.Error("a report without its params")
				}
				p.Params = ""
				got = append(got, p)
			})
			if err := session.Call(ctx, "tools/call", c.params, nil); err != nil {
				t.Error(err)
			}
			want := []runtime.Progress{{Progress: 1, Total: &total, Message: "m"}, {Progress: 3, Total: &total, Message: "m"}, {Progress: 3.5, Total: &total, Message: "m"}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			time.Sleep(time.Second) // the report after the answer
			if len(got) != len(want) {
				t.Error("a report after the answer")
			}
			if last := server.params[len(server.params)-1]; string(last) != c.want {
				t.Errorf("params %s, want %s", last, c.want)
			}
		}
		ctx := runtime.WithProgress(t.Context(), func(runtime.Progress) {})
		if err := session.Call(ctx, "tools/call", wire.Raw(`{"_meta":1}`), nil); err == nil {
			t.Error("a _meta that is no object")
		}
		session.Close()
	})
}

// TestSlowProgress checks that a slow callback neither stops the session nor misses the
// newest report.
func TestSlowProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var steps []step
		for i := range 100 {
			steps = append(steps, step{0, float64(i + 1)})
		}
		session, _ := scripted(t, runtime.ClientOptions{}, append(steps, step{0, 0})...)
		reports, last := 0, 0.0
		ctx := runtime.WithProgress(t.Context(), func(p runtime.Progress) {
			reports, last = reports+1, p.Progress
			if reports == 1 {
				if err := session.Call(t.Context(), "tools/call", nil, nil); err != nil {
					t.Error(err)
				}
				time.Sleep(time.Second)
			}
		})
		if err := session.Call(ctx, "tools/call", nil, nil); err != nil {
			t.Error(err)
		}
		if last != 100 || reports > 20 {
			t.Errorf("%d reports, the last %v", reports, last)
		}
		session.Close()
	})
}
