package main

import (
	"fmt"
	"math"
	"strings"
)

// format formats a value with three digits and a suitable unit.
func format(v float64, unit string) string {
	switch unit {
	case perOp:
		return scaled(v, "ns", "µs", "ms", "s")
	case perByte:
		return digits(v) + " ns/B"
	case allocs:
		return strings.Replace(scaled(v, "", "k", "M"), " ", "", 1) + " allocs"
	case allocBytes, fileBytes, heapBytes, stackBytes:
		return scaled(v, "B", "KB", "MB", "GB")
	case goroutines:
		if digits(v) == "0.00" || v == 0 {
			return "none"
		}
		return digits(v) + " goroutines"
	}
	return digits(v) + " " + unit
}

// scaled formats a value in the unit that gives at most three digits before the point. Each
// unit is a thousand of the previous one.
func scaled(v float64, units ...string) string {
	i := 0
	for ; i < len(units)-1 && math.Abs(v) >= 999.5; i++ {
		v /= 1000
	}
	return digits(v) + " " + units[i]
}

// digits formats a number with three digits, and a small integer without a point.
func digits(v float64) string {
	switch a := math.Abs(v); {
	case a == math.Trunc(a) && a < 1000, a >= 99.95:
		return fmt.Sprintf("%.0f", v)
	case a >= 9.995:
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.2f", v)
}
