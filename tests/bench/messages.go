package main

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/mcpgen/mcpgen/tests/bench/peers"
)

// The one call that all make. Its request has about 140 bytes, its answer 240.
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

// checkTools checks how many tools were listed.
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
