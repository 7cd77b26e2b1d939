package compat

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	ladder "github.com/mcpgen/mcpgen/generated/compat"
	"github.com/mcpgen/mcpgen/internal/testkit/mcptest"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"github.com/mcpgen/mcpgen/tests/internal/everything"
	"github.com/mcpgen/mcpgen/tests/internal/golden"
)

// TestTranscripts sends the client's messages of each transcript to the everything server
// and compares what the server sends, and what is reported as lost. There is a transcript
// for each feature and each revision of an era, testdata/transcripts/FEATURE/REVISION.txtar. Its files are
// messages in their order; the name of a file begins with the side that sent it. The flag
// -update rewrites everything but the client's messages.
//
// Each message of the server must be valid to an independent validator in the revision, and
// must have nothing of later revisions.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "transcripts", "*", "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	features := map[bool]map[string]int{} // the number of transcripts, by era and feature
	revisions := map[bool]int{}
	for _, j := range judges(t) {
		inSessions := hasSessions(j.ir)
		if revisions[inSessions]++; features[inSessions] == nil {
			features[inSessions] = map[string]int{}
		}
		for _, file := range files {
			feature, revision := filepath.Base(filepath.Dir(file)), strings.TrimSuffix(filepath.Base(file), ".txtar")
			if revision != j.ir.ID {
				continue
			}
			features[inSessions][feature]++
			t.Run(feature+"/"+revision, func(t *testing.T) { transcribe(t, file, j) })
		}
	}
	for inSessions, counts := range features {
		for feature, n := range counts {
			if n != revisions[inSessions] {
				t.Errorf("%s has transcripts in %d revisions of %d", feature, n, revisions[inSessions])
			}
		}
	}
}

// transcribe replays one transcript.
func transcribe(t *testing.T, file string, j *judge) {
	old, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := &txtar.Archive{Comment: old.Comment}
	synctest.Test(t, func(t *testing.T) {
		c := &conversation{names: map[string]string{}}
		end := c.serve(t, options(t, string(old.Comment)))
		for _, f := range old.Files {
			if strings.HasPrefix(f.Name, "client ") {
				got.Files = append(got.Files, c.send(t, f.Data)...)
			}
		}
		end()
	})
	var log journal
	for _, f := range got.Files {
		// A response without an id, which JSON-RPC requires to be null, is not valid in MCP.
		if strings.HasPrefix(f.Name, "server ") && f.Name != "server error of a message" {
			var text bytes.Buffer
			if err := json.Compact(&text, f.Data); err != nil {
				t.Fatal(err)
			}
			method := f.Name[strings.LastIndexByte(f.Name, ' ')+1:]
			log.sent = append(log.sent, sent{method, text.String()})
		}
	}
	log.judge(t, j)
	golden.Check(t, file, string(txtar.Format(got)))
}

var pageSize = regexp.MustCompile(`pages of (\d+)`)

// options returns the options of the server for a transcript with a comment.
func options(t *testing.T, comment string) everything.Options {
	var o everything.Options
	if m := pageSize.FindStringSubmatch(comment); m != nil {
		var err error
		if o.PageSize, err = strconv.Atoi(m[1]); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// conversation is a replayed transcript.
type conversation struct {
	client  runtime.Transport
	mu      sync.Mutex
	arrived []txtar.File
	names   map[string]string // the methods of requests by id; the ids of the server begin with "server "
	task    string            // the id of the last task
	states  []string          // the values of requestState, which transcripts call state-1 and so on
}

// serve starts the server and returns a function that ends the session.
func (c *conversation) serve(t *testing.T, o everything.Options) (end func()) {
	o.Lost = func(_ context.Context, r ladder.Report) {
		c.arrive(txtar.File{Name: "lost", Data: []byte(r.String() + "\n")})
	}
	server, _, err := everything.New(o)
	if err != nil {
		t.Fatal(err)
	}
	near, far := mcptest.Pair()
	c.client = near
	served := make(chan error, 1)
	go func() { served <- server.Serve(t.Context(), far) }()
	go func() {
		for {
			m, err := near.Receive(t.Context())
			if err != nil {
				return
			}
			c.arrive(c.received(m.Text))
		}
	}()
	return func() {
		near.Close()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	}
}

func (c *conversation) arrive(f txtar.File) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.arrived = append(c.arrived, f)
}

// send sends a message of the client. It returns the message and what the server does until
// it waits for the next one: losses, then requests and notifications, then responses. Within
// these, the order is that of arrival.
func (c *conversation) send(t *testing.T, text []byte) []txtar.File {
	message := wire.Object(bytes.TrimSpace(text))
	name := "client " + c.title("", message)
	if c.task != "" {
		message = wire.Object(strings.ReplaceAll(string(message), "task-1", c.task))
	}
	for i, state := range c.states {
		message = wire.Object(strings.ReplaceAll(string(message), fmt.Sprintf(`"state-%d`, i+1), `"`+state))
	}
	if err := c.client.Send(t.Context(), runtime.Outgoing{Text: []byte(message)}); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	time.Sleep(time.Second) // for notifications that the server collects for a while
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	files := c.arrived
	c.arrived = nil
	class := func(f txtar.File) int {
		switch {
		case f.Name == "lost":
			return 0
		case strings.Contains(f.Name, "result of ") || strings.Contains(f.Name, "error of "):
			return 2
		}
		return 1
	}
	slices.SortStableFunc(files, func(a, b txtar.File) int { return class(a) - class(b) })
	var merged []txtar.File
	for _, f := range files {
		if n := len(merged); n > 0 && f.Name == "lost" && merged[n-1].Name == "lost" {
			merged[n-1].Data = append(merged[n-1].Data, f.Data...)
			continue
		}
		merged = append(merged, f)
	}
	return append([]txtar.File{{Name: name, Data: text}}, merged...)
}

// received returns a message of the server as part of a transcript.
func (c *conversation) received(text string) txtar.File {
	c.mu.Lock()
	defer c.mu.Unlock()
	if result, ok := wire.Object(text).Get("result"); ok {
		if task, ok := wire.Object(result).Get("task"); ok && c.task == "" {
			c.task = wire.Object(task).GetString("taskId")
		}
		if state := wire.Object(result).GetString("requestState"); state != "" {
			c.states = append(c.states, state)
			text = strings.ReplaceAll(text, `"`+state+`"`, fmt.Sprintf(`"state-%d"`, len(c.states)))
		}
	}
	if c.task != "" {
		text = strings.ReplaceAll(text, c.task, "task-1")
	}
	return txtar.File{Name: "server " + c.title("server ", wire.Object(text)), Data: append(layout(nil, wire.Raw(text), ""), '\n')}
}

// title returns the method of a message, or of the request that it answers. The request ids of
// a side begin with its prefix.
func (c *conversation) title(prefix string, message wire.Object) string {
	other := "server "
	if prefix != "" {
		other = ""
	}
	if !json.Valid([]byte(message)) {
		return "malformed text"
	}
	id, _ := message.Get("id")
	if method := message.GetString("method"); method != "" {
		if id != "" {
			c.names[prefix+string(id)] = method
		}
		return method
	}
	method, ok := c.names[other+string(id)]
	if !ok {
		method = "a message"
	}
	if _, failed := message.Get("error"); failed {
		return "error of " + method
	}
	return "result of " + method
}

// maxLine is the maximum length of a value on one line.
const maxLine = 110

// layout appends a value, with each member and element on its own line if it is long.
func layout(dst []byte, v wire.Raw, indent string) []byte {
	if len(indent)+len(v) <= maxLine || v.Kind() != wire.KindObject && v.Kind() != wire.KindArray {
		return append(dst, v...)
	}
	separator := v[:1]
	for name, value := range wire.Object(v).All() {
		dst = fmt.Appendf(dst, "%s\n%s  %q: ", separator, indent, name)
		dst, separator = layout(dst, value, indent+"  "), ","
	}
	for _, value := range v.Elements() {
		dst = fmt.Appendf(dst, "%s\n%s  ", separator, indent)
		dst, separator = layout(dst, value, indent+"  "), ","
	}
	return fmt.Appendf(dst, "\n%s%s", indent, v[len(v)-1:])
}
