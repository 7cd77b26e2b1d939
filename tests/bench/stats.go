package main

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Summary summarizes the samples of a subject in one unit.
type Summary struct {
	Median float64 `json:"median"`
	Best   float64 `json:"best"`
	// Spread is the relative error of the median with a confidence of 95 percent, or nil if
	// there are too few samples.
	Spread *float64 `json:"spread,omitempty"`
}

// summarize summarizes the values of a unit.
func summarize(values []float64, unit string) Summary {
	// NewSample sorts its argument.
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
