package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The server that is built with coverage counters, the module that it is in, and the package that is generated for it.
const (
	serverMain   = "tests/bench/servers/mcpgen"
	serverModule = "tests/bench"
	serverTools  = "tests/bench/weather"
)

// dialect is how a client speaks a revision of the protocol.
type dialect struct {
	revision string
	session  bool // the client opens a session; otherwise each request says what the session would
}

// dialects are those for which the way of a call is measured.
var dialects = []dialect{{"2025-06-18", true}, {"2026-07-28", false}}

// fewCalls and manyCalls are the numbers of calls whose counters are compared.
const fewCalls, manyCalls = 3, 6

// measureWays builds the server of the project in root and measures the way of a call in each dialect over each
// transport.
func measureWays(root string) ([]*Way, error) {
	module, err := goCommand(root, "list", "-m")
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "mcpgen-size-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "server.exe")
	covered := []string{module + "/runtime/...", module + "/generated/...", module + "/" + serverTools}
	// A program whose main package has no counters writes none.
	covered = append(covered, module+"/"+serverMain)
	build := []string{"build", "-cover", "-covermode=atomic", "-coverpkg=" + strings.Join(covered, ","), "-o", program, module + "/" + serverMain}
	if _, err := goCommand(filepath.Join(root, serverModule), build...); err != nil {
		return nil, err
	}
	var ways []*Way
	for _, d := range dialects {
		for _, transport := range []string{"stdio", "http"} {
			w := &Way{Name: d.revision + " " + transport}
			var counters [2]map[block]int // of few calls and of many
			for i, calls := range []int{fewCalls, manyCalls} {
				cover := filepath.Join(dir, fmt.Sprintf("%s %d", w.Name, calls))
				if counters[i], err = d.run(program, transport, cover, calls); err != nil {
					return nil, fmt.Errorf("%s: %w", w.Name, err)
				}
			}
			if w.Functions, err = functionsOf(root, module, counters[0], counters[1], manyCalls-fewCalls); err != nil {
				return nil, fmt.Errorf("%s: %w", w.Name, err)
			}
			ways = append(ways, w)
		}
	}
	return ways, nil
}

// run starts the server, calls its tool so many times, ends it and returns its counters. The folder cover is new.
func (d dialect) run(program, transport, cover string, calls int) (map[block]int, error) {
	if err := os.Mkdir(cover, 0o700); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, transport)
	cmd.Env = append(os.Environ(), "GOCOVERDIR="+cover)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(out)
	if transport == "http" {
		var url string
		if url, err = lines.ReadString('\n'); err == nil {
			err = d.call(d.overHTTP(ctx, strings.TrimSpace(url)), calls)
		}
	} else {
		err = d.call(overStdio(in, lines), calls)
	}
	if err := errors.Join(err, in.Close(), cmd.Wait()); err != nil {
		return nil, err
	}
	profile := filepath.Join(cover, "profile.txt")
	if _, err := goCommand(".", "tool", "covdata", "textfmt", "-i="+cover, "-o="+profile); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(profile)
	return readProfile(string(text)), err
}

// message is what a client sends, with the members of a request that headers repeat.
type message struct{ method, name, text string }

// exchange sends a message and returns the answer, or "" to a notification.
type exchange func(message) (string, error)

// call opens a session if the dialect has one, and calls the tool so many times, one call after the other.
func (d dialect) call(exchange exchange, calls int) error {
	const client = `{"name":"size","version":"1"}`
	meta := ""
	if d.session {
		open := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + d.revision + `","capabilities":{},"clientInfo":` + client + `}}`
		if _, err := exchange(message{"initialize", "", open}); err != nil {
			return err
		}
		if _, err := exchange(message{"notifications/initialized", "", `{"jsonrpc":"2.0","method":"notifications/initialized"}`}); err != nil {
			return err
		}
	} else {
		const prefix = `"io.modelcontextprotocol/`
		meta = `,"_meta":{` + prefix + `protocolVersion":"` + d.revision + `",` + prefix + `clientInfo":` + client + `,` + prefix + `clientCapabilities":{}}`
	}
	for i := range calls {
		const arguments = `{"city":"New York","hours":5,"units":"metric"}`
		text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"get_weather","arguments":%s%s}}`, i+1, arguments, meta)
		answer, err := exchange(message{"tools/call", "get_weather", text})
		if err == nil && !strings.Contains(answer, `"structuredContent":{"city":"New York"`) {
			err = fmt.Errorf("call %d: expected the weather in New York, found %s", i+1, answer)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// overStdio exchanges messages as lines.
func overStdio(w io.Writer, r *bufio.Reader) exchange {
	return func(m message) (string, error) {
		if _, err := io.WriteString(w, m.text+"\n"); err != nil || strings.HasPrefix(m.method, "notifications/") {
			return "", err
		}
		return r.ReadString('\n')
	}
}

// overHTTP exchanges messages as requests.
func (d dialect) overHTTP(ctx context.Context, url string) exchange {
	id := "" // of the session
	return func(m message) (string, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(m.text))
		if err != nil {
			return "", err
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if !d.session || id != "" {
			r.Header.Set("Mcp-Protocol-Version", d.revision)
		}
		if id != "" {
			r.Header.Set("Mcp-Session-Id", id)
		}
		if !d.session {
			r.Header.Set("Mcp-Method", m.method)
			r.Header.Set("Mcp-Name", m.name)
		}
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return "", err
		}
		defer response.Body.Close()
		id = cmp.Or(id, response.Header.Get("Mcp-Session-Id"))
		body, err := io.ReadAll(response.Body)
		if err == nil && response.StatusCode >= 300 {
			err = fmt.Errorf("%s: %s: %s", m.method, response.Status, body)
		}
		return string(body), err
	}
}
