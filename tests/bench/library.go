package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"github.com/mcpgen/mcpgen/tests/bench/peers"
)

// library is how a library is used where a row has all of them do the same.
type library struct {
	name string
	// handler serves a number of tools over Streamable HTTP, of which get_weather is the
	// first, and answers with event streams if stream is set.
	handler func(tools int, stream bool) (http.Handler, error)
	// inProcess connects a client with a server of so many tools in memory.
	inProcess func(ctx context.Context, tools int) (client, error)
	// dialHTTP connects a client over Streamable HTTP.
	dialHTTP func(ctx context.Context, url string, over *http.Client) (client, error)
	// start starts a server process and connects a client with it.
	start func(ctx context.Context, program string) (client, error)
	// loses says that a notification which a handler has sent may not leave the server, late
	// that its client may be told of one after the answer.
	loses, late bool
	// unchecked says that the server checks neither arguments nor results unless told to.
	unchecked bool
}

// client is the client of a library in a session.
type client interface {
	// weather calls get_weather with the arguments that all use, and checks the result. If
	// progress is set, it asks to be told of progress.
	weather(ctx context.Context, progress bool) error
	// refused calls get_weather for a city. It is an error when the server does not refuse
	// that, as it must without a city, for arguments that are not valid, and for
	// peers.Nowhere, for a result that is not valid.
	refused(ctx context.Context, city string) error
	// tools asks for the list of tools and checks how many there are.
	tools(ctx context.Context, want int) error
	// progress is how often the client was told of progress.
	progress() int64
	close()
}

// libraries are all of them, the one that is to be better first.
var libraries = []library{onMcpgen, onMCPGo, onGoSDK}

// The one call that all make. Its request has 140 bytes, its answer 240.
const (
	argCity    = "Reykjavik"
	argHours   = 24
	argUnits   = "metric"
	argsText   = `{"city":"Reykjavik","hours":24,"units":"metric"}`
	wantSky    = "snow"
	wantTemp   = -13.5
	wantWind   = 12.25
	wantText   = `{"city":"Reykjavik","sky":"snow","temperature":-13.5,"wind":12.25}`
	wantQuoted = `{\"city\":\"Reykjavik\",\"sky\":\"snow\",\"temperature\":-13.5,\"wind\":12.25}`

	callText   = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_weather","arguments":` + argsText + `}}`
	answerText = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + wantQuoted + `"}],"structuredContent":` + wantText + `}}`
)

// revision is what all clients ask for.
const revision = "2025-11-25"

// checkWeather checks the structured result of the call.
func checkWeather(city, sky string, temperature, wind float64) error {
	if city != argCity || sky != wantSky || temperature != wantTemp || wind != wantWind {
		return fmt.Errorf("the structured content is %q %q %v %v", city, sky, temperature, wind)
	}
	return nil
}

// checkStructured is checkWeather for libraries whose clients give no type to it.
func checkStructured(v any) error {
	m, _ := v.(map[string]any)
	city, _ := m["city"].(string)
	sky, _ := m["sky"].(string)
	temperature, _ := m["temperature"].(float64)
	wind, _ := m["wind"].(float64)
	return checkWeather(city, sky, temperature, wind)
}

func checkTools(got, want int) error {
	if got != want {
		return fmt.Errorf("%d tools, not %d", got, want)
	}
	return nil
}

// The messages that open a session, and what a client is told of progress.
const (
	initializeText = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + revision +
		`","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`
	initializedText = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	progressText    = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`
)

// checkAnswer checks an answer to the call as text.
func checkAnswer(answer []byte) error {
	if !bytes.Contains(answer, []byte(`"structuredContent":`+wantText)) || bytes.Contains(answer, []byte(`"isError":true`)) {
		return fmt.Errorf("the answer is %s", answer)
	}
	return nil
}

// invalid are the arguments that a server must refuse: those of the first call, and the
// result of the second. They are the negative controls of what is measured.
var invalid = []string{`{}`, `{"city":"` + peers.Nowhere + `"}`}

// checkRefused checks an answer to an invalid call as text.
func checkRefused(answer []byte) error {
	if !bytes.Contains(answer, []byte(`"isError":true`)) && !bytes.Contains(answer, []byte(`"error":`)) {
		return fmt.Errorf("negative control: not refused: %s", answer)
	}
	return nil
}

// calls is the work of a client: one call after the other.
func calls(ctx context.Context, c client) *Work {
	return &Work{
		Do: func(n int) error {
			for range n {
				if err := c.weather(ctx, false); err != nil {
					return err
				}
			}
			return nil
		},
		Close: c.close,
	}
}

// subjects makes one of the floor and one of each library.
func subjects(below func(context.Context, *Lab) (*Work, error), start func(context.Context, *Lab, library) (*Work, error)) []Subject {
	all := []Subject{{floor, below}}
	for _, l := range libraries {
		all = append(all, Subject{l.name, func(ctx context.Context, lab *Lab) (*Work, error) { return start(ctx, lab, l) }})
	}
	return all
}
