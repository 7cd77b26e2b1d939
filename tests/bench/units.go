package main

import (
	"fmt"
	"math"
)

// format writes a value with three digits and a unit that suits it.
func format(v float64, unit string) string {
	switch unit {
	case perOp:
		return scaled(v, 1000, "ns", "µs", "ms", "s")
	case perByte:
		return digits(v) + " ns/B"
	case allocs:
		return scaled(v, 1000, "allocs", "k allocs", "M allocs")
	case allocBytes, fileBytes, heapBytes, stackBytes:
		return scaled(v, 1000, "B", "KB", "MB", "GB")
	case goroutines:
		return digits(v) + " goroutines"
	}
	return digits(v) + " " + unit
}

func scaled(v, step float64, units ...string) string {
	i := 0
	for ; i < len(units)-1 && math.Abs(v) >= 0.9995*step; i++ {
		v /= step
	}
	return digits(v) + " " + units[i]
}

// digits writes a number with three digits, but no more of a whole one than it has.
func digits(v float64) string {
	switch a := math.Abs(v); {
	case a == math.Trunc(a) && a < 1000:
		return fmt.Sprintf("%.0f", v)
	case a >= 99.95:
		return fmt.Sprintf("%.0f", v)
	case a >= 9.995:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
