package main

import "context"

// The subjects of most rows.
const (
	floor  = "floor"
	mcpgen = "mcpgen"
	mcpGo  = "mcp-go"
	goSDK  = "go-sdk"
)

// The units of measured values, as in Go's benchmark format.
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

// Row is work that all of its subjects do.
type Row struct {
	// Name is a path. Its first element groups rows, and -run selects rows by it.
	Name string
	// Title describes the work. Counts says which processes the time and memory belong to.
	Title, Counts string
	// Unit is the unit by which subjects are compared; "" means perOp.
	Unit     string
	Subjects []Subject
	Targets  []Target
	// Rounds limits the number of rounds of a slow row; 0 means no limit.
	Rounds int
}

// unit returns the unit by which subjects are compared.
func (r *Row) unit() string {
	if r.Unit == "" {
		return perOp
	}
	return r.Unit
}

// Subject is a library, or the floor, that does the work of a row.
type Subject struct {
	Name string
	// Start prepares the work and checks once that it is done correctly.
	Start func(ctx context.Context, lab *Lab) (*Work, error)
}

// Work is the prepared work of a subject. Either Do or Measure is set.
type Work struct {
	// Do does the work n times and checks each result.
	Do func(n int) error
	// Measure measures values other than the time of an operation.
	Measure func() (Sample, error)
	// Outside says that other processes do the work, so that their memory is not counted.
	Outside bool
	// Bytes is the size of the input, for rows about growth.
	Bytes int
	// Close releases the work; it may be nil.
	Close func()
}

// Sample has the values of one round by unit.
type Sample map[string]float64
