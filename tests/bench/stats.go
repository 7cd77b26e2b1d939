package main

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Summary is what the samples of a subject say about one unit.
type Summary struct {
	Median float64 `json:"median"`
	Best   float64 `json:"best"`
	// Spread is by which part of it the median may be wrong, either way, with a confidence
	// of 95 percent; nil where there are too few samples to tell.
	Spread *float64 `json:"spread,omitempty"`
}

// summarize summarizes the values of a unit.
func summarize(values []float64, unit string) Summary {
	// NewSample sorts what it is given.
	of := benchmath.AssumeNothing.Summary(benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds), 0.95)
	s := Summary{Median: of.Center, Best: slices.Min(values)}
	if unit == throughput {
		s.Best = slices.Max(values)
	}
	if width := of.Hi - of.Lo; !math.IsInf(width, 0) && of.Center != 0 {
		s.Spread = new(width / 2 / math.Abs(of.Center))
	}
	return s
}
