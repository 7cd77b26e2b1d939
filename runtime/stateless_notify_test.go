package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestStatelessLogs checks which log messages a request gets.
func TestStatelessLogs(t *testing.T) {
	s := side{"log": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		c := runtime.CallOf(ctx)
		for _, level := range []runtime.LogLevel{runtime.LogDebug, runtime.LogWarning, runtime.LogEmergency} {
			if err := c.Log(ctx, level, "", wire.Raw("1")); err != nil {
				return nil, err
			}
			if err := c.Notify(ctx, "notifications/message", wire.Raw(fmt.Sprintf(`{"level":%q,"data":2}`, level))); err != nil {
				return nil, err
			}
		}
		return wire.Raw(`{}`), c.Notify(ctx, "notifications/message", wire.Raw(`{"level":"odd","data":2}`))
	}}
	message := func(level string, data int) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":%q,"data":%d}}`, level, data)
	}
	both := func(levels ...string) (all []string) {
		for _, level := range levels {
			all = append(all, message(level, 1), message(level, 2))
		}
		return append(all, message("odd", 2))
	}
	for level, want := range map[string][]string{
		"":          nil,
		"debug":     both("debug", "warning", "emergency"),
		"warning":   both("warning", "emergency"),
		"error":     both("emergency"),
		"emergency": both("emergency"),
	} {
		alone(t, "F41 F42 F43 level "+level, s, runtime.ServerOptions{}, []string{r11}, func(t *testing.T, c *conn) {
			meta := metaTerms
			if level != "" {
				meta += `,"io.modelcontextprotocol/logLevel":"` + level + `"`
			}
			c.answers([]string{request("1", "tools/call", `"name":"log"`, meta)}, append(slices.Clone(want), result("1", ""))...)
			c.answers([]string{call("2", "log")}, result("2", "")) // the level was that of the first request
		})
	}
	alone(t, "F41 without the capability", s, runtime.ServerOptions{Capabilities: wire.Raw(`{"tools":{}}`)}, nil, func(t *testing.T, c *conn) {
		c.send(request("1", "tools/call", `"name":"log"`, metaTerms+`,"io.modelcontextprotocol/logLevel":"debug"`))
		if got := c.replies(); len(got) != 1 || !strings.Contains(got[0], `"error"`) {
			t.Errorf("got %s, want the error of Notify", got)
		}
	})
}

// TestStatelessNotifications checks that a handler sends only what belongs to its request.
func TestStatelessNotifications(t *testing.T) {
	var late func() error
	s := side{
		"progress": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			c := runtime.CallOf(ctx)
			_, wanted := c.ProgressToken()
			for i, v := range []float64{1, 2, 2, 1, 3} {
				if err := c.Progress(ctx, v, nil, "m"); (err != nil) != (wanted && (i == 2 || i == 3)) {
					return nil, fmt.Errorf("progress %v: %v", v, err)
				}
			}
			late = func() error {
				return errors.Join(c.Progress(ctx, 9, nil, ""), c.Log(ctx, runtime.LogError, "", nil))
			}
			return wire.Raw(`{}`), nil
		},
		"others": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			for _, method := range []string{"notifications/tools/list_changed", "notifications/resources/updated", "notifications/cancelled", "notifications/subscriptions/acknowledged"} {
				if err := runtime.CallOf(ctx).Notify(ctx, method, wire.Raw(`{}`)); !errors.Is(err, runtime.ErrNotRequested) {
					return nil, fmt.Errorf("%s: %w", method, err)
				}
			}
			var unknown *runtime.MethodError
			if err := runtime.CallOf(ctx).Notify(ctx, "notifications/initialized", nil); !errors.As(err, &unknown) {
				return nil, err
			}
			return wire.Raw(`{}`), nil
		},
		"ask": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
			var result wire.Raw
			for _, method := range []string{"ping", "tools/call"} {
				var unknown *runtime.MethodError
				if err := runtime.CallOf(ctx).Call(ctx, method, nil, &result); !errors.As(err, &unknown) {
					return nil, fmt.Errorf("%s: %w", method, err)
				}
			}
			return wire.Raw(`{}`), nil
		},
	}
	const level = `,"io.modelcontextprotocol/logLevel":"debug"`
	alone(t, "P53 P55 P57 F43 progress", s, runtime.ServerOptions{}, []string{r11}, func(t *testing.T, c *conn) {
		progress := func(token string, v int) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"message":"m"}}`, token, v)
		}
		c.answers([]string{call("1", "progress")}, result("1", "")) // no token
		for _, token := range []string{`"a"`, "5"} {
			c.answers([]string{request("2", "tools/call", `"name":"progress"`, metaTerms+level+`,"progressToken":`+token)},
				progress(token, 1), progress(token, 2), progress(token, 3), result("2", ""))
			if err := late(); !errors.Is(err, runtime.ErrNotRequested) {
				t.Errorf("Log after the answer: got %v, want an error", err)
			}
			c.answers(nil)
		}
	})
	alone(t, "P36 P39 S6 what the client has not asked for", s, runtime.ServerOptions{}, nil, func(t *testing.T, c *conn) {
		c.answers([]string{call("1", "others")}, result("1", ""))
	})
	alone(t, "S6 P1 T2 requests of the server", s, runtime.ServerOptions{Limits: runtime.Limits{KeepAlive: time.Second}}, []string{r11}, func(t *testing.T, c *conn) {
		c.answers([]string{call("1", "ask")}, result("1", ""))
		time.Sleep(time.Minute)
		c.answers(nil) // no ping
	})
}

// TestStatelessCancellation checks that nothing is sent for a cancelled request.
func TestStatelessCancellation(t *testing.T) {
	var cause error
	var after []error
	s := side{"wait": func(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
		<-ctx.Done()
		cause = context.Cause(ctx)
		c := runtime.CallOf(ctx)
		after = []error{c.Progress(context.Background(), 5, nil, ""), c.Log(context.Background(), runtime.LogError, "", nil)}
		return wire.Raw(`{}`), nil
	}}
	cancelled := func(params string) string {
		return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":` + params + `}`
	}
	alone(t, "S10 S11 P46 P49 P50 B16", s.with(side{"echo": tools["echo"]}), runtime.ServerOptions{}, []string{r11}, func(t *testing.T, c *conn) {
		c.answers([]string{request(`"w"`, "tools/call", `"name":"wait"`, metaTerms+`,"progressToken":1,"io.modelcontextprotocol/logLevel":"debug"`)})
		c.answers([]string{cancelled(`{"requestId":"w","reason":"enough"}`)})
		if e, ok := errors.AsType[*runtime.CancelledError](cause); !ok || e.Reason != "enough" {
			t.Errorf("the context ended with %v", cause)
		}
		if len(after) != 2 || !errors.Is(after[0], runtime.ErrNotRequested) || !errors.Is(after[1], runtime.ErrNotRequested) {
			t.Errorf("after the cancellation: %v", after)
		}
		c.answers([]string{cancelled(`{"requestId":"w"}`), call("2", "echo"), cancelled(`{"requestId":2}`)}, result("2", "")) // done, and done
	})
	alone(t, "P47 P51 invalid cancellations", s.with(side{"echo": tools["echo"]}), runtime.ServerOptions{}, nil, func(t *testing.T, c *conn) {
		c.answers([]string{call("1", "wait")})
		c.answers([]string{cancelled(`{"requestId":9}`), cancelled(`{}`), cancelled(`{"requestId":null}`), cancelled(`{"requestId":[1]}`), cancelled(`{"requestId":"1"}`)})
		c.answers([]string{call("2", "echo")}, result("2", ""))
		c.answers([]string{cancelled(`{"requestId":1}`)})
	})
}

// TestStatelessMessages checks the messages themselves.
func TestStatelessMessages(t *testing.T) {
	refused := func(id, code string) string { return `{"jsonrpc":"2.0",` + id + `"error":{"code":` + code + `,` }
	for name, row := range map[string]struct{ line, want string }{
		"B2 a fraction as id":   {strings.Replace(call("1", "echo"), `"id":1`, `"id":1.5`, 1), refused("", "-32600")},
		"B3 null as id":         {strings.Replace(call("1", "echo"), `"id":1`, `"id":null`, 1), refused("", "-32600")},
		"B10 not JSON":          {`{"jsonrpc":`, refused("", "-32700")},
		"B10 params of a list":  {`{"jsonrpc":"2.0","id":"x","method":"tools/call","params":[]}`, refused(`"id":"x",`, "-32600")},
		"T1 not UTF-8":          {strings.Replace(call("1", "echo"), "echo", "\xff", 1), refused("", "-32700")},
		"T2 a batch":            {"[" + call("1", "echo") + "]", refused("", "-32600")},
		"B10 invalid arguments": {request("7", "tools/call", `"name":5`, metaTerms), refused(`"id":7,`, "-32602")},
	} {
		alone(t, name, tools, runtime.ServerOptions{}, nil, func(t *testing.T, c *conn) {
			c.send(row.line)
			if got := c.replies(); len(got) != 1 || !strings.HasPrefix(got[0], row.want) {
				t.Errorf("got %s, want %s...", got, row.want)
			}
			c.answers([]string{call("2", "echo")}, result("2", ""))
		})
	}
	alone(t, "B4 an id that is in use", tools, runtime.ServerOptions{}, nil, func(t *testing.T, c *conn) {
		c.send(call("1", "wait"), call("1", "echo"))
		if got := c.replies(); len(got) != 1 || !strings.HasPrefix(got[0], refused("", "-32600")) {
			t.Errorf("got %s", got)
		}
		c.answers([]string{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`})
	})
	alone(t, "B5 ids keep their type", tools, runtime.ServerOptions{}, nil, func(t *testing.T, c *conn) {
		for _, id := range []string{`"1"`, "1", "-9007199254740993", `""`, `"\u00e9"`} {
			c.answers([]string{call(id, "echo")}, result(id, ""))
		}
	})
	alone(t, "T2 a response of the client", tools, runtime.ServerOptions{}, nil, func(t *testing.T, c *conn) {
		c.answers([]string{`{"jsonrpc":"2.0","id":1,"result":{}}`, call("2", "echo")}, result("2", ""))
	})
	alone(t, "B16 notifications are not answered", tools, runtime.ServerOptions{}, nil, func(t *testing.T, c *conn) {
		c.answers([]string{`{"jsonrpc":"2.0","method":"notifications/unknown"}`, `{"jsonrpc":"2.0","method":"tools/call","params":{"_meta":{` + metaTerms + `}}}`})
	})
	alone(t, "B18 requests interleave", tools, runtime.ServerOptions{}, nil, func(t *testing.T, c *conn) {
		c.send(call("1", "wait"))
		c.answers([]string{call("2", "echo"), call("3", "echo")}, result("2", ""), result("3", ""))
		c.answers([]string{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`})
	})
}

// TestStatelessShutdown checks the errors of requests that are not served.
func TestStatelessShutdown(t *testing.T) {
	alone(t, "B11 B15 busy", tools, runtime.ServerOptions{Limits: runtime.Limits{MaxConcurrent: 1}}, nil, func(t *testing.T, c *conn) {
		c.send(call("1", "wait"), call("2", "echo"))
		time.Sleep(2 * time.Second)
		if got := c.replies(); len(got) != 1 || !strings.HasPrefix(got[0], `{"jsonrpc":"2.0","id":2,"error":{"code":503,`) {
			t.Errorf("got %s", got)
		}
		c.answers([]string{`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`})
	})
	t.Run("S13 the end of the input", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := dial(t.Context(), t, newStateless(t, tools, runtime.ServerOptions{}, r11))
			c.answers([]string{call("1", "echo")}, result("1", ""))
			start := time.Now()
			if err := c.hangUp(); err != nil || time.Since(start) != 0 {
				t.Errorf("Serve returned %v after %v", err, time.Since(start))
			}
		})
	})
	t.Run("B11 B15 shutting down", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			c := dial(ctx, t, newStateless(t, tools, runtime.ServerOptions{Grace: time.Second}, r11))
			c.answers([]string{call("1", "wait")})
			cancel()
			synctest.Wait()
			c.send(call("2", "echo"))
			if got := c.replies(); len(got) != 1 || !strings.HasPrefix(got[0], `{"jsonrpc":"2.0","id":2,"error":{"code":503,`) {
				t.Errorf("got %s", got)
			}
			<-c.ended
		})
	})
}
