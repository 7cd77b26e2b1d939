package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testkit"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestManySessions runs sessions of one server at once, whose calls answer, ask back,
// fail, panic and are cancelled at random: each call gets its own answer once, and no
// goroutine is left.
func TestManySessions(t *testing.T) {
	const sessions, calls = 40, 50
	before := goruntime.NumGoroutine()
	server := runtime.NewServer(runtime.ServerOptions{}, tools.with(side{
		"nap": func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
			args := wire.Raw(message.Object())
			select {
			case <-time.After(time.Duration(rand.IntN(3)) * time.Millisecond):
				return args, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		},
		"ask": func(ctx context.Context, message *runtime.Message) (wire.Appender, error) {
			args := wire.Raw(message.Object())
			return args, runtime.CallOf(ctx).Call(ctx, "ping", nil, nil)
		},
	}).bind(r06, runtime.ToServer))
	client := newClient(nil, r06)
	var answers, gaveUp atomic.Int64
	var all sync.WaitGroup
	for n := range sessions {
		all.Go(func() {
			session, end := connect(t, server, client)
			defer end()
			var wg sync.WaitGroup
			for i := range calls {
				wg.Go(func() {
					name := []string{"echo", "nap", "ask", "boom", "wait"}[rand.IntN(5)]
					ctx, cancel := context.WithCancel(context.Background())
					defer cancel()
					if name == "wait" || rand.IntN(4) == 0 {
						time.AfterFunc(time.Duration(rand.IntN(2000))*time.Microsecond, cancel)
					}
					args := wire.Raw(fmt.Sprintf(`{"n":%d,"i":%d}`, n, i))
					var got wire.Raw
					switch err := session.Call(ctx, "tools/call", &toolParams{Name: name, Arguments: args}, &got); {
					case err == context.Canceled:
						gaveUp.Add(1)
					case name == "boom":
						if code(err) != jsonrpc.CodeInternalError {
							t.Errorf("boom: %v", err)
						}
						answers.Add(1)
					case err != nil || got != args:
						t.Errorf("%s %s: %s, %v", name, args, got, err)
					default:
						answers.Add(1)
					}
				})
			}
			wg.Wait()
		})
	}
	all.Wait()
	t.Logf("%d answers, %d given up", answers.Load(), gaveUp.Load())
	if answers.Load()+gaveUp.Load() != sessions*calls {
		t.Error("calls are lost")
	}
	testkit.Goroutines(t, before)
}

// TestCloseAnytime closes sessions from either end while calls are under way.
func TestCloseAnytime(t *testing.T) {
	server := benchServer()
	client := newClient(nil, r06)
	for i := range 200 {
		a, b := inproc.Pair()
		ctx, cancel := context.WithCancel(t.Context())
		served := make(chan error, 1)
		go func() { served <- server.Serve(ctx, a) }()
		session, err := client.Connect(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for {
					err := session.Call(t.Context(), "tools/call", &toolParams{Name: "echo"}, nil)
					if err != nil {
						if !errors.Is(err, runtime.ErrClosed) && code(err) != jsonrpc.CodeServerBusy {
							t.Errorf("call: %v", err)
						}
						return
					}
				}
			})
		}
		time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
		if i%2 == 0 {
			cancel()
		} else {
			session.Close()
		}
		wg.Wait()
		if err := session.Wait(); err != nil {
			t.Errorf("client: %v", err)
		}
		if err := <-served; err != nil && err != context.Canceled {
			t.Errorf("server: %v", err)
		}
		cancel()
	}
}

// FuzzServer feeds a server any lines after a handshake in each revision: everything it
// writes is a message, and a good request that follows is answered.
func FuzzServer(f *testing.F) {
	for _, c := range hostile {
		if len(c.send) < 1000 {
			for i := range 5 {
				f.Add(byte(i), []byte(c.send))
			}
		}
	}
	f.Add(byte(1), []byte("\n\r\n{}\n[]\n{\"jsonrpc\":\"2.0\"}"))
	f.Add(byte(1), []byte(toolCall("1", "wait", "{}")+"\n["+toolCall("2", "wait", "{}")+","+cancelled("1")+"]\n"+cancelled("2")))
	server := runtime.NewServer(runtime.ServerOptions{Grace: -1, Limits: runtime.Limits{MaxMessage: 2000}},
		tools.bind(r2024, runtime.ToServer), tools.bind(r03, runtime.ToServer), tools.bind(r06, runtime.ToServer), tools.bind(r11, runtime.ToServer))
	f.Fuzz(func(t *testing.T, revision byte, lines []byte) {
		var input bytes.Buffer
		if n := int(revision % 5); n < 4 {
			fmt.Fprintf(&input, initialize+"\n"+initialized+"\n", []string{r2024, r03, r06, r11}[n])
		}
		input.Write(lines)
		input.WriteString("\n" + `{"jsonrpc":"2.0","id":"the last good request","method":"ping"}` + "\n")
		p := &probePipe{t: t, input: &input, answered: make(chan struct{})}
		if err := server.Serve(t.Context(), &stdio.Transport{In: p, Out: p}); err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
}

// probePipe is both streams of a server: its input ends when the last request is
// answered.
type probePipe struct {
	t        *testing.T
	input    *bytes.Buffer
	answered chan struct{}
	once     sync.Once
}

func (p *probePipe) Read(buf []byte) (int, error) {
	n, err := p.input.Read(buf)
	if err == io.EOF {
		select {
		case <-p.answered:
		case <-time.After(testkit.Limit):
			p.t.Error("the last request is not answered")
		}
	}
	return n, err
}

func (p *probePipe) Write(line []byte) (int, error) {
	text, ok := strings.CutSuffix(string(line), "\n")
	if !ok || strings.Contains(text, "\n") {
		p.t.Errorf("not a line: %q", line)
	}
	if jsonrpc.IsBatch(text) {
		batch := jsonrpc.ParseText(text)
		err := batch.Err
		for _, item := range batch.Batch {
			err = errors.Join(err, item.Err)
		}
		if err != nil {
			p.t.Errorf("%s: %v", text, err)
		}
	} else if m, err := jsonrpc.Parse(text); err != nil {
		p.t.Errorf("%s: %v", text, err)
	} else if m.ID == wire.ScalarOf("the last good request") && m.Result == "{}" {
		p.once.Do(func() { close(p.answered) })
	}
	return len(line), nil
}
