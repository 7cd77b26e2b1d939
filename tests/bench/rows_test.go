package main

import (
	"bytes"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if child() {
		return
	}
	os.Exit(m.Run())
}

// TestRows does the work of every row once with all its checks.
func TestRows(t *testing.T) {
	lab, err := newLab(100)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lab.close)
	report := &Report{}
	rows := allRows()
	for _, row := range rows {
		t.Run(row.Name, func(t *testing.T) {
			all, err := measure(t.Context(), lab, row, Plan{Rounds: 1})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range all {
				if len(m.Rounds[row.unit()]) != 1 {
					t.Errorf("%s: %v", m.Subject, m.Rounds)
				}
			}
			result := &Result{Name: row.Name, Unit: row.unit(), Subjects: all}
			result.summarize()
			report.Rows = append(report.Rows, result)
		})
	}
	if len(report.Rows) < len(rows) { // some failed or were not selected
		return
	}
	report.judge(rows)
	for i, row := range rows {
		if got := len(report.Rows[i].Targets); got != len(row.Targets) {
			t.Errorf("%s: %d targets were compared, want %d", row.Name, got, len(row.Targets))
		}
	}
}

// TestNames checks that row names are unique and that the rows of the chart exist.
func TestNames(t *testing.T) {
	names := map[string]bool{}
	for _, row := range allRows() {
		if names[row.Name] {
			t.Errorf("two rows are called %s", row.Name)
		}
		names[row.Name] = true
	}
	for _, c := range charted {
		if !names[c.row] {
			t.Errorf("the chart has a row %s, the table has not", c.row)
		}
	}
}

// TestMessages checks the sizes of the messages.
func TestMessages(t *testing.T) {
	for _, c := range []struct {
		name     string
		got      int
		min, max int
	}{
		{"the call", len(callText), 130, 150},
		{"the answer", len(answerText), 230, 250},
		{"the result", len(resultText(1)), 1400, 1600},
		{"the list of tools", len(listText(70)), 38_000, 42_000},
		{"the resource", len(blobText(1 << 20)), 1 << 20, 1<<20 + 200},
	} {
		if c.got < c.min || c.got > c.max {
			t.Errorf("%s has %d bytes", c.name, c.got)
		}
	}
	if got := string(appendCall(nil, 1, argsText, false)); got != callText {
		t.Error(got)
	}
}

// TestChecks checks that the checks of answers find errors.
func TestChecks(t *testing.T) {
	if err := checkAnswer([]byte(answerText)); err != nil {
		t.Error(err)
	}
	if checkRefused([]byte(answerText)) == nil {
		t.Error("an answer was accepted as a refusal")
	}
	for _, text := range []string{
		`{}`,
		strings.Replace(answerText, "snow", "rain", 2),
		strings.Replace(answerText, `"structuredContent"`, `"isError":true,"structuredContent"`, 1),
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no"}}`,
	} {
		if checkAnswer([]byte(text)) == nil {
			t.Errorf("accepted as an answer: %s", text)
		}
	}
	if checkStructured(map[string]any{"city": argCity}) == nil || checkTools(9, 10) == nil {
		t.Error("half a result was accepted as a result")
	}
	forgets := codec{decode: func([]byte) (any, error) { return nil, nil }, encode: func([]byte, any) ([]byte, error) { return []byte("{}"), nil }}
	if _, err := forgets.decodes(resultText(1)); err == nil {
		t.Error("a codec that loses everything was accepted")
	}
	if _, err := checks(func(string) error { return nil }, arguments, broken); err == nil {
		t.Error("a validator that refuses nothing was accepted")
	}
}

// TestFailure checks that failing work is not measured and that everything is closed.
func TestFailure(t *testing.T) {
	failed := errors.New("wrong answer")
	for _, failing := range []int{0, 1, 5} { // fails when it is checked, calibrated or measured
		closed, done := 0, 0
		row := &Row{Name: "r", Subjects: []Subject{
			{floor, func(context.Context, *Lab) (*Work, error) {
				return &Work{Do: func(int) error { return nil }, Close: func() { closed++ }}, nil
			}},
			{mcpgen, func(context.Context, *Lab) (*Work, error) {
				if failing == 0 {
					return nil, failed
				}
				return &Work{
					Do: func(int) error {
						if done++; done == failing {
							return failed
						}
						return nil
					},
					Close: func() { closed++ },
				}, nil
			}},
		}}
		_, err := measure(t.Context(), nil, row, Plan{Rounds: 10})
		if !errors.Is(err, failed) || closed != min(failing, 1)+1 {
			t.Errorf("failing at %d: %v, closed %d", failing, err, closed)
		}
	}
}

func TestParallel(t *testing.T) {
	for _, width := range []int{1, 3, atOnce} {
		calls := make(chan int, 100)
		if err := parallel(100, width, func() error { calls <- 1; return nil }); err != nil || len(calls) != 100 {
			t.Errorf("%d at a time: %v, %d calls", width, err, len(calls))
		}
		if err := parallel(100, width, func() error { return os.ErrInvalid }); !errors.Is(err, os.ErrInvalid) {
			t.Errorf("%d at a time: %v", width, err)
		}
	}
}

// TestProgram runs the program and draws its chart again from its output.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	var first, again bytes.Buffer
	args := []string{"-run", "^arguments/|^codec/decode/result", "-rounds", "2", "-time", (10 * time.Microsecond).String()}
	if err := bench(t.Context(), append(args, "-json", in("a.json"), "-raw", in("a.txt"), "-chart", in("a.svg"), "-cpuprofile", in("cpu.pprof")), &first); err != nil {
		t.Fatal(err)
	}
	if err := bench(t.Context(), []string{"-from", in("a.json"), "-raw", in("b.txt"), "-chart", in("b.svg")}, &again); err != nil {
		t.Fatal(err)
	}
	if first.String() != again.String() {
		t.Errorf("read again it says\n%s, not\n%s", &again, &first)
	}
	for _, kind := range []string{"txt", "svg"} {
		a, err := os.ReadFile(in("a." + kind))
		b, err2 := os.ReadFile(in("b." + kind))
		if err := errors.Join(err, err2); err != nil || !bytes.Equal(a, b) || len(a) == 0 {
			t.Errorf("%s: %v\n%s\n%s", kind, err, a, b)
		}
	}
	for _, args := range [][]string{{"-nothing"}, {"-run", "("}, {"-subject", "("}, {"-cpuprofile", dir}, {"-from", in("nothing.json")}} {
		if err := bench(t.Context(), args, &again); err == nil {
			t.Errorf("%q was accepted", args)
		}
	}
	if !slices.ContainsFunc(strings.Split(first.String(), "\n"), func(l string) bool { return strings.Contains(l, "targets are met") }) {
		t.Error(first.String())
	}
}

// TestGuards limits the allocations of a call through mcpgen, client and server together, in a session
// and without one. Unlike times, they are the same on every machine.
func TestGuards(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties the pools
	for _, tt := range []struct {
		revision      string
		allocs, bytes float64
	}{
		{revision, 20.5, 1725},
		{stateless, 21.5, 2090},
	} {
		c, err := onMcpgen(tt.revision).connect(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		work := calls(t.Context(), c)
		defer work.Close()
		// The first calls fill the pools, and a call on another processor may find its pool empty.
		least := [2]float64{math.Inf(1), math.Inf(1)}
		for range 5 {
			s, err := work.sample(1000)
			if err != nil {
				t.Fatal(err)
			}
			least[0], least[1] = min(least[0], s[allocs]), min(least[1], s[allocBytes])
		}
		if least[0] > tt.allocs || least[1] > tt.bytes {
			t.Errorf("%s: a call takes %.1f allocations and %.0f bytes", tt.revision, least[0], least[1])
		}
	}
}
