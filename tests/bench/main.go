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
	"runtime/pprof"
	"slices"
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

// options are the flags of the program.
type options struct {
	plan                             Plan
	rows, subjects                   *regexp.Regexp
	from, json, raw, chart, cpuUsage string // files
}

func parse(args []string, out io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(out)
	rows := flags.String("run", "", "measure only rows whose name matches this `regexp`")
	subjects := flags.String("subject", "", "measure only subjects whose name matches this `regexp`")
	flags.IntVar(&o.plan.Rounds, "rounds", 11, "how often each subject has its turn")
	flags.DurationVar(&o.plan.Time, "time", 100*time.Millisecond, "how long a turn takes, where operations are short")
	flags.BoolVar(&o.plan.Best, "best", false, "compare the best rounds, not the medians: for machines that do other things too")
	quick := flags.Bool("quick", false, "as -rounds 3 -time 20ms")
	flags.StringVar(&o.json, "json", "", "write the report, with all rounds, to this `file`")
	flags.StringVar(&o.raw, "raw", "", "write the rounds to this `file`, in the format of Go's benchmarks, for benchstat")
	flags.StringVar(&o.chart, "chart", "", "draw a chart to this SVG `file`")
	flags.StringVar(&o.cpuUsage, "cpuprofile", "", "write a profile of all that is measured in this process to this `file`")
	flags.StringVar(&o.from, "from", "", "measure nothing; report what is in this JSON `file`")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if *quick {
		o.plan.Rounds, o.plan.Time = 3, 20*time.Millisecond
	}
	var err, err2 error
	o.rows, err = regexp.Compile(*rows)
	o.subjects, err2 = regexp.Compile(*subjects)
	return o, errors.Join(err, err2)
}

// bench is the program.
func bench(ctx context.Context, args []string, out io.Writer) error {
	o, err := parse(args, out)
	if err != nil {
		return err
	}
	var report *Report
	if o.from != "" {
		if report, err = readReport(o.from); err != nil {
			return err
		}
		report.writeTable(out)
	} else if report, err = measureAll(ctx, o, out); err != nil {
		return err
	}
	return errors.Join(write(o.json, report.writeJSON), write(o.raw, report.writeRaw), write(o.chart, report.writeChart))
}

// selected returns the requested rows and subjects.
func selected(o options) []*Row {
	var rows []*Row
	for _, row := range allRows() {
		row.Subjects = slices.DeleteFunc(row.Subjects, func(s Subject) bool { return !o.subjects.MatchString(s.Name) })
		if o.rows.MatchString(row.Name) && len(row.Subjects) > 0 {
			rows = append(rows, row)
		}
	}
	return rows
}

// measureAll measures rows and reports each as soon as it is done.
func measureAll(ctx context.Context, o options, out io.Writer) (*Report, error) {
	if o.cpuUsage != "" {
		f, err := os.Create(o.cpuUsage)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return nil, err
		}
		defer pprof.StopCPUProfile()
	}
	lab, err := newLab(1)
	if err != nil {
		return nil, err
	}
	defer lab.close()
	report := &Report{
		Environment: environment(),
		Plan:        o.plan.String(),
	}
	report.writeHeading(out)
	rows := selected(o)
	for _, row := range rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		measured, err := measure(ctx, lab, row, o.plan)
		if err != nil {
			return nil, err
		}
		result := &Result{Name: row.Name, Title: row.Title, Counts: row.Counts, Unit: row.unit(), Subjects: measured, Best: o.plan.Best}
		if row.Rounds > 0 && row.Rounds < o.plan.Rounds {
			result.Counts = strings.TrimPrefix(fmt.Sprintf("%s; rounds: %d", row.Counts, row.Rounds), "; ")
		}
		result.summarize()
		report.Rows = append(report.Rows, result)
		report.judge(rows)
		result.write(out)
	}
	report.writeTargets(out)
	return report, nil
}

// write writes a file if it has a name.
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

// environment returns the environment of this process.
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

// cpu returns the name of the processor if the system reports it in a file.
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
