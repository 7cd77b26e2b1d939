package main

import "context"

// The subjects that most rows have.
const (
	floor  = "floor"
	mcpgen = "mcpgen"
	mcpGo  = "mcp-go"
	goSDK  = "go-sdk"
)

// The units of what is measured, as in Go's benchmark format.
const (
	perOp      = "ns/op"
	allocBytes = "B/op"
	allocs     = "allocs/op"
	perByte    = "ns/B"
	fileBytes  = "bytes"
	heapBytes  = "heap-B/session"
	stackBytes = "stack-B/session"
	goroutines = "goroutines/session"
	throughput = "MB/s"
)

// Row is a piece of work that all of its subjects do.
type Row struct {
	// Name is a path: what comes first groups rows, and -run selects by it.
	Name string
	// Title says what is done, Counts whose time and memory are counted.
	Title, Counts string
	// Unit is what the subjects are compared by; "" is perOp.
	Unit     string
	Subjects []Subject
	Targets  []Target
	// Rounds bounds the number of rounds, for rows that take long; 0 does not.
	Rounds int
}

// unit is what the subjects are compared by.
func (r *Row) unit() string {
	if r.Unit == "" {
		return perOp
	}
	return r.Unit
}

// Subject is one who does the work of a row.
type Subject struct {
	Name string
	// Start makes everything ready, and checks once that the work is done right.
	Start func(ctx context.Context, lab *Lab) (*Work, error)
}

// Work is what a subject has made ready. Either Do or Measure is set.
type Work struct {
	// Do does the work n times and checks each result.
	Do func(n int) error
	// Measure measures what is no time by the operation.
	Measure func() (Sample, error)
	// Outside says that memory is used in other processes, so that it is not counted.
	Outside bool
	// Bytes is the size of the input, for rows about growth.
	Bytes int
	// Close ends it; nil has nothing to end.
	Close func()
}

// Sample is what one round has measured, by unit.
type Sample map[string]float64
