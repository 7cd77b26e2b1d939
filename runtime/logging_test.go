package runtime_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var allLevels = []runtime.LogLevel{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}

// logTool logs at every level in both ways and asks of every level whether it would be sent.
func logTool(ctx context.Context, _ *runtime.Message) (wire.Appender, error) {
	c := runtime.CallOf(ctx)
	for _, level := range append(allLevels, "strange") {
		if err := c.Log(ctx, level, "db", wire.Raw(`{"a":1}`)); err != nil {
			return nil, jsonrpc.Errorf(1, "%v", err)
		}
		if err := c.Notify(ctx, "notifications/message", wire.Raw(fmt.Sprintf(`{"level":%q,"data":%t}`, level, c.Logs(level)))); err != nil {
			return nil, err
		}
	}
	return wire.Raw(`{}`), nil
}

// TestLogLevel checks which log messages a client gets, whoever answers its setLevel.
func TestLogLevel(t *testing.T) {
	own := side{"logging/setLevel": func(context.Context, *runtime.Message) (wire.Appender, error) { return wire.Raw(`{"own":true}`), nil }}
	for name, handlers := range map[string]side{"the runtime's": {}, "the handler's": own} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := runtime.NewServer(runtime.ServerOptions{Capabilities: wire.Raw(`{"tools":{},"logging":{}}`)},
					tools.with(side{"log": logTool}).with(handlers).bindGated(r11, runtime.ToServer))
				conn, other := open(t.Context(), t, server, r11), open(t.Context(), t, server, r11)
				logged := func(least int) {
					t.Helper()
					var want []string
					for i, level := range append(allLevels, "strange") {
						if i >= least {
							want = append(want, `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"`+string(level)+`","logger":"db","data":{"a":1}}}`,
								`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"`+string(level)+`","data":true}}`)
						}
					}
					conn.send(toolCall("1", "log", "{}"))
					if diff := cmp.Diff(append(want, `{"jsonrpc":"2.0","id":1,"result":{}}`), conn.replies()); diff != "" {
						t.Errorf("from %d on (-want +got):\n%s", least, diff)
					}
				}
				logged(0)
				for i, level := range allLevels {
					conn.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":%q}}`, level))
					answer := `\{\}`
					if len(handlers) > 0 {
						answer = `\{"own":true\}`
					}
					match(t, conn.replies(), []string{answered("2", answer)})
					logged(i)
				}
				// Other sessions have a level of their own.
				other.send(toolCall("1", "log", "{}"))
				if got := other.replies(); len(got) != 2*len(allLevels)+3 {
					t.Errorf("%d lines", len(got))
				}
				conn.hangUp()
				other.hangUp()
			})
		})
	}
}

func TestSetLevel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct{ capabilities, params, want string }{
			{`{"logging":{}}`, `{"level":"error"}`, answered("1", `\{\}`)},
			{`{"logging":{}}`, `{"level":"bogus"}`, refused("1", "-32602", `invalid params: /level: not a log level: .*bogus.*`)},
			{`{"logging":{}}`, `{"level":"Error"}`, refused("1", "-32602", `.*`)},
			{`{"logging":{}}`, `{"level":3}`, refused("1", "-32602", `.*`)},
			{`{"logging":{}}`, `{}`, refused("1", "-32602", `.*`)},
			{`{}`, `{"level":"error"}`, refused("1", "-32601", `.*`)},
		} {
			server := runtime.NewServer(runtime.ServerOptions{Capabilities: wire.Raw(c.capabilities)}, tools.bindGated(r11, runtime.ToServer))
			conn := open(t.Context(), t, server, r11)
			conn.send(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":` + c.params + `}`)
			match(t, conn.replies(), []string{c.want})
			conn.hangUp()
		}
	})
}

// TestLogNotDeclared checks that a server without logging sends no log messages: Log does
// nothing, and Notify fails.
func TestLogNotDeclared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := runtime.NewServer(runtime.ServerOptions{Capabilities: wire.Raw(`{"tools":{}}`)}, tools.with(side{"log": logTool}).bindGated(r11, runtime.ToServer))
		conn := open(t.Context(), t, server, r11)
		conn.send(toolCall("1", "log", "{}"))
		match(t, conn.replies(), []string{refused("1", "-32603", `internal error`)})
		conn.hangUp()
	})
}

// TestSessionLog checks that what a server logs outside of requests keeps to the level,
// too.
func TestSessionLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var session *runtime.ServerSession
		b := whenOpened(tools.bindGated(r11, runtime.ToServer), func(s *runtime.ServerSession) { session = s })
		conn := open(t.Context(), t, runtime.NewServer(runtime.ServerOptions{Capabilities: wire.Raw(`{"logging":{}}`)}, b), r11)
		conn.send(`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"error"}}`)
		conn.replies()
		for _, level := range []runtime.LogLevel{runtime.LogWarning, runtime.LogAlert} {
			if err := session.Log(t.Context(), level, "", nil); err != nil {
				t.Error(err)
			}
		}
		match(t, conn.replies(), []string{`"params":\{"level":"alert","data":null\}`})
		conn.hangUp()
	})
}
