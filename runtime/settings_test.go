package runtime_test

import (
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestNil checks that nil pointers are told of, and do not panic.
func TestNil(t *testing.T) {
	none := side{}.bind(r11, runtime.ToClient)
	server := side{}.bind(r11, runtime.ToServer)
	end := func() runtime.Transport { a, _ := inproc.Pair(); return a }
	connect := func(o runtime.ClientOptions, tr runtime.Transport) error {
		_, err := runtime.NewClient(o, none).Connect(t.Context(), tr)
		return err
	}
	for want, err := range map[string]error{
		"the transport is nil":                                           connect(runtime.ClientOptions{}, nil),
		"the transport is a nil *stdio.Process":                          connect(runtime.ClientOptions{}, (*stdio.Process)(nil)),
		"the transport is a nil *inproc.Transport":                       runtime.NewServer(runtime.ServerOptions{}, server).Serve(t.Context(), (*inproc.Transport)(nil)),
		"the value of Capabilities in the options is a nil *wire.Object": connect(runtime.ClientOptions{Capabilities: (*wire.Object)(nil)}, end()),
		"the value of Capabilities in the options is a nil *wire.Raw":    runtime.NewServer(runtime.ServerOptions{Capabilities: (*wire.Raw)(nil)}, server).Serve(t.Context(), end()),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
