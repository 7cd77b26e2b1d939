package share

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// live is a response that can be read while it is written.
type live struct {
	testkit.Buffer
	header http.Header
	done   chan struct{} // closed when the handler has returned
	cut    func()        // breaks the connection
}

func (l *live) Header() http.Header { return l.header }
func (l *live) WriteHeader(int)     {}
func (l *live) Flush()              {}

// begin sends a request to a replica and returns the response, which has not ended.
func (rs replicas) begin(t *testing.T, at int, method, body string, header ...string) *live {
	ctx, cancel := context.WithCancel(t.Context())
	l := &live{header: http.Header{}, done: make(chan struct{}), cut: cancel}
	go func() {
		defer close(l.done)
		testkit.ServeTo(ctx, l, rs[at], method, body, header...)
	}()
	synctest.Wait()
	return l
}

// key is the key of a session in the table of each replica.
func keyOf(session []string) string {
	return session[1][:nameLength]
}

// messages returns the messages of an event stream.
func (l *live) messages(t *testing.T) (all []string) {
	for _, e := range testkit.Events(t, strings.NewReader(l.String()), 0) {
		if e.Data != "" {
			all = append(all, e.Data)
		}
	}
	return all
}

func onBus() options {
	var bus Memory
	return options{Sharing: Sessions{Keys: keys(1), Bus: &bus, Store: tasks.NewMemory(0)}, Options: streamable.Options{Events: streamable.NewMemoryEvents(1 << 20)}}
}

// TestAnswerElsewhere checks that the answer to a question of the server reaches the replica that has asked:
// the one that has begun the session, and one that has taken it over.
func TestAnswerElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rs := alike(t, 3, mcptest.Server, onBus())
		session := rs.open(t, 0, r11)
		for _, at := range []int{0, 1} {
			for range 2 {
				l := rs.begin(t, at, "POST", mcptest.Call(5, "ask", `{"q":1}`), session...)
				question, err := jsonrpc.Parse(l.messages(t)[0])
				if err != nil || question.Method != "client/echo" {
					t.Fatalf("%v: %s", err, l)
				}
				answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"a":%d}}`, question.ID, at)
				if w := testkit.Serve(t.Context(), rs[2], "POST", answer, session...); w.Code != 202 {
					t.Errorf("%d: %s", w.Code, w.Body)
				}
				<-l.done
				if want := fmt.Sprintf(`"id":5,"result":{"a":%d}`, at); !strings.Contains(l.String(), want) {
					t.Errorf("%s, want %s", l, want)
				}
			}
		}
	})
}

// TestLargeAnswerElsewhere checks that a large answer is forwarded, and that a call does not wait for one that no bus
// can carry.
func TestLargeAnswerElsewhere(t *testing.T) {
	for _, test := range []struct{ result, want string }{
		{`{"a":[` + strings.Repeat(`"x",`, MaxMessage/5) + `""]}`, `"id":5,"result":{"a":["x",`},
		{`{"a":"` + strings.Repeat("x", MaxMessage) + `"}`, `"id":5,"error"`},
	} {
		synctest.Test(t, func(t *testing.T) {
			rs := alike(t, 2, mcptest.Server, onBus())
			session := rs.open(t, 0, r11)
			l := rs.begin(t, 0, "POST", mcptest.Call(5, "ask", `{}`), session...)
			testkit.Serve(t.Context(), rs[1], "POST", `{"jsonrpc":"2.0","id":1,"result":`+test.result+`}`, session...)
			<-l.done
			if !strings.Contains(l.String(), test.want) {
				t.Errorf("%.300s, want %s", l, test.want)
			}
		})
	}
}

// TestAnswerToNobody checks that an answer is dropped if the replica that has asked is gone.
func TestAnswerToNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rs := alike(t, 2, mcptest.Server, onBus())
		session := rs.open(t, 0, r11)
		l := rs.begin(t, 0, "POST", mcptest.Call(5, "ask", `{}`), session...)
		rs[0].handler.Close()
		<-l.done
		if w := testkit.Serve(t.Context(), rs[1], "POST", `{"jsonrpc":"2.0","id":1,"result":{}}`, session...); w.Code != 202 {
			t.Errorf("%d: %s", w.Code, w.Body)
		}
		synctest.Wait()
		if status := rs.echo(t, 1, session); status != 200 {
			t.Errorf("status %d", status)
		}
	})
}

// TestNotificationsElsewhere checks that cancellations and progress reach the replica with the request.
func TestNotificationsElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := mcptest.Server.With(mcptest.Handlers{"progress": func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
			params := wire.Raw(message.Object())
			var result wire.Raw
			got := 0.0
			err := runtime.CallOf(ctx).Call(runtime.WithProgress(ctx, func(p runtime.Progress) { got = p.Progress }), "client/echo", params, &result)
			return wire.Raw(fmt.Sprintf(`{"progress":%v}`, got)), err
		}})
		rs := alike(t, 3, h, onBus())
		session := rs.open(t, 0, r11)
		rs.echo(t, 2, session) // so that it has the session, too

		l := rs.begin(t, 0, "POST", mcptest.Call(7, "wait", `{}`), session...)
		other := rs.begin(t, 0, "POST", mcptest.Call(8, "wait", `{}`), session...)
		testkit.Serve(t.Context(), rs[1], "POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`, session...)
		<-l.done
		synctest.Wait()
		select {
		case <-other.done:
			t.Error("another request was cancelled")
		default:
		}
		testkit.Serve(t.Context(), rs[2], "POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":8}}`, session...)
		<-other.done

		l = rs.begin(t, 0, "POST", mcptest.Call(9, "progress", `{}`), session...)
		question, _ := jsonrpc.Parse(l.messages(t)[0])
		testkit.Serve(t.Context(), rs[1], "POST", fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":0.5}}`, question.ID), session...)
		synctest.Wait()
		testkit.Serve(t.Context(), rs[2], "POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, question.ID), session...)
		<-l.done
		if !strings.Contains(l.String(), `"progress":0.5`) {
			t.Errorf("%s", l)
		}
	})
}

// TestOwnMessagesElsewhere checks that messages of the server's own reach the client through the replica with
// its GET, in order and once: while it has one, while it has none, and when it moves to another replica.
func TestOwnMessagesElsewhere(t *testing.T) {
	for _, resumes := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			rs := alike(t, 3, mcptest.Server, onBus())
			session := rs.open(t, 0, r11)
			for at := range rs {
				rs.echo(t, at, session)
			}
			sent := 0
			send := func(at int) {
				t.Helper()
				sent++
				text := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/n","params":{"n":%d}}`, sent)
				if err := rs[at].find(keyOf(session)).Send(t.Context(), runtime.Outgoing{Kind: jsonrpc.Notification, Method: "notifications/n", Text: text}); err != nil {
					t.Error(err)
				}
				synctest.Wait()
			}
			var got []string
			last := ""
			get := func(at int) *live {
				header := session
				if resumes && last != "" {
					header = append(header, headerLast, last)
				}
				return rs.begin(t, at, "GET", "", header...)
			}
			end := func(l *live, cut bool) {
				if cut {
					l.cut()
					<-l.done
				}
				got = append(got, l.messages(t)...)
				events := testkit.Events(t, strings.NewReader(l.String()), 0)
				last = events[len(events)-1].ID
			}
			send(1) // nobody listens
			first := get(0)
			send(0)
			send(1)
			end(first, true)
			send(0)
			send(0) // nobody listens any more
			second := get(2)
			send(1)
			end(second, false) // the connection is lost, which the replica does not know
			third := get(1)
			send(2)
			send(0)
			end(third, true)
			for i, text := range got {
				if want := fmt.Sprintf(`"n":%d}`, i+1); i >= sent || !strings.Contains(text, want) {
					t.Errorf("message %d is %s", i+1, text)
				}
			}
			if len(got) != sent {
				t.Errorf("%d messages of %d", len(got), sent)
			}
		})
	}
}

// TestOwnUpdateElsewhere checks that the update of a resource that a handler sends to its session, and that other
// replicas do not know, reaches the client at the replica that has its GET.
func TestOwnUpdateElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var bus Memory
		h := mcptest.Server.With(mcptest.Handlers{"own": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			return wire.Raw("{}"), runtime.CallOf(ctx).Session().Notify(ctx, "notifications/resources/updated", wire.Raw(`{"uri":"a:b"}`))
		}})
		var rs replicas
		for range 2 {
			server := newRuntimeServer(h, runtime.ServerOptions{Logger: discard, Replicas: Announce(&bus)}, r11)
			p, err := newReplica(server, streamable.Options{StreamAfter: -1}, Sessions{Keys: keys(1), Bus: &bus, Store: tasks.NewMemory(0)})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(p.handler.Close)
			rs = append(rs, p)
		}
		session := rs.open(t, 0, r11)
		get := rs.begin(t, 0, "GET", "", session...)
		if w := testkit.Serve(t.Context(), rs[1], "POST", mcptest.Call(1, "own", "{}"), session...); w.Code != 200 {
			t.Errorf("%d: %s", w.Code, w.Body)
		}
		synctest.Wait()
		if got := get.messages(t); len(got) != 1 {
			t.Errorf("got %s", got)
		} else if m, err := jsonrpc.Parse(got[0]); err != nil || m.Method != "notifications/resources/updated" {
			t.Errorf("got %s: %v", got, err)
		}
		get.cut()
		<-get.done
	})
}

// TestResumeElsewhere checks that a client that comes back to another replica gets what it has missed of a
// stream, and then what comes.
func TestResumeElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rs := alike(t, 2, mcptest.Server.With(mcptest.Handlers{"slow": threeNotes}), onBus())
		session := rs.open(t, 0, r11)
		l := rs.begin(t, 0, "POST", mcptest.Call(`"x/1"`, "slow", `{}`), session...)
		id := testkit.Events(t, strings.NewReader(l.String()), 1)[0].ID
		l.cut()
		time.Sleep(time.Minute)
		again := rs.begin(t, 1, "GET", "", append(session, headerLast, id)...)
		if n := len(again.messages(t)); n != 1 {
			t.Errorf("%d messages were missed, want 1: %s", n, again)
		}
		<-again.done
		if got := again.messages(t); len(got) != 3 || got[2] != `{"jsonrpc":"2.0","id":"x/1","result":{}}` {
			t.Errorf("%q", got)
		}
		events := testkit.Events(t, strings.NewReader(again.String()), 0)
		if w := testkit.Serve(t.Context(), rs[1], "GET", "", append(session, headerLast, events[len(events)-1].ID)...); w.Code != 405 {
			t.Errorf("after the answer: %d: %s", w.Code, w.Body)
		}
	})
}

// threeNotes sends a notification at once, and then each time that a while has passed.
func threeNotes(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
	params := wire.Raw(message.Object())
	for i := range 3 {
		if err := runtime.CallOf(ctx).Notify(ctx, "notifications/n", wire.Raw(fmt.Sprintf(`{"i":%d}`, i))); err != nil {
			return nil, err
		}
		time.Sleep(45 * time.Second)
	}
	return params, nil
}

// TestOwnerGone checks that a call fails if the replica that handles it is gone when its client comes back.
func TestOwnerGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rs := alike(t, 2, mcptest.Server.With(mcptest.Handlers{"slow": threeNotes}), onBus())
		session := rs.open(t, 0, r11)
		l := rs.begin(t, 0, "POST", mcptest.Call(`"é"`, "slow", `{}`), session...)
		id := testkit.Events(t, strings.NewReader(l.String()), 1)[0].ID
		l.cut()
		again := rs.begin(t, 1, "GET", "", append(session, headerLast, id)...)
		rs[0].leave() // as if it were killed
		<-again.done
		got := again.messages(t)
		if len(got) == 0 {
			t.Fatalf("no answer: %s", again)
		}
		m, err := jsonrpc.Parse(got[len(got)-1])
		<-l.done // its handler does not know
		if err != nil || m.ID.String() != `"é"` || m.Error == nil || !strings.Contains(m.Error.Message, "the replica of the server that handled the request has ended") {
			t.Errorf("%v: %q", err, got)
		}
	})
}

// cutBus is a bus that can fail.
type cutBus struct {
	Memory
	cut atomic.Bool
}

func (b *cutBus) Request(ctx context.Context, subject string, data []byte) ([]byte, error) {
	if b.cut.Load() {
		return nil, errors.New("no connection")
	}
	return b.Memory.Request(ctx, subject, data)
}

// TestResumeWithoutBus checks that a client gets what it has missed of a stream of the replica that it comes back to,
// although the bus fails, and that the stream of another replica is refused for now.
func TestResumeWithoutBus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := new(cutBus)
		rs := alike(t, 2, mcptest.Server, options{Sharing: Sessions{Keys: keys(1), Bus: bus}, Options: streamable.Options{Events: streamable.NewMemoryEvents(1 << 20)}})
		session := rs.open(t, 0, r11)
		rs.echo(t, 1, session)
		all := testkit.Events(t, testkit.Serve(t.Context(), rs[0], "POST", mcptest.Call(1, "note", "{}"), session...).Body, 0)
		bus.cut.Store(true)
		w := testkit.Serve(t.Context(), rs[0], "GET", "", append(session, headerLast, all[0].ID)...)
		if left := testkit.Events(t, w.Body, 0); !slices.Equal(left, all[1:]) {
			t.Errorf("%d: %q, want %q", w.Code, left, all[1:])
		}
		if w := testkit.Serve(t.Context(), rs[0], "GET", "", append(session, headerLast, all[2].ID)...); w.Code != 405 {
			t.Errorf("after the answer: %d: %s", w.Code, w.Body)
		}
		if w := testkit.Serve(t.Context(), rs[1], "GET", "", append(session, headerLast, all[0].ID)...); w.Code != 503 {
			t.Errorf("at another replica: %d: %s", w.Code, w.Body)
		}
	})
}

// lossyBus is a bus that loses notices until it is reconnected.
type lossyBus struct {
	Memory
	lost atomic.Bool
	back []func()
}

func (b *lossyBus) Publish(ctx context.Context, subject string, data []byte) error {
	if b.lost.Load() {
		return nil
	}
	return b.Memory.Publish(ctx, subject, data)
}

func (b *lossyBus) Subscribe(ctx context.Context, subject string, receive func([]byte), missed func()) (func(), error) {
	b.back = append(b.back, missed)
	return b.Memory.Subscribe(ctx, subject, receive, missed)
}

// TestReconnected checks that replicas catch up with what a client has changed while they did not hear each other.
func TestReconnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := new(lossyBus)
		rs := alike(t, 2, mcptest.Server, options{Sharing: Sessions{Keys: keys(1), Bus: bus, Store: tasks.NewMemory(0)}})
		changed, ended := rs.open(t, 0, r11), rs.open(t, 0, r11)
		bus.lost.Store(true)
		rs.echo(t, 1, changed)
		if err := rs[1].find(keyOf(changed)).Keep(t.Context(), runtime.Change{LogLevel: runtime.LogError}); err != nil {
			t.Fatal(err)
		}
		testkit.Serve(t.Context(), rs[1], "DELETE", "", ended...)
		if status := rs.echo(t, 0, ended); status != 200 {
			t.Errorf("a notice that was lost has arrived: status %d", status)
		}
		bus.lost.Store(false)
		for _, f := range bus.back {
			f()
		}
		synctest.Wait()
		if level := rs[0].find(keyOf(changed)).state.values.level; level != runtime.LogError {
			t.Errorf("the log level is %q", level)
		}
		if status := rs.echo(t, 0, ended); status != 404 {
			t.Errorf("a session that has ended: status %d", status)
		}
	})
}

// TestMovedGet checks that the server's own messages reach the client although a replica has not heard that the client
// has opened its GET at another one.
func TestMovedGet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := new(lossyBus)
		rs := alike(t, 3, mcptest.Server, options{Sharing: Sessions{Keys: keys(1), Bus: bus}})
		session := rs.open(t, 0, r11)
		for at := range rs {
			rs.echo(t, at, session)
		}
		first := rs.begin(t, 1, "GET", "", session...)
		bus.lost.Store(true)
		first.cut()
		<-first.done
		second := rs.begin(t, 2, "GET", "", session...)
		bus.lost.Store(false)
		text := []byte(`{"jsonrpc":"2.0","method":"notifications/n"}`)
		if err := rs[0].find(keyOf(session)).Send(t.Context(), runtime.Outgoing{Kind: jsonrpc.Notification, Method: "notifications/n", Text: text}); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if got := second.messages(t); len(got) != 1 {
			t.Errorf("got %q", got)
		}
		second.cut()
		<-second.done
	})
}

// TestOlderGet checks that the server's own messages reach a client by the older one of two GETs when the replica with
// the newer one is gone.
func TestOlderGet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rs := alike(t, 3, mcptest.Server, onBus())
		session := rs.open(t, 0, r11)
		for at := range rs {
			rs.echo(t, at, session)
		}
		older := rs.begin(t, 1, "GET", "", session...)
		time.Sleep(time.Second)
		newer := rs.begin(t, 2, "GET", "", session...)
		rs[2].leave() // as if it were killed
		text := []byte(`{"jsonrpc":"2.0","method":"notifications/n"}`)
		if err := rs[0].find(keyOf(session)).Send(t.Context(), runtime.Outgoing{Kind: jsonrpc.Notification, Method: "notifications/n", Text: text}); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if got := older.messages(t); len(got) != 1 {
			t.Errorf("got %q", got)
		}
		for _, l := range []*live{older, newer} {
			l.cut()
			<-l.done
		}
	})
}

// TestNothingLeftElsewhere checks what a client gets that comes back for a stream of another replica, without a
// bus: the events that it has missed, or if the stream has ended a response after which it does not ask again.
func TestNothingLeftElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts := options{Sharing: Sessions{Keys: keys(1)}, Options: streamable.Options{Events: streamable.NewMemoryEvents(1 << 20)}}
		noteAndWait := func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
			if err := runtime.CallOf(ctx).Notify(ctx, "notifications/n", message.Params); err != nil {
				return nil, err
			}
			return mcptest.Server["wait"](ctx, message)
		}
		rs := alike(t, 2, mcptest.Server.With(mcptest.Handlers{"steps": noteAndWait}), opts)
		session := rs.open(t, 0, r11)
		resumed := func(id string) (status, messages int) {
			w := testkit.Serve(t.Context(), rs[1], "GET", "", append(session, headerLast, id)...)
			if w.Code != 200 {
				return w.Code, 0
			}
			for _, e := range testkit.Events(t, w.Body, 0) {
				if e.Data != "" {
					messages++
				}
			}
			return w.Code, messages
		}

		l := rs.begin(t, 0, "POST", mcptest.Call(1, "steps", "{}"), session...)
		event := testkit.Events(t, strings.NewReader(l.String()), 1)[0].ID
		name, _, _ := strings.Cut(event, "_")
		if status, n := resumed(event); status != 200 || n != 0 {
			t.Errorf("while the call goes on: status %d, %d messages", status, n)
		}
		if status, n := resumed(name + "0_0"); status != 200 || n != 0 {
			t.Errorf("of a call without an event: status %d, %d messages", status, n)
		}
		testkit.Serve(t.Context(), rs[0], "POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, session...)
		<-l.done
		if status, _ := resumed(event); status != 405 {
			t.Errorf("after the last event of a cancelled call: status %d", status)
		}
		w := testkit.Serve(t.Context(), rs[0], "POST", mcptest.Call(1, "note", "{}"), session...)
		if status, _ := resumed(testkit.Events(t, w.Body, 0)[2].ID); status != 405 {
			t.Errorf("after the answer: status %d", status)
		}

		// A stream of the server's own messages goes on here, after the last event there.
		own := func(at int) {
			text := []byte(`{"jsonrpc":"2.0","method":"notifications/n"}`)
			if err := rs[at].find(keyOf(session)).Send(t.Context(), runtime.Outgoing{Kind: jsonrpc.Notification, Text: text}); err != nil {
				t.Error(err)
			}
		}
		first := rs.begin(t, 0, "GET", "", session...)
		own(0)
		own(0)
		first.cut()
		<-first.done
		sent := testkit.Events(t, strings.NewReader(first.String()), 0)
		second := rs.begin(t, 1, "GET", "", append(session, headerLast, sent[1].ID)...)
		missed := testkit.Events(t, strings.NewReader(second.String()), 2)
		if missed[0] != sent[2] || missed[1].Data != "" {
			t.Errorf("%q, want %q", missed, sent[2])
		}
		own(1)
		synctest.Wait()
		if got := second.messages(t); len(got) != 2 {
			t.Errorf("%q", got)
		}
		second.cut()
		<-second.done
	})
}

// deafBus is a bus that cannot be served while it is down.
type deafBus struct {
	lossyBus
}

func (b *deafBus) Serve(ctx context.Context, subject string, answer func(ctx context.Context, data []byte) []byte) (stop func(), err error) {
	if b.lost.Load() {
		return nil, errors.New("no connection")
	}
	return b.lossyBus.Serve(ctx, subject, answer)
}

// TestGetBeforeBus checks that a GET that was opened while the bus was down gets the changes that the server publishes,
// and what other replicas send, after the bus is back.
func TestGetBeforeBus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := new(deafBus)
		rs := alike(t, 2, mcptest.Server, options{Sharing: Sessions{Keys: keys(1), Bus: bus}})
		session := rs.open(t, 0, r11)
		rs.echo(t, 1, session)
		bus.lost.Store(true)
		get := rs.begin(t, 0, "GET", "", session...)
		bus.lost.Store(false)
		for _, f := range bus.back {
			f()
		}
		synctest.Wait()
		for i := range rs {
			text := fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"notifications/n","params":{"at":%d}}`, i)
			if err := rs[i].find(keyOf(session)).Send(t.Context(), runtime.Outgoing{Kind: jsonrpc.Notification, Text: text, Change: i == 0}); err != nil {
				t.Error(err)
			}
		}
		synctest.Wait()
		if got := get.messages(t); len(got) != 2 {
			t.Errorf("got %q", got)
		}
		get.cut()
		<-get.done
	})
}

// TestFollowShutdown checks that a GET that carries a stream of another replica ends with its own replica, so that its
// client comes back to one that goes on.
func TestFollowShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rs := alike(t, 2, mcptest.Server.With(mcptest.Handlers{"slow": threeNotes}), onBus())
		session := rs.open(t, 0, r11)
		l := rs.begin(t, 0, "POST", mcptest.Call(1, "slow", `{}`), session...)
		id := testkit.Events(t, strings.NewReader(l.String()), 1)[0].ID
		l.cut()
		again := rs.begin(t, 1, "GET", "", append(session, headerLast, id)...)
		rs[1].handler.Close()
		<-again.done
		<-l.done
		if got := again.messages(t); len(got) > 1 {
			t.Errorf("the GET has gone on: %q", got)
		}
	})
}

// silentBus is a bus that does not respond to Serve.
type silentBus struct {
	Memory
	silent atomic.Bool
}

func (b *silentBus) Serve(ctx context.Context, subject string, answer func(ctx context.Context, data []byte) []byte) (stop func(), err error) {
	if b.silent.Load() {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	return b.Memory.Serve(ctx, subject, answer)
}

// TestGetOnSilentBus checks that a bus that does not respond does not keep a client from its GET stream for long.
func TestGetOnSilentBus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bus := new(silentBus)
		rs := alike(t, 1, mcptest.Server, options{Sharing: Sessions{Keys: keys(1), Bus: bus}})
		session := rs.open(t, 0, r11)
		bus.silent.Store(true)
		l := rs.begin(t, 0, "GET", "", session...)
		time.Sleep(waits.Bus)
		synctest.Wait()
		if l.String() == "" {
			t.Error("the GET has no response")
		}
		l.cut()
		<-l.done
	})
}
