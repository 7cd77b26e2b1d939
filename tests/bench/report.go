package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// Report is the result of a run. It is also the JSON report.
type Report struct {
	Environment Environment `json:"environment"`
	Plan        string      `json:"plan"`
	Rows        []*Result   `json:"rows"`
}

// Environment has the facts that times depend on.
type Environment struct {
	CPU     string            `json:"cpu"`
	Cores   int               `json:"cores"`
	OS      string            `json:"os"`
	Go      string            `json:"go"`
	Modules map[string]string `json:"modules"` // the versions of the peers
}

// line formats the environment as one line.
func (e Environment) line(modules ...string) string {
	line := fmt.Sprintf("%s, %d cores, %s, %s", e.CPU, e.Cores, e.OS, e.Go)
	for _, m := range modules {
		line += ", " + strings.TrimPrefix(m, "github.com/") + " " + e.Modules[m]
	}
	return line
}

// Result is a measured row.
type Result struct {
	Name     string      `json:"name"`
	Title    string      `json:"title"`
	Counts   string      `json:"counts,omitempty"`
	Unit     string      `json:"unit"`
	Subjects []*Measured `json:"subjects"`
	// Values are the summaries of the rounds by subject and unit.
	Values map[string]map[string]Summary `json:"values"`
	// Best says that the best rounds are compared, not the medians.
	Best    bool      `json:"best,omitempty"`
	Targets []Verdict `json:"targets,omitempty"`
}

// summarize computes the summaries of the rounds.
func (r *Result) summarize() {
	r.Values = map[string]map[string]Summary{}
	for _, m := range r.Subjects {
		r.Values[m.Subject] = map[string]Summary{}
		for unit, values := range m.Rounds {
			r.Values[m.Subject][unit] = summarize(values, unit)
		}
	}
}

// value returns the value by which a subject is compared.
func (r *Result) value(subject, unit string) (float64, bool) {
	s, ok := r.Values[subject][unit]
	if r.Best {
		return s.Best, ok
	}
	return s.Median, ok
}

// judge compares the rows with their targets.
func (r *Report) judge(rows []*Row) {
	byName := map[string]*Result{}
	for _, result := range r.Rows {
		byName[result.Name] = result
	}
	value := func(row, subject, unit string) (float64, bool) {
		if result, ok := byName[row]; ok {
			return result.value(subject, unit)
		}
		return 0, false
	}
	for _, row := range rows {
		result := byName[row.Name]
		if result == nil {
			continue
		}
		result.Targets = nil
		for _, t := range row.Targets {
			if v, ok := t.judge(row, value); ok {
				result.Targets = append(result.Targets, v)
			}
		}
	}
}

// readReport reads a report that writeJSON has written.
func readReport(name string) (*Report, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	r := new(Report)
	return r, json.Unmarshal(text, r)
}

// writeJSON writes the report.
func (r *Report) writeJSON(w io.Writer) error {
	return json.NewEncoder(w).Encode(r)
}

// writeTable writes the report as text.
func (r *Report) writeTable(w io.Writer) {
	r.writeHeading(w)
	for _, row := range r.Rows {
		row.write(w)
	}
	r.writeTargets(w)
}

func (r *Report) writeHeading(w io.Writer) {
	fmt.Fprintln(w, r.Environment.line(slices.Sorted(maps.Keys(r.Environment.Modules))...))
	fmt.Fprintln(w, r.Plan)
}

// write writes a row, with a line for each subject and each target.
func (r *Result) write(w io.Writer) {
	fmt.Fprintf(w, "\n%s: %s", r.Name, r.Title)
	if r.Counts != "" {
		fmt.Fprintf(w, " (counted: %s)", r.Counts)
	}
	fmt.Fprintln(w)
	for _, m := range r.Subjects {
		v, _ := r.value(m.Subject, r.Unit)
		line := fmt.Sprintf("  %-20s %11s %5s", m.Subject, format(v, r.Unit), r.spread(m.Subject))
		line += fmt.Sprintf(" %14s %14s", r.over(m.Subject, floor), r.over(m.Subject, mcpgen))
		for _, u := range []string{allocBytes, allocs, stackBytes, goroutines} {
			if v, ok := r.value(m.Subject, u); ok && u != r.Unit {
				line += fmt.Sprintf(" %15s", format(v, u))
			}
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
	for _, t := range r.Targets {
		fmt.Fprintf(w, "  target %s: %s, %s\n", t.Target, t.verdict(), t.Value)
	}
}

// spread returns the uncertainty of a subject's median in percent.
func (r *Result) spread(subject string) string {
	s := r.Values[subject][r.Unit].Spread
	if s == nil || r.Best {
		return ""
	}
	return fmt.Sprintf("±%.0f%%", 100**s)
}

// over returns a subject's value as a multiple of another's.
func (r *Result) over(subject, than string) string {
	is, ok := r.value(subject, r.Unit)
	that, ok2 := r.value(than, r.Unit)
	if !ok || !ok2 || subject == than || that == 0 || subject == floor {
		return ""
	}
	return digits(is/that) + "x " + than
}

func (v Verdict) verdict() string {
	if v.Met {
		return "met"
	}
	return "MISSED"
}

// writeTargets lists the missed targets.
func (r *Report) writeTargets(w io.Writer) {
	met, all := 0, 0
	var missed []string
	for _, row := range r.Rows {
		for _, t := range row.Targets {
			all++
			if t.Met {
				met++
			} else {
				missed = append(missed, fmt.Sprintf("  %-24s %s: %s", row.Name, t.Target, t.Value))
			}
		}
	}
	fmt.Fprintf(w, "\n%d of %d targets are met", met, all)
	if len(missed) > 0 {
		fmt.Fprintf(w, "; missed:\n%s", strings.Join(missed, "\n"))
	}
	fmt.Fprintln(w)
}

// writeRaw writes all rounds in the format of Go's benchmarks, for benchstat.
func (r *Report) writeRaw(w io.Writer) error {
	for _, row := range r.Rows {
		row.writeRaw(w)
	}
	return nil
}

func (r *Result) writeRaw(w io.Writer) {
	for _, m := range r.Subjects {
		for round := range m.Rounds[r.Unit] {
			fmt.Fprintf(w, "Benchmark%s/subject=%s %d", benchName(r.Name), strings.ReplaceAll(m.Subject, " ", ""), m.N)
			for _, unit := range slices.Sorted(maps.Keys(m.Rounds)) {
				fmt.Fprintf(w, " %v %s", m.Rounds[unit][round], unit)
			}
			fmt.Fprintln(w)
		}
	}
}

// benchName returns the row's name as the name of a benchmark, which begins with a capital.
func benchName(row string) string { return strings.ToUpper(row[:1]) + row[1:] }
