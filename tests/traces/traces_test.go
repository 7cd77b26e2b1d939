package traces

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mcpgen/mcpgen/generated"
	"github.com/mcpgen/mcpgen/tests/internal/golden"
)

// peer is a raw client and the transport of the server that it talks to.
type peer interface {
	// open does the handshake of a session with these capabilities.
	open(capabilities string)
	// do does what a section of a client says and returns at once.
	do(verb, name string, data []byte) bool
	// take returns what has arrived since the last time.
	take() []section
	// shutdown shuts the server down.
	shutdown()
	// close ends the connection and waits for the end of the server.
	close()
}

// peers makes the client of each transport.
var peers = map[string]func(t *testing.T, u *subject, v *variables, s settings) peer{
	"stdio":      newLines,
	"streamable": newStreamable,
	"sse":        newSSE,
}

// section is what the server sends in one place.
type section struct{ name, text string }

// TestTraces replays every trace in its revisions and compares what the server sends.
func TestTraces(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no traces: %v", err)
	}
	for _, file := range files {
		transport := filepath.Base(filepath.Dir(file))
		t.Run(transport+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { record(t, file, transport) })
	}
}

// record replays one trace.
func record(t *testing.T, file, transport string) {
	old, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s, err := parse(string(old.Comment), transport)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	old.Files = slices.DeleteFunc(old.Files, func(f txtar.File) bool { return strings.HasPrefix(f.Name, "< ") })
	sent := make([][][]section, len(old.Files)) // by what the client does and by revision
	for i := range sent {
		sent[i] = make([][]section, len(s.revisions))
	}
	for r, revision := range s.revisions {
		ok := t.Run(revision, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for i, step := range replay(t, old.Files, transport, revision, s) {
					sent[i][r] = step
				}
			})
		})
		if !ok {
			return
		}
	}
	got := &txtar.Archive{Comment: old.Comment}
	for i, f := range old.Files {
		got.Files = append(got.Files, f)
		got.Files = append(got.Files, merge(s.revisions, sent[i])...)
	}
	golden.Check(t, file, string(txtar.Format(got)))
}

// replay does what the client does in one revision, and returns what the server sends for each of it.
func replay(t *testing.T, files []txtar.File, transport, revision string, s settings) [][]section {
	u := newSubject(t, s)
	v := newVariables(revision, s)
	p := peers[transport](t, u, v, s)
	defer p.close()
	defer close(u.over)
	if s.session != "" {
		p.open(s.session)
		settle()
		p.take()
	}
	ended := make(chan struct{})
	var steps [][]section
	for _, f := range files {
		verb, name, _ := strings.Cut(strings.TrimPrefix(f.Name, "> "), " ")
		switch verb {
		case "release":
			close(u.release(name))
		case "remove":
			u.remove(name)
		case "update":
			u.catalog.ResourceUpdated(name)
		case "shutdown":
			go func() {
				p.shutdown()
				close(ended)
			}()
		case "wait":
			d, err := time.ParseDuration(name)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(d)
		default:
			if !p.do(verb, name, []byte(v.insert(string(f.Data)))) {
				t.Fatalf("the client cannot do %q", f.Name)
			}
		}
		settle()
		var step []section
		for _, got := range append(p.take(), section{"handlers", u.takeHappened()}) {
			if got.text != "" {
				step = append(step, section{got.name, v.name(got.text)})
			}
		}
		if ended != nil && isClosed(ended) {
			ended = nil
			step = append(step, section{"shutdown", "(done)\n"})
		}
		steps = append(steps, step)
	}
	return steps
}

// settle waits until nobody has anything to do, also not after the moment for which notifications are collected.
func settle() {
	synctest.Wait()
	time.Sleep(50 * time.Millisecond)
	synctest.Wait()
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// merge returns the sections of one step. What is the same in several revisions is one section.
func merge(revisions []string, steps [][]section) []txtar.File {
	type variant struct {
		section
		revisions []string
	}
	var variants []*variant
	for r, step := range steps {
		for _, got := range step {
			i := slices.IndexFunc(variants, func(v *variant) bool { return v.section == got })
			if i < 0 {
				i = len(variants)
				variants = append(variants, &variant{section: got})
			}
			variants[i].revisions = append(variants[i].revisions, revisions[r])
		}
	}
	var names []string // in their order, which is that of the first revision that has them
	for _, v := range variants {
		if !slices.Contains(names, v.name) {
			names = append(names, v.name)
		}
	}
	slices.SortStableFunc(variants, func(a, b *variant) int {
		return cmp.Compare(slices.Index(names, a.name), slices.Index(names, b.name))
	})
	var files []txtar.File
	for _, v := range variants {
		title := "< " + v.name
		if len(v.revisions) < len(revisions) {
			title += " " + strings.Join(v.revisions, " ")
		}
		files = append(files, txtar.File{Name: title, Data: []byte(v.text)})
	}
	return files
}

// settings are what the comment of a trace says.
type settings struct {
	revisions                           []string
	session                             string
	pageSize, maxMessage, maxConcurrent int
	grace, keepAlive, timeout           time.Duration
	stateless, disconnect               bool
	variables                           map[string]string
}

var setting = regexp.MustCompile(`^(revisions|session|page size|max message|max concurrent|grace|keep alive|timeout): (.*)$|^(\$[A-Z]+) = (.*)$|^(stateless|disconnect)$`)

// unknown matches a line that looks like a setting. Sentences begin with a capital letter.
var unknown = regexp.MustCompile(`^[a-z ]+: `)

func parse(comment, transport string) (settings, error) {
	s := settings{variables: map[string]string{}}
	for _, r := range generated.Revisions() {
		if sessions := r.ID < "2026-07-28"; transport != "sse" || sessions {
			s.revisions = append(s.revisions, r.ID)
		}
	}
	slices.Sort(s.revisions)
	for line := range strings.Lines(comment) {
		m := setting.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil && unknown.MatchString(line) {
			return settings{}, fmt.Errorf("unknown setting: %s", line)
		}
		if m == nil {
			continue
		}
		var err error
		switch value := m[2]; m[1] + m[5] {
		case "revisions":
			s.revisions = strings.Fields(value)
		case "session":
			s.session = value
		case "page size":
			s.pageSize, err = strconv.Atoi(value)
		case "max message":
			s.maxMessage, err = strconv.Atoi(value)
		case "max concurrent":
			s.maxConcurrent, err = strconv.Atoi(value)
		case "grace":
			s.grace, err = time.ParseDuration(value)
		case "keep alive":
			s.keepAlive, err = time.ParseDuration(value)
		case "timeout":
			s.timeout, err = time.ParseDuration(value)
		case "stateless":
			s.stateless = true
		case "disconnect":
			s.disconnect = true
		default:
			s.variables[m[3]] = m[4]
		}
		if err != nil {
			return settings{}, err
		}
	}
	return s, nil
}

// meta is what every request of a revision without sessions has in params.
const meta = `{"io.modelcontextprotocol/protocolVersion":%q,"io.modelcontextprotocol/clientInfo":{"name":"raw","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// variables are the names of texts. One that is made up at random gets its name when it is seen first.
type variables struct {
	revision string
	own      map[string]string // of the trace and the revision
	values   map[string]string // of random texts, by name
	names    map[string]string
}

func newVariables(revision string, s settings) *variables {
	v := &variables{revision: revision, values: map[string]string{}, names: map[string]string{}}
	v.own = map[string]string{"$REVISION": revision, "$FF": "\xff", "$META": fmt.Sprintf(meta, revision)}
	for name, text := range s.variables {
		v.own[name] = strings.ReplaceAll(text, "$REVISION", revision)
	}
	return v
}

var (
	variable = regexp.MustCompile(`\$[A-Z]+(-[0-9]+)?(\([0-9]+\))?`)
	dated    = regexp.MustCompile(`(?mi)(^mcp-protocol-version: |"protocolVersion":"|"io.modelcontextprotocol/protocolVersion":")([0-9-]+)`)
)

// random are the places of texts that are made up at random, or have no meaning to a client.
var random = []struct {
	kind  string
	place *regexp.Regexp
}{
	{"SESSION", regexp.MustCompile(`(?mi)(^mcp-session-id: |\?sessionId=)([^\r\n]+)`)},
	{"EVENT", regexp.MustCompile(`(?m)(^id: )([^\r\n]+)`)},
	{"STATE", regexp.MustCompile(`("requestState":")([^"]+)`)},
	{"CURSOR", regexp.MustCompile(`("nextCursor":")([^"]+)`)},
	{"QUESTION", regexp.MustCompile(`((?:elicitation(?:/|~1)create|sampling/createMessage|roots/list):)([\w-]+)`)},
}

// insert replaces names by their values.
func (v *variables) insert(text string) string {
	return variable.ReplaceAllStringFunc(text, func(name string) string {
		if value, ok := v.own[name]; ok {
			return value
		}
		if value, ok := v.values[name]; ok {
			return value
		}
		if n, ok := strings.CutPrefix(name, "$BYTES("); ok {
			n, _ := strconv.Atoi(strings.TrimSuffix(n, ")"))
			return strings.Repeat("x", n)
		}
		return name
	})
}

// name replaces values by their names.
func (v *variables) name(text string) string {
	for _, r := range random {
		text = r.place.ReplaceAllStringFunc(text, func(found string) string {
			m := r.place.FindStringSubmatch(found)
			return m[1] + v.nameOf(r.kind, m[2])
		})
	}
	return dated.ReplaceAllStringFunc(text, func(found string) string {
		if m := dated.FindStringSubmatch(found); m[2] == v.revision {
			return m[1] + "$REVISION"
		}
		return found
	})
}

// nameOf returns the name of a random text.
func (v *variables) nameOf(kind, value string) string {
	if name, ok := v.names[value]; ok {
		return name
	}
	for n := 1; ; n++ {
		name := fmt.Sprintf("$%s-%d", kind, n)
		if _, taken := v.values[name]; !taken {
			v.names[value], v.values[name] = name, value
			return name
		}
	}
}
