package main

import (
	"bytes"
	"io"
	"testing"

	"github.com/mcpgen/mcpgen/tests/internal/golden"
)

// TestPublished checks that the published table and chart show the published results.
func TestPublished(t *testing.T) {
	report, err := readReport("results.json")
	if err != nil {
		t.Fatal(err)
	}
	checkGolden(t, "results.txt", func(w io.Writer) error {
		report.writeTable(w)
		return nil
	})
	checkGolden(t, "results.svg", report.writeChart)
}

// sample is a report with every part that can be written.
func sample() *Report {
	measured := func(subject string, unit string, values ...float64) *Measured {
		return &Measured{Subject: subject, N: 10, Rounds: map[string][]float64{unit: values}}
	}
	in := &Result{Name: "inprocess/call", Title: "a call", Counts: "both", Unit: perOp, Subjects: []*Measured{
		measured(floor, perOp, 200, 210, 205, 230, 220, 215),
		measured(mcpgen, perOp, 4000, 4100, 3900, 4050, 4020, 3990),
		measured("<mcp & go>", perOp, 20_000),
	}}
	in.Subjects[1].Rounds[allocs] = []float64{23, 23, 23, 23, 23, 23}
	verify := &Result{Name: "program/verify", Title: "verify", Unit: throughput, Best: true, Subjects: []*Measured{
		measured(mcpgen, throughput, 110, 140, 120),
	}}
	report := &Report{
		Environment: Environment{CPU: "A & B", Cores: 2, OS: "linux/amd64", Go: "go1.26.0", Modules: map[string]string{
			"github.com/mark3labs/mcp-go": "v1.2.1", "github.com/modelcontextprotocol/go-sdk": "v1.8.0",
		}},
		Plan: "medians of 6 rounds",
		Rows: []*Result{in, verify},
	}
	for _, row := range report.Rows {
		row.summarize()
	}
	report.judge([]*Row{
		{Name: "inprocess/call", Targets: []Target{atMost(4000, perOp), atMost(25, allocs), timesFloor(20)}},
		{Name: "not/measured", Targets: []Target{timesFloor(1)}},
	})
	return report
}

// TestReport checks every format of a report.
func TestReport(t *testing.T) {
	checkGolden(t, "testdata/report.txt", func(w io.Writer) error {
		sample().writeTable(w)
		return nil
	})
	checkGolden(t, "testdata/report.json", sample().writeJSON)
	checkGolden(t, "testdata/report.bench", sample().writeRaw)
	checkGolden(t, "testdata/report.svg", sample().writeChart)
}

// checkGolden compares text with a file.
func checkGolden(t *testing.T, name string, write func(io.Writer) error) {
	t.Helper()
	var got bytes.Buffer
	if err := write(&got); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, name, got.String())
}
