package main

import "fmt"

// Target is what is demanded of mcpgen in a row: its value must not be more than Times that
// of Than, plus Plus.
type Target struct {
	// Unit is of the values that are compared; "" is that of the row.
	Unit string
	// Than is the subject that mcpgen is compared with; "" is none, and then only Plus
	// counts.
	Than string
	// Row is the name of the row that Than is of; "" is this one.
	Row string
	// Of is who is held to it; "" is mcpgen.
	Of    string
	Times float64
	Plus  float64
	// AtLeast turns it round: not less.
	AtLeast bool
}

// atMost demands a value.
func atMost(limit float64, unit string) Target { return Target{Unit: unit, Plus: limit} }

// timesFloor demands a multiple of the floor.
func timesFloor(times float64) Target { return Target{Than: floor, Times: times} }

// faster demands to be so many times faster than a peer.
func faster(times float64, than string) Target { return Target{Than: than, Times: 1 / times} }

// overPeers are the targets of most rows.
func overPeers(mcpgoTimes, gosdkTimes float64) []Target {
	return []Target{faster(mcpgoTimes, mcpGo), faster(gosdkTimes, goSDK)}
}

// Verdict is what became of a target.
type Verdict struct {
	Target string `json:"target"`
	Value  string `json:"value"`
	Met    bool   `json:"met"`
}

// judge holds the values of the rows against the target.
func (t Target) judge(row *Row, value func(row, subject, unit string) (float64, bool)) (Verdict, bool) {
	unit, of := t.Unit, t.Of
	if unit == "" {
		unit = row.unit()
	}
	if of == "" {
		of = mcpgen
	}
	is, ok := value(row.Name, of, unit)
	if !ok {
		return Verdict{}, false
	}
	who := of
	if of == mcpgen {
		who = ""
	} else {
		who += ": "
	}
	if t.Than == "" {
		v := Verdict{Target: who + "at most " + format(t.Plus, unit), Value: format(is, unit), Met: is <= t.Plus}
		if t.AtLeast {
			v.Target, v.Met = who+"at least "+format(t.Plus, unit), is >= t.Plus
		}
		return v, true
	}
	other := row.Name
	if t.Row != "" {
		other = t.Row
	}
	that, ok := value(other, t.Than, unit)
	if !ok {
		return Verdict{}, false
	}
	than := t.Than
	if t.Row != "" {
		than = "that of " + t.Row
	}
	v := Verdict{Met: is <= that*t.Times+t.Plus}
	switch {
	case t.Plus > 0:
		v.Target, v.Value = fmt.Sprintf("at most %s + %s", than, format(t.Plus, unit)), "+ "+format(is-that, unit)
	case t.Times < 1 && t.Row == "" && (t.Than == mcpGo || t.Than == goSDK):
		v.Target, v.Value = fmt.Sprintf("%.3gx faster than %s", 1/t.Times, than), fmt.Sprintf("%.3gx", that/is)
	default:
		v.Target, v.Value = fmt.Sprintf("at most %.3gx %s", t.Times, than), fmt.Sprintf("%.3gx", is/that)
	}
	v.Target = who + v.Target
	return v, true
}
