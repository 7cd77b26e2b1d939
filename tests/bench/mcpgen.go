package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	all "github.com/mcpgen/mcpgen/generated"
	mcp "github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/catalog"
	"github.com/mcpgen/mcpgen/runtime/inproc"
	"github.com/mcpgen/mcpgen/runtime/stdio"
	"github.com/mcpgen/mcpgen/runtime/streamable"
	"github.com/mcpgen/mcpgen/runtime/tools"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/bench/peers"
	"github.com/mcpgen/mcpgen/tests/bench/weather"
	"github.com/mcpgen/mcpgen/tests/bench/weatherclient"
)

// onMcpgen is this project at a revision, with a server and a client generated from
// peers/tools.json.
func onMcpgen(revision string) library {
	return library{
		name: mcpgen,
		handler: func(n int, _ bool) (http.Handler, error) {
			server, err := mcpgenServer(n)
			if err != nil {
				return nil, err
			}
			// Whether an answer is JSON is for the row to say, not for the machine's load.
			return streamable.NewHandler(server, streamable.Options{MaxSessions: 1 << 20, StreamAfter: time.Minute}), nil
		},
		inProcess: func(n int) (dial, error) {
			server, err := mcpgenServer(n)
			return func(ctx context.Context) (client, error) {
				near, far := inproc.Pair()
				go server.Serve(ctx, far)
				return mcpgenConnect(ctx, near, revision)
			}, err
		},
		dialHTTP: func(ctx context.Context, url string, over *http.Client) (client, error) {
			t, err := streamable.NewTransport(url, streamable.ClientOptions{HTTPClient: over})
			if err != nil {
				return nil, err
			}
			return mcpgenConnect(ctx, t, revision)
		},
		start: func(ctx context.Context, program string) (client, error) {
			cmd := exec.Command(program)
			cmd.Stderr = io.Discard
			return mcpgenConnect(ctx, stdio.Command(cmd), revision)
		},
	}
}

// mcpgenServer makes a server of so many tools. All run the code that was generated for
// the first.
func mcpgenServer(n int) (*runtime.Server, error) {
	h := &weather.Handlers{}
	c := catalog.New(catalog.Options{})
	first := weather.ServerTools(h, tools.Options{})[0].(catalog.Tool)
	definition, err := wire.Marshal(first.Definition)
	if err != nil {
		return nil, err
	}
	for i := range n {
		named := strings.Replace(string(definition), peers.Name(0), peers.Name(i), 1)
		if err := c.Add(catalog.Tool{Definition: wire.Object(named), Call: first.Call}); err != nil {
			return nil, err
		}
	}
	return weather.NewServer(h, runtime.ServerOptions{Name: "weather", Version: "1"}, c)
}

type mcpgenClient struct {
	session *runtime.Session
	typed   *weatherclient.Client
	server  mcp.ServerCaller
	told    atomic.Int64
}

func mcpgenConnect(ctx context.Context, t runtime.Transport, revision string) (client, error) {
	bindings := slices.DeleteFunc(all.ClientBindings(), func(b runtime.Binding) bool { return b.Revision != revision })
	session, err := runtime.NewClient(runtime.ClientOptions{Name: "bench", Version: "1"}, bindings...).Connect(ctx, t)
	if err != nil {
		return nil, err
	}
	return &mcpgenClient{session: session, typed: weatherclient.NewClient(session), server: mcp.NewServerCaller(session)}, nil
}

func (c *mcpgenClient) weather(ctx context.Context, progress bool) error {
	if progress {
		ctx = runtime.WithProgress(ctx, func(runtime.Progress) { c.told.Add(1) })
	}
	out, err := c.typed.GetWeather(ctx, &weatherclient.GetWeatherInput{
		City: argCity, Hours: new(int64(argHours)), Units: new(weatherclient.GetWeatherInputUnits(argUnits)),
	})
	if err != nil {
		return err
	}
	return checkWeather(out.City, string(out.Sky), out.Temperature, out.Wind)
}

func (c *mcpgenClient) refused(ctx context.Context, city string) error {
	out, err := c.typed.GetWeather(ctx, &weatherclient.GetWeatherInput{City: city})
	if _, ok := errors.AsType[*tools.Error](err); !ok { // an error of another type is one of the client
		return fmt.Errorf("%+v, %w", out, err)
	}
	return nil
}

func (c *mcpgenClient) tools(ctx context.Context, want int) error {
	list, err := c.server.ListTools(ctx, nil)
	if err != nil {
		return err
	}
	return checkTools(len(list.Tools), want)
}

func (c *mcpgenClient) progress() int64 { return c.told.Load() }
func (c *mcpgenClient) close()          { c.session.Close() }
