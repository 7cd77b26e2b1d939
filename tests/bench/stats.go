package main

import (
	"math"
	"slices"

	"golang.org/x/perf/benchmath"
)

// Summary is what the samples of a subject say about one unit.
type Summary struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	// Spread is by which part of it the median may be wrong, either way, with a confidence
	// of 95 percent; nil where there are too few samples to tell.
	Spread *float64 `json:"spread,omitempty"`
}

// summary summarizes one unit, and reports whether it was measured.
func (m *Measured) summary(unit string) (Summary, bool) {
	var values []float64
	for _, s := range m.Samples {
		if v, ok := s[unit]; ok {
			values = append(values, v)
		}
	}
	if len(values) == 0 {
		return Summary{}, false
	}
	of := benchmath.AssumeNothing.Summary(benchmath.NewSample(values, &benchmath.DefaultThresholds), 0.95)
	s := Summary{Median: of.Center, Min: slices.Min(values)}
	if width := of.Hi - of.Lo; !math.IsInf(width, 0) && of.Center != 0 {
		s.Spread = new(width / 2 / math.Abs(of.Center))
	}
	return s, true
}
