package mcplog_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcplog"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var methods = []runtime.Method{
	{Name: "initialize", Kind: jsonrpc.Request, Direction: runtime.ToServer},
	{Name: "work", Kind: jsonrpc.Request, Direction: runtime.ToServer},
	{Name: "notifications/end", Kind: jsonrpc.Notification, Direction: runtime.ToClient},
	{Name: "logging/setLevel", Kind: jsonrpc.Request, Direction: runtime.ToServer, Capability: "logging"},
	{Name: "notifications/message", Kind: jsonrpc.Notification, Direction: runtime.ToClient, Capability: "logging"},
}

// messages runs work in a session and returns the params of the log messages that the
// client receives.
func messages(t *testing.T, capabilities wire.Raw, level string, work func(context.Context)) []string {
	t.Helper()
	const revision = "2025-11-25"
	var got []string
	done := make(chan struct{})
	server := runtime.NewServer(runtime.ServerOptions{Capabilities: capabilities}, runtime.Binding{
		Revision: revision, Direction: runtime.ToServer, Methods: methods,
		Handle: func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
			method := message.Method
			if method != "work" {
				return nil, runtime.MethodNotFound(method)
			}
			work(ctx)
			runtime.CallOf(ctx).Notify(ctx, "notifications/end", nil)
			return wire.Raw(`{}`), nil
		},
	})
	client := runtime.NewClient(runtime.ClientOptions{}, runtime.Binding{
		Revision: revision, Direction: runtime.ToClient,
		Handle: func(_ context.Context, message *runtime.Message) (wire.Appender, error) {
			method, params := message.Method, wire.Raw(message.Object())
			switch method {
			case "notifications/message":
				got = append(got, string(params))
			case "notifications/end":
				close(done)
			}
			return nil, nil
		},
	})
	a, b := inproc.Pair()
	go server.Serve(t.Context(), a)
	session, err := client.Connect(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	if level != "" {
		if err := session.Call(t.Context(), "logging/setLevel", wire.Raw(`{"level":"`+level+`"}`), nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := session.Call(t.Context(), "work", nil, nil); err != nil {
		t.Fatal(err)
	}
	<-done
	return got
}

type resolved struct{}

func (resolved) LogValue() slog.Value { return slog.GroupValue(slog.Int("x", 1)) }

type failure struct{ text string }

func (f *failure) Error() string { return f.text }

// TestData checks the data that records become.
func TestData(t *testing.T) {
	for _, c := range []struct {
		name string
		log  func(context.Context, *slog.Logger)
		want string
	}{
		{"message", func(ctx context.Context, l *slog.Logger) { l.InfoContext(ctx, "hello \"you\"\n") }, `{"msg":"hello \"you\"\n"}`},
		{"kinds", func(ctx context.Context, l *slog.Logger) {
			l.InfoContext(ctx, "m", "b", true, "i", int64(math.MinInt64), "u", uint64(math.MaxUint64), "f", 0.5, "inf", math.Inf(1),
				"d", time.Second, "t", time.Date(2025, 1, 2, 3, 4, 5, 6, time.UTC), "s", "s", "nil", nil, "err", errors.New("e"),
				"raw", wire.Raw(`{"n":9007199254740993}`), "bad", wire.Raw(`{"a":1,"a":2}`), "any", []int{1, 2}, "r", resolved{})
		}, `{"msg":"m","b":true,"i":-9223372036854775808,"u":18446744073709551615,"f":0.5,"inf":"+Inf","d":"1s","t":"2025-01-02T03:04:05.000000006Z",` +
			`"s":"s","nil":null,"err":"e","raw":{"n":9007199254740993},"bad":"{\"a\":1,\"a\":2}","any":"[1 2]","r":{"x":1}}`},
		{"nil pointers", func(ctx context.Context, l *slog.Logger) {
			l.InfoContext(ctx, "m", "err", (*failure)(nil), "object", (*wire.Object)(nil))
		}, `{"msg":"m","err":"<nil>","object":null}`},
		{"bad UTF-8", func(ctx context.Context, l *slog.Logger) { l.InfoContext(ctx, "a\xff", "k\xff", "v\xff") }, "{\"msg\":\"a\uFFFD\",\"k\uFFFD\":\"v\uFFFD\"}"},
		{"the last of two", func(ctx context.Context, l *slog.Logger) { l.With("a", 1).InfoContext(ctx, "m", "a", 2, "a", 3) }, `{"msg":"m","a":3}`},
		{"groups", func(ctx context.Context, l *slog.Logger) {
			l = l.With("a", 1).WithGroup("g").With("b", 2).WithGroup("h")
			l.InfoContext(ctx, "m", slog.Group("i", "c", 3), slog.Group("", "d", 4), slog.Group("empty"), slog.Attr{})
		}, `{"msg":"m","a":1,"g":{"b":2,"h":{"i":{"c":3},"d":4}}}`},
		{"an empty group", func(ctx context.Context, l *slog.Logger) {
			l.WithGroup("g").WithGroup("").WithGroup("h").InfoContext(ctx, "m")
		}, `{"msg":"m"}`},
		{"a logger is not changed by those made from it", func(ctx context.Context, l *slog.Logger) {
			g := l.WithGroup("g").With("a", 1)
			g.With("b", 2).WithGroup("x")
			g.InfoContext(ctx, "m", "c", 3)
		}, `{"msg":"m","g":{"a":1,"c":3}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := messages(t, `{"logging":{}}`, "", func(ctx context.Context) { c.log(ctx, slog.New(mcplog.New("db", nil))) })
			if diff := cmp.Diff([]string{`{"level":"info","logger":"db","data":` + c.want + `}`}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestLevels checks which records reach the client and which the next handler.
func TestLevels(t *testing.T) {
	log := func(ctx context.Context, l *slog.Logger) {
		for level := slog.Level(-8); level <= 24; level += 2 {
			l.Log(ctx, level, "m")
		}
	}
	all := []string{"debug", "debug", "debug", "debug", "info", "notice", "warning", "warning", "error", "error", "critical", "critical", "alert", "alert",
		"emergency", "emergency", "emergency"}
	for _, c := range []struct {
		capabilities wire.Raw
		level        string
		want         []string
	}{
		{`{"logging":{}}`, "", all},
		{`{"logging":{}}`, "error", all[8:]},
		{`{}`, "", nil},
	} {
		var local bytes.Buffer
		next := slog.NewTextHandler(&local, &slog.HandlerOptions{Level: slog.LevelError})
		got := messages(t, c.capabilities, c.level, func(ctx context.Context) { log(ctx, slog.New(mcplog.New("", next))) })
		var want []string
		for _, level := range c.want {
			want = append(want, `{"level":"`+level+`","data":{"msg":"m"}}`)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s, %q (-want +got):\n%s", c.capabilities, c.level, diff)
		}
		if n := bytes.Count(local.Bytes(), []byte("\n")); n != 9 {
			t.Errorf("%s, %q: %d local records", c.capabilities, c.level, n)
		}
	}
}

// TestOutside checks that records logged outside of requests go to the next handler only.
func TestOutside(t *testing.T) {
	var local bytes.Buffer
	l := slog.New(mcplog.New("", slog.NewTextHandler(&local, nil)).WithAttrs([]slog.Attr{slog.Int("a", 1)}).WithGroup("g"))
	l.Info("m", "b", 2)
	if !bytes.Contains(local.Bytes(), []byte("msg=m a=1 g.b=2")) {
		t.Errorf("got %s", &local)
	}
	if slog.New(mcplog.New("", nil)).Enabled(t.Context(), slog.LevelError) {
		t.Error("enabled without a client and a next handler")
	}
}
