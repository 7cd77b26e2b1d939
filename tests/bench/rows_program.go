package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/tests/bench/peers"
)

// programRows are about programs: servers, and mcpgen itself.
func programRows() []*Row {
	each := []string{floor, mcpgen, mcpGo, goSDK}
	size := &Row{Name: "program/size", Title: "size of a stdio server with one tool from a tool list, stripped", Unit: fileBytes, Rounds: 1,
		Targets: []Target{atMost(4e6, fileBytes)}}
	start := &Row{Name: "program/start", Title: "start of a stdio server to its answer to initialize", Counts: "median of 20 starts or more",
		Targets: overPeers(1, 1)}
	for _, name := range each {
		size.Subjects = append(size.Subjects, Subject{name, func(ctx context.Context, lab *Lab) (*Work, error) {
			program, err := lab.server(ctx, name)
			return sizeOf(program), err
		}})
		start.Subjects = append(start.Subjects, Subject{name, func(ctx context.Context, lab *Lab) (*Work, error) {
			program, err := lab.server(ctx, name)
			return &Work{Measure: func() (Sample, error) { return starts(program, name == floor, 5) }}, err
		}})
	}
	rows := []*Row{start, size, typedSizeRow()}
	for _, n := range []int{1, 200} {
		row := &Row{
			Name: fmt.Sprintf("program/build/%d", n), Title: fmt.Sprintf("go build of a server after an edit, from a warm cache; tools: %d", n),
			Rounds: 3, Targets: []Target{atMost(3e9, perOp)},
		}
		for _, name := range each {
			if n > 1 && name != mcpgen {
				continue // hand-written servers have one tool
			}
			row.Subjects = append(row.Subjects, Subject{name, func(ctx context.Context, lab *Lab) (*Work, error) {
				p, err := lab.edited(ctx, name, lab.partOf(n))
				if err != nil {
					return nil, err
				}
				return builds(ctx, p)
			}})
		}
		rows = append(rows, row)
	}
	return append(rows, generateRow(), verifyRow())
}

// typedSizeRow compares the servers whose tool is a Go function, with schemas from its types.
func typedSizeRow() *Row {
	row := &Row{Name: "program/size/typed", Title: "size of a stdio server with one tool from Go structs, stripped", Unit: fileBytes, Rounds: 1,
		Targets: []Target{atMost(5.5e6, fileBytes)}}
	for _, s := range []struct{ subject, folder string }{
		{mcpgen, "tests/examples/typedtool"}, {mcpGo, "tests/bench/programs/mcpgo/typedtool"}, {goSDK, "tests/bench/programs/gosdk/typedtool"},
	} {
		row.Subjects = append(row.Subjects, Subject{s.subject, func(ctx context.Context, lab *Lab) (*Work, error) {
			program, err := lab.build(ctx, s.folder, stripped...)
			return sizeOf(program), err
		}})
	}
	return row
}

// sizeOf returns the work of measuring the size of a program.
func sizeOf(program string) *Work {
	return &Work{Measure: func() (Sample, error) {
		info, err := os.Stat(program)
		if err != nil {
			return nil, err
		}
		return Sample{fileBytes: float64(info.Size())}, nil
	}}
}

// edited returns the project of a subject.
func (l *Lab) edited(ctx context.Context, subject string, tools int) (*project, error) {
	if folder, ok := handWritten[subject]; ok {
		return l.written(folder)
	}
	list, err := l.list(tools)
	if err != nil {
		return nil, err
	}
	return l.project(ctx, fmt.Sprintf("build%d", tools), list)
}

// builds returns the work of building a project after an edit.
func builds(ctx context.Context, p *project) (*Work, error) {
	if _, err := p.build(ctx); err != nil {
		return nil, err
	}
	return &Work{Measure: func() (Sample, error) {
		if err := p.edit(); err != nil {
			return nil, err
		}
		began := time.Now()
		_, err := p.build(ctx)
		return Sample{perOp: float64(time.Since(began))}, err
	}}, nil
}

// starts starts a server repeatedly and returns the median time to its first answer.
func starts(program string, echoes bool, n int) (Sample, error) {
	var times []float64
	for range n {
		began := time.Now()
		l, err := startLines(program)
		if err != nil {
			return nil, err
		}
		answer, err := l.ask(initializeText)
		took := time.Since(began)
		if err == nil && !echoes && !strings.Contains(string(answer), `"protocolVersion":"`+revision+`"`) {
			err = fmt.Errorf("the answer to initialize: %s", answer)
		}
		l.close()
		if err != nil {
			return nil, err
		}
		times = append(times, float64(took))
	}
	slices.Sort(times)
	return Sample{perOp: times[n/2]}, nil
}

// list writes a list of n tools and returns the name of the file.
func (l *Lab) list(n int) (string, error) {
	d := peers.Definition()
	type tool struct {
		Name         string          `json:"name"`
		Description  string          `json:"description"`
		InputSchema  json.RawMessage `json:"inputSchema"`
		OutputSchema json.RawMessage `json:"outputSchema"`
	}
	var all struct {
		Tools []tool `json:"tools"`
	}
	for i := range n {
		all.Tools = append(all.Tools, tool{peers.Name(i), d.Description, d.InputSchema, d.OutputSchema})
	}
	name := filepath.Join(l.dir, fmt.Sprintf("tools%d.json", n))
	text, err := json.Marshal(all)
	if err != nil {
		return "", err
	}
	return name, os.WriteFile(name, text, 0o666)
}

// generateRow measures the generation of the packages.
func generateRow() *Row {
	return &Row{
		Name: "program/generate", Title: "mcpgen generate, the packages of all revisions", Rounds: 5,
		Subjects: []Subject{{mcpgen, func(ctx context.Context, lab *Lab) (*Work, error) {
			program, err := lab.mcpgen(ctx)
			if err != nil {
				return nil, err
			}
			out := filepath.Join(lab.dir, "generated")
			return &Work{Measure: func() (Sample, error) {
				if err := os.RemoveAll(out); err != nil {
					return nil, err
				}
				began := time.Now()
				if _, err := run(ctx, lab.root, nil, program, "spec", "generate", "--out", out); err != nil {
					return nil, err
				}
				took := time.Since(began)
				got, err := os.ReadFile(filepath.Join(out, "revisions.go"))
				if err == nil && len(got) == 0 {
					err = fmt.Errorf("an empty file")
				}
				return Sample{perOp: float64(took)}, err
			}}, nil
		}}},
	}
}

// verifyRow measures how fast verify checks recordings.
func verifyRow() *Row {
	return &Row{
		Name: "program/verify", Title: "mcpgen verify, a recording of 28 MB on one core", Unit: throughput, Rounds: 5,
		Subjects: []Subject{{mcpgen, func(ctx context.Context, lab *Lab) (*Work, error) {
			program, err := lab.mcpgen(ctx)
			if err != nil {
				return nil, err
			}
			name := filepath.Join(lab.dir, "recording.jsonl")
			text := recording(lab.partOf(20_000))
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				return nil, err
			}
			broken := filepath.Join(lab.dir, "broken.jsonl")
			if err := os.WriteFile(broken, []byte(strings.Replace(text, `"content":[`, `"contents":[`, 1)), 0o666); err != nil {
				return nil, err
			}
			if _, err := run(ctx, lab.dir, nil, program, "verify", broken); err == nil {
				return nil, fmt.Errorf("negative control: a result without content is not found")
			}
			return &Work{Measure: func() (Sample, error) {
				began := time.Now()
				_, err := run(ctx, lab.dir, []string{"GOMAXPROCS=1"}, program, "verify", name)
				return Sample{throughput: float64(len(text)) / 1e6 / time.Since(began).Seconds()}, err
			}}, nil
		}}},
	}
}

// recording returns a session of calls with progress and results of about a kilobyte.
func recording(calls int) string {
	var text strings.Builder
	text.WriteString(initializeText + "\n" +
		`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"` + revision + `","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}` + "\n" +
		initializedText + "\n")
	report := strings.Repeat("x", 1000)
	for i := 1; i <= calls; i++ {
		fmt.Fprintf(&text, `{"jsonrpc":"2.0","id":%[1]d,"method":"tools/call","params":{"name":"get_weather","arguments":`+argsText+`,"_meta":{"progressToken":%[1]d}}}
{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%[1]d,"progress":1}}
{"jsonrpc":"2.0","id":%[1]d,"result":{"content":[{"type":"text","text":"`+wantQuoted+`"},{"type":"text","text":"%[2]s"}],"structuredContent":`+wantText+`}}
`, i, report)
	}
	return text.String()
}
