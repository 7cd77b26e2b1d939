package main

import "fmt"

// Target is a requirement on mcpgen in a row: its value must be at most Times another value,
// plus Plus.
type Target struct {
	// Unit is the unit of the compared values; "" is the unit of the row.
	Unit string
	// Than is the subject to compare with, and Row the row of its value. "" means no subject
	// and the same row.
	Than, Row   string
	Times, Plus float64
	text        string
	// value formats the compared value.
	value func(is, that float64) string
}

// atMost limits a value.
func atMost(limit float64, unit string) Target {
	return Target{
		Unit: unit, Plus: limit, text: "at most " + format(limit, unit),
		value: func(is, _ float64) string { return format(is, unit) },
	}
}

// noGoroutine requires zero goroutines after rounding.
func noGoroutine() Target {
	t := atMost(0.001, goroutines)
	t.text = "no goroutine"
	return t
}

// timesOf limits a value to a multiple of another subject's.
func timesOf(times float64, than string) Target {
	return Target{Than: than, Times: times, text: fmt.Sprintf("at most %.3gx %s", times, than), value: multiple}
}

// timesFloor limits a value to a multiple of the floor.
func timesFloor(times float64) Target { return timesOf(times, floor) }

// timesRow limits a value to a multiple of mcpgen's own value in another row.
func timesRow(times float64, row string) Target {
	return Target{Than: mcpgen, Row: row, Times: times, text: fmt.Sprintf("at most %.3gx that of %s", times, row), value: multiple}
}

// rowPlus limits a time to mcpgen's own time in another row plus a constant.
func rowPlus(more float64, row string) Target {
	t := floorPlus(more)
	t.Than, t.Row, t.text = mcpgen, row, fmt.Sprintf("at most %s + %s", row, format(more, perOp))
	return t
}

// floorPlus limits a time to the floor plus a constant.
func floorPlus(more float64) Target { return plusOf(more, floor) }

// plusOf limits a time to that of another subject plus a constant.
func plusOf(more float64, than string) Target {
	return Target{
		Than: than, Times: 1, Plus: more, text: "at most " + than + " + " + format(more, perOp),
		value: func(is, that float64) string { return "+ " + format(is-that, perOp) },
	}
}

// faster requires mcpgen to be faster than a peer by a factor.
func faster(times float64, than string) Target {
	t := Target{
		Than: than, Times: 1 / times, text: fmt.Sprintf("%.3gx faster than %s", times, than),
		value: func(is, that float64) string { return multiple(that, is) },
	}
	if times == 1 {
		t.text = "faster than " + than
	}
	return t
}

// overPeers are the targets of most rows.
func overPeers(mcpgoTimes, gosdkTimes float64) []Target {
	return []Target{faster(mcpgoTimes, mcpGo), faster(gosdkTimes, goSDK)}
}

func multiple(is, that float64) string { return fmt.Sprintf("%.3gx", is/that) }

// Verdict is the result of a target.
type Verdict struct {
	Target string `json:"target"`
	Value  string `json:"value"`
	Met    bool   `json:"met"`
}

// judge compares the values of the rows with the target. It reports whether they were measured.
func (t Target) judge(row *Row, value func(row, subject, unit string) (float64, bool)) (Verdict, bool) {
	unit, other := t.Unit, t.Row
	if unit == "" {
		unit = row.unit()
	}
	if other == "" {
		other = row.Name
	}
	is, ok := value(row.Name, mcpgen, unit)
	that := 0.0
	if ok && t.Than != "" {
		that, ok = value(other, t.Than, unit)
	}
	v := Verdict{Target: t.text, Value: t.value(is, that), Met: is <= that*t.Times+t.Plus}
	if least, known := value(row.Name, floor, unit); known && !v.Met && least > that*t.Times+t.Plus {
		v.Value += fmt.Sprintf(" (not even the floor: %s)", t.value(least, that))
	}
	return v, ok
}
