package proxy_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/internal/waits"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/proxy"
	"github.com/mcpgen/mcpgen/runtime/stdio"
)

// odd holds messages that a program which decodes and encodes them would change, or refuse.
var odd = []string{
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"z":1,"a":2,"m":{"b":[],"a":{}}}}`,
	`{"method":"no/such/method","x-first":true,"id":"\u0041\/","jsonrpc":"2.0","params":{"n":1.0e+2,"big":12345678901234567890123,"tiny":1e-400}}`,
	` { "jsonrpc" : "2.0" , "method" : "notifications/unknown" , "extra" : null } `,
	`{"jsonrpc":"2.0","id":9007199254740993,"method":"a","params":{"_meta":{"progressToken":9007199254740993}}}`,
	`{"jsonrpc":"2.0","id":1.0,"method":"same/id/again"}`,
	`{"jsonrpc":"2.0","id":1.5,"method":"fraction"}`,
	`{"jsonrpc":"2.0","id":null,"method":"null/id"}`,
	`{"jsonrpc":"1.0","id":2,"method":"old"}`,
	`{"jsonrpc":"2.0","id":3,"method":"positional","params":[1,2]}`,
	`{"jsonrpc":"2.0","id":4,"id":4,"method":"twice"}`,
	`{"jsonrpc":"2.0","id":"never asked","result":{"content":[],"_x":1}}`,
	`{"jsonrpc":"2.0","id":"both","result":{},"error":{"code":1,"message":""}}`,
	`{"jsonrpc":"2.0","error":{"code":-32700,"message":"who knows","data":[1e1000]}}`,
	`[{"jsonrpc":"2.0","id":5,"method":"a"},{"jsonrpc":"2.0","method":"b"},7]`,
	`[]`,
	`"text"`,
	`no JSON at all`,
	`{"jsonrpc":"2.0","id":6,"method":"lone","params":{"s":"\ud800"}}`,
	`{"jsonrpc":"2.0","id":7,"method":"deep","params":{"a":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}}`,
	`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9007199254740993,"reason":"late"}}`,
	`{"jsonrpc":"2.0","id":9007199254740993,"result":{"after":"cancellation"}}`,
}

// forward starts a proxy between two ends in memory. It returns the ends of the client and
// of the server, and what Serve returns.
func forward(ctx context.Context, o proxy.Options) (client, server *mcptest.Raw, served <-chan error) {
	client, front := mcptest.Pair()
	server, back := mcptest.Pair()
	ended := make(chan error, 1)
	go func() {
		ended <- proxy.New(func() runtime.Transport { return back }, o).Serve(ctx, front)
	}()
	synctest.Wait()
	return client, server, ended
}

func send(t *testing.T, to runtime.Transport, text string) {
	t.Helper()
	if err := to.Send(t.Context(), runtime.Outgoing{Text: []byte(text)}); err != nil {
		t.Fatalf("%.100s: %v", text, err)
	}
}

func receive(t *testing.T, from *mcptest.Raw) string {
	t.Helper()
	in, err := from.Receive(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return in.Text
}

func expect(t *testing.T, from *mcptest.Raw, want string) {
	t.Helper()
	if got := receive(t, from); got != want {
		t.Errorf("got  %.300s\nwant %.300s", got, want)
	}
}

// TestUnread checks that the session of a client that closes its input and reads nothing ends soon after an answer
// cannot be written, not after the grace period, and that a slow server is waited for.
func TestUnread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, near := io.Pipe()
		_, out := io.Pipe()
		server, back := mcptest.Pair()
		ended := make(chan error, 1)
		go func() {
			ended <- proxy.New(func() runtime.Transport { return back }, proxy.Options{Grace: time.Minute}).Serve(t.Context(), &stdio.Transport{In: in, Out: out})
		}()
		if _, err := io.WriteString(near, `{"jsonrpc":"2.0","id":1,"method":"a"}`+"\n"); err != nil {
			t.Fatal(err)
		}
		near.Close()
		receive(t, server)
		time.Sleep(30 * time.Second)
		if len(ended) > 0 {
			t.Fatal("the answer is not waited for")
		}
		start := time.Now()
		send(t, server, `{"jsonrpc":"2.0","id":1,"result":{}}`)
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took != waits.Unread {
			t.Errorf("ended after %v", took)
		}
	})
}

// TestTexts forwards odd messages in both directions and expects the same bytes in the same
// order.
func TestTexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server, served := forward(t.Context(), proxy.Options{})
		for range 2 {
			for _, text := range odd {
				send(t, client, text)
				expect(t, server, text)
				send(t, server, text)
				expect(t, client, text)
			}
		}
		client.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
		if _, err := server.Receive(t.Context()); err == nil {
			t.Error("the session with the server did not end")
		}
	})
}

// TestLongBatch checks that a batch of many messages, which would take much memory, is refused, and that the session goes
// on.
func TestLongBatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server, _ := forward(t.Context(), proxy.Options{Logger: slog.New(slog.DiscardHandler)})
		batch := func(n int) string { return "[" + strings.Repeat("{},", n-1) + "{}]" }
		send(t, client, batch(jsonrpc.MaxBatch+1))
		expect(t, client, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request: a batch of more than 1000 messages"}}`)
		send(t, server, batch(jsonrpc.MaxBatch+1))
		for _, way := range [][2]*mcptest.Raw{{client, server}, {server, client}} {
			send(t, way[0], batch(jsonrpc.MaxBatch))
			expect(t, way[1], batch(jsonrpc.MaxBatch))
		}
		client.Close()
	})
}

// deaf is a transport to a server that takes nothing.
type deaf struct{ runtime.Transport }

func (deaf) Send(context.Context, runtime.Outgoing) error { return errors.New("deaf") }

// TestUnlogged checks that a proxy without a logger warns on slog.Default, which may be set later.
func TestUnlogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, front := mcptest.Pair()
		server, back := mcptest.Pair()
		p := proxy.New(func() runtime.Transport { return deaf{back} }, proxy.Options{})
		var logged bytes.Buffer
		defer slog.SetDefault(slog.Default())
		slog.SetDefault(slog.New(slog.NewTextHandler(&logged, nil)))
		served := make(chan error, 1)
		go func() { served <- p.Serve(t.Context(), front) }()
		send(t, client, `{"jsonrpc":"2.0","method":"notifications/unknown"}`)
		synctest.Wait()
		client.Close()
		server.Close()
		<-served
		if !strings.Contains(logged.String(), `level=WARN msg="proxy: a message could not be sent to the server" error=deaf`) {
			t.Errorf("logged %q", logged.String())
		}
	})
}

// TestOrder checks that the notifications of a request keep their order, and come before its answer.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server, served := forward(t.Context(), proxy.Options{})
		send(t, client, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"n","_meta":{"progressToken":"p"}}}`)
		receive(t, server)
		var sent []string
		for i := range 100 {
			sent = append(sent,
				fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":%d}}`, i),
				fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":%d}}`, i))
		}
		sent = append(sent, `{"jsonrpc":"2.0","id":1,"result":{}}`)
		go func() {
			for _, text := range sent {
				_ = server.Send(t.Context(), runtime.Outgoing{Text: []byte(text)})
			}
		}()
		for _, text := range sent {
			expect(t, client, text)
		}
		client.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

// TestManyRequests checks that a client cannot make the proxy wait for any number of answers.
func TestManyRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server, served := forward(t.Context(), proxy.Options{})
		for i := range 10 {
			var all []string
			for j := range jsonrpc.MaxBatch {
				all = append(all, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"x"}`, i*jsonrpc.MaxBatch+j))
			}
			send(t, client, "["+strings.Join(all, ",")+"]")
			receive(t, server)
		}
		more := `{"jsonrpc":"2.0","id":"more","method":"x"}`
		send(t, client, more)
		expect(t, client, `{"jsonrpc":"2.0","id":"more","error":{"code":-32000,"message":"too many requests in flight; the request was not begun"}}`)
		send(t, client, `{"jsonrpc":"2.0","id":18,"method":"x"}`) // the client would take an error with the id for the answer
		expect(t, client, `{"jsonrpc":"2.0","error":{"code":-32000,"message":"too many requests in flight; the request was not begun"}}`)
		answer := `{"jsonrpc":"2.0","id":17,"result":{}}`
		send(t, server, answer)
		expect(t, client, answer)
		send(t, client, more)
		expect(t, server, more)
		client.Close()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

// TestStdio forwards odd messages as lines.
func TestStdio(t *testing.T) {
	fromClient, toProxy := io.Pipe()
	fromProxy, toClient := io.Pipe()
	server, back := mcptest.Pair()
	served := make(chan error, 1)
	go func() {
		served <- proxy.New(func() runtime.Transport { return back }, proxy.Options{Grace: -1}).Serve(t.Context(), &stdio.Transport{In: fromClient, Out: toClient})
	}()
	client := mcptest.NewRaw(&stdio.Transport{In: fromProxy, Out: toProxy})
	for _, text := range odd {
		send(t, client, text)
		expect(t, server, text)
		go server.Send(t.Context(), runtime.Outgoing{Text: []byte(text)}) // waits for the line to be read
		expect(t, client, text)
	}
	toProxy.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestClientEnds ends the client's input while a request waits for its answer: the answer
// still reaches the client, and only then does the session with the server end.
func TestClientEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server, served := forward(t.Context(), proxy.Options{})
		send(t, client, `{"jsonrpc":"2.0","id":1,"method":"slow"}`)
		receive(t, server)
		client.CloseSend()
		time.Sleep(time.Second)
		send(t, server, `{"jsonrpc":"2.0","id":1,"result":{}}`)
		expect(t, client, `{"jsonrpc":"2.0","id":1,"result":{}}`)
		if err := <-served; err != nil {
			t.Error(err)
		}

		client, server, served = forward(t.Context(), proxy.Options{Grace: time.Minute})
		start := time.Now()
		send(t, client, `{"jsonrpc":"2.0","id":1,"method":"never"}`)
		receive(t, server)
		client.CloseSend()
		if err := <-served; err != nil || time.Since(start) != time.Minute {
			t.Errorf("without an answer: %v after %v", err, time.Since(start))
		}
	})
}

// TestServerEnds ends the session of the client when the server ends it, and returns the
// error of a server that fails.
func TestServerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server, served := forward(t.Context(), proxy.Options{})
		send(t, server, `{"jsonrpc":"2.0","method":"last"}`)
		server.Close()
		expect(t, client, `{"jsonrpc":"2.0","method":"last"}`)
		if _, err := client.Receive(t.Context()); err == nil {
			t.Error("the client's session did not end")
		}
		if err := <-served; err != nil {
			t.Error(err)
		}
		boom := errors.New("boom")
		client, front := mcptest.Pair()
		err := proxy.New(func() runtime.Transport { return failing{boom} }, proxy.Options{}).Serve(t.Context(), front)
		if !errors.Is(err, boom) {
			t.Errorf("got %v", err)
		}
		if _, err := client.Receive(t.Context()); err == nil {
			t.Error("the client's session did not end")
		}
	})
}

// failing is a transport that cannot be opened.
type failing struct{ err error }

func (f failing) Open(context.Context) error                   { return f.err }
func (f failing) Start(in runtime.Inbox, _ int)                { in.End(io.ErrUnexpectedEOF) }
func (f failing) Send(context.Context, runtime.Outgoing) error { return io.ErrUnexpectedEOF }
func (f failing) Close() error                                 { return nil }
func (f failing) Server() string                               { return "" }
func (f failing) Restart() (runtime.Transport, error)          { return nil, f.err }
func (f failing) Fallback(_ context.Context, refused error) (runtime.Transport, error) {
	return nil, refused
}

// TestShutdown ends the context of Serve: a request in flight is answered, and a new one is
// refused.
func TestShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		client, server, served := forward(ctx, proxy.Options{})
		send(t, client, `{"jsonrpc":"2.0","id":1,"method":"slow"}`)
		receive(t, server)
		cancel()
		synctest.Wait()
		send(t, client, `{"jsonrpc":"2.0","id":2,"method":"late"}`)
		refusal, err := jsonrpc.Parse(receive(t, client))
		if err != nil || refusal.Error == nil || refusal.Error.Code != jsonrpc.CodeServerBusy || refusal.ID.String() != "2" {
			t.Errorf("got %+v, %v", refusal, err)
		}
		send(t, server, `{"jsonrpc":"2.0","id":1,"result":{}}`)
		expect(t, client, `{"jsonrpc":"2.0","id":1,"result":{}}`)
		if err := <-served; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

// TestLostAnswer answers a request with an error when the transport knows that the server's
// answer cannot come, and refuses messages that are too long.
func TestLostAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, front := mcptest.Pair()
		server, back := mcptest.Pair()
		lossy := &losing{Transport: back}
		go proxy.New(func() runtime.Transport { return lossy }, proxy.Options{MaxMessage: 1000}).Serve(t.Context(), front)
		send(t, client, `{"jsonrpc":"2.0","id":"a","method":"x"}`)
		in, _ := jsonrpc.Parse(receive(t, server))
		lossy.inbox.Lose(in.ID, errors.New("status 500"))
		lost, err := jsonrpc.Parse(receive(t, client))
		if err != nil || lost.Error == nil || lost.ID != in.ID || !strings.Contains(lost.Error.Message, "status 500") {
			t.Errorf("got %+v, %v", lost, err)
		}
		long := `"` + strings.Repeat("x", 1000) + `"`
		send(t, client, long)
		if got := receive(t, client); !strings.Contains(got, "longer than 1000 bytes") {
			t.Errorf("got %s", got)
		}
		send(t, server, long)
		send(t, server, `{"jsonrpc":"2.0","method":"next"}`)
		if got := receive(t, client); !strings.Contains(got, "next") {
			t.Errorf("got %s", got)
		}
		client.Close()
	})
}

// losing is a transport that reports lost answers.
type losing struct {
	runtime.Transport
	inbox runtime.Inbox
}

func (l *losing) Start(in runtime.Inbox, max int) {
	l.inbox = in
	l.Transport.Start(in, max)
}

func ExampleNew() {
	// A server in memory stands for the one behind the proxy.
	server, back := mcptest.Pair()
	go func() {
		in, _ := server.Receive(context.Background())
		fmt.Println(in.Text)
		server.Close()
	}()
	client, front := mcptest.Pair()
	go client.Send(context.Background(), runtime.Outgoing{Text: []byte(`{"jsonrpc":"2.0","method":"x","unknown":1.50}`)})
	err := proxy.New(func() runtime.Transport { return back }, proxy.Options{}).Serve(context.Background(), front)
	fmt.Println(err)
	// Output:
	// {"jsonrpc":"2.0","method":"x","unknown":1.50}
	// <nil>
}
