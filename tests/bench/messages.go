package main

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/mcpgen/mcpgen/tests/bench/peers"
)

// The call that all subjects make. Its request has about 140 bytes and its answer 240.
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

// revision is the revision that all clients request, except in the rows about stateless, which is
// the revision without sessions.
const (
	revision  = "2025-11-25"
	stateless = "2026-07-28"
)

// metaText is what each request of the revision without sessions carries.
const metaText = `"io.modelcontextprotocol/protocolVersion":"` + stateless +
	`","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}`

// checkWeather checks the structured result of the call.
func checkWeather(city, sky string, temperature, wind float64) error {
	if city != argCity || sky != wantSky || temperature != wantTemp || wind != wantWind {
		return fmt.Errorf("the structured content is %q %q %v %v", city, sky, temperature, wind)
	}
	return nil
}

// checkStructured is checkWeather for libraries whose clients return untyped results.
func checkStructured(v any) error {
	m, _ := v.(map[string]any)
	city, _ := m["city"].(string)
	sky, _ := m["sky"].(string)
	temperature, _ := m["temperature"].(float64)
	wind, _ := m["wind"].(float64)
	return checkWeather(city, sky, temperature, wind)
}

// checkTools checks the number of listed tools.
func checkTools(got, want int) error {
	if got != want {
		return fmt.Errorf("got %d tools, want %d", got, want)
	}
	return nil
}

// The messages that open a session, and a progress notification.
const (
	initializeText = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + revision +
		`","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`
	initializedText = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	progressText    = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`
)

// checkAnswer checks the text of an answer to the call.
func checkAnswer(answer []byte) error {
	if !bytes.Contains(answer, []byte(`"structuredContent":`+wantText)) || bytes.Contains(answer, []byte(`"isError":true`)) {
		return fmt.Errorf("the answer is %s", answer)
	}
	return nil
}

// invalid are arguments that a server must refuse: the first set is invalid, and the second has
// an invalid result. They are the negative controls of the benchmarks.
var invalid = []string{`{}`, `{"city":"` + peers.Nowhere + `"}`}

// checkRefused checks the text of an answer to an invalid call.
func checkRefused(answer []byte) error {
	if !bytes.Contains(answer, []byte(`"isError":true`)) && !bytes.Contains(answer, []byte(`"error":`)) {
		return fmt.Errorf("negative control: not refused: %s", answer)
	}
	return nil
}

// appendStateless is appendCall for a call without a session. The meta comes last, as official clients
// write it.
func appendStateless(dst []byte, id int64, arguments string, progress bool) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = strconv.AppendInt(dst, id, 10)
	dst = append(dst, `,"method":"tools/call","params":{"name":"get_weather","arguments":`...)
	dst = append(dst, arguments...)
	dst = append(dst, `,"_meta":{`+metaText...)
	if progress {
		dst = append(dst, `,"progressToken":"p"`...)
	}
	return append(dst, "}}}"...)
}

// appendCall appends a call of get_weather.
func appendCall(dst []byte, id int64, arguments string, progress bool) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = strconv.AppendInt(dst, id, 10)
	dst = append(dst, `,"method":"tools/call","params":{`...)
	if progress {
		dst = append(dst, `"_meta":{"progressToken":"p"},`...)
	}
	dst = append(dst, `"name":"get_weather","arguments":`...)
	dst = append(dst, arguments...)
	return append(dst, "}}"...)
}
