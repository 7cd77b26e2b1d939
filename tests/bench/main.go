package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

func main() {
	if child() {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := bench(ctx, os.Args[1:], os.Stdout); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "bench:", err)
		}
		os.Exit(1)
	}
}

// bench is the program.
func bench(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(out)
	pattern := flags.String("run", "", "measure only rows whose name matches this `regexp`")
	rounds := flags.Int("rounds", 11, "how often each subject has its turn")
	turn := flags.Duration("time", 100*time.Millisecond, "how long a turn takes, where operations are short")
	quick := flags.Bool("quick", false, "as -rounds 3 -time 20ms")
	best := flags.Bool("best", false, "compare the best rounds, not the medians: for machines that do other things too")
	jsonFile := flags.String("json", "", "write the report, with all rounds, to this `file`")
	rawFile := flags.String("raw", "", "write the rounds to this `file`, in the format of Go's benchmarks, for benchstat")
	chartFile := flags.String("chart", "", "draw a chart to this SVG `file`")
	from := flags.String("from", "", "measure nothing; report what is in this JSON `file`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	selected, err := regexp.Compile(*pattern)
	if err != nil {
		return err
	}
	plan := Plan{*rounds, *turn, *best}
	if *quick {
		plan.Rounds, plan.Time = 3, 20*time.Millisecond
	}
	var report *Report
	if *from != "" {
		if report, err = readReport(*from); err != nil {
			return err
		}
		report.writeTable(out)
	} else {
		var rows []*Row
		for _, row := range allRows() {
			if selected.MatchString(row.Name) {
				rows = append(rows, row)
			}
		}
		if report, err = measureAll(ctx, rows, plan, out); err != nil {
			return err
		}
	}
	return errors.Join(
		write(*jsonFile, report.writeJSON),
		write(*rawFile, report.writeRaw),
		write(*chartFile, report.writeChart),
	)
}

// measureAll measures rows and writes each as soon as it is done.
func measureAll(ctx context.Context, rows []*Row, plan Plan, out io.Writer) (*Report, error) {
	lab, err := newLab(1)
	if err != nil {
		return nil, err
	}
	defer lab.close()
	report := &Report{
		Environment: environment(),
		Plan:        fmt.Sprintf("medians of %d rounds of %v, subjects in turn", plan.Rounds, plan.Time),
	}
	if plan.Best {
		report.Plan = fmt.Sprintf("the best of %d rounds of %v, subjects in turn", plan.Rounds, plan.Time)
	}
	report.writeHeading(out)
	for _, row := range rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		measured, err := measure(ctx, lab, row, plan)
		if err != nil {
			return nil, err
		}
		result := &Result{Name: row.Name, Title: row.Title, Counts: row.Counts, Unit: row.unit(), Subjects: measured, Best: plan.Best}
		result.summarize()
		report.Rows = append(report.Rows, result)
		report.judge(rows)
		result.write(out)
	}
	report.writeTargets(out)
	return report, nil
}

// write writes a file, if it has a name.
func write(name string, to func(io.Writer) error) error {
	if name == "" {
		return nil
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(to(f), f.Close())
}

// environment is that of this process.
func environment() Environment {
	e := Environment{
		CPU: cpu(), Cores: runtime.GOMAXPROCS(0), OS: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(),
		Modules: map[string]string{},
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			switch m.Path {
			case "github.com/mark3labs/mcp-go", "github.com/modelcontextprotocol/go-sdk", "github.com/google/jsonschema-go",
				"github.com/santhosh-tekuri/jsonschema/v6":
				e.Modules[m.Path] = m.Version
			}
		}
	}
	return e
}

// cpu is the name of the processor, where the system tells it in a file.
func cpu() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	for line := range strings.Lines(string(text)) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}
