package main

import "testing"

func TestTarget(t *testing.T) {
	row := &Row{Name: "r"}
	values := map[string]float64{
		"r floor ns/op": 100, "r mcpgen ns/op": 150, "r mcp-go ns/op": 600, "r mcpgen allocs/op": 3, "r mcpgen goroutines/session": 0,
		"other mcpgen ns/op": 130,
	}
	value := func(row, subject, unit string) (float64, bool) {
		v, ok := values[row+" "+subject+" "+unit]
		return v, ok
	}
	for _, c := range []struct {
		target Target
		want   Verdict
	}{
		{atMost(150, perOp), Verdict{"at most 150 ns", "150 ns", true}},
		{atMost(149, perOp), Verdict{"at most 149 ns", "150 ns", false}},
		{atMost(2, allocs), Verdict{"at most 2 allocs", "3 allocs", false}},
		{noGoroutine(), Verdict{"no goroutine", "none", true}},
		{timesFloor(1.5), Verdict{"at most 1.5x floor", "1.5x", true}},
		{timesFloor(1.25), Verdict{"at most 1.25x floor", "1.5x", false}},
		{faster(4, mcpGo), Verdict{"4x faster than mcp-go", "4x", true}},
		{faster(5, mcpGo), Verdict{"5x faster than mcp-go", "4x", false}},
		{faster(7, mcpGo), Verdict{"7x faster than mcp-go", "4x (not even the floor: 6x)", false}},
		{faster(1, mcpGo), Verdict{"faster than mcp-go", "4x", true}},
		{floorPlus(50), Verdict{"at most floor + 50 ns", "+ 50 ns", true}},
		{floorPlus(49), Verdict{"at most floor + 49 ns", "+ 50 ns", false}},
		{timesRow(1.25, "other"), Verdict{"at most 1.25x that of other", "1.15x", true}},
		{timesRow(1.1, "other"), Verdict{"at most 1.1x that of other", "1.15x", false}},
	} {
		if got, ok := c.target.judge(row, value); !ok || got != c.want {
			t.Errorf("got %+v %v, want %+v", got, ok, c.want)
		}
	}
	if got, ok := faster(8, goSDK).judge(row, value); ok {
		t.Errorf("judged without a value: %+v", got)
	}
}

func TestFormat(t *testing.T) {
	for _, c := range []struct {
		v    float64
		unit string
		want string
	}{
		{0, perOp, "0 ns"},
		{8.591, perOp, "8.59 ns"},
		{12, perOp, "12 ns"},
		{999.6, perOp, "1.00 µs"},
		{37_420, perOp, "37.4 µs"},
		{5.2e6, perOp, "5.20 ms"},
		{13.2e9, perOp, "13.2 s"},
		{0.634, perByte, "0.63 ns/B"},
		{4e6, fileBytes, "4 MB"},
		{144_612, allocs, "145k allocs"},
		{23.03, allocs, "23.0 allocs"},
		{2, goroutines, "2 goroutines"},
		{0.0001, goroutines, "none"},
		{124.3, throughput, "124 MB/s"},
	} {
		if got := format(c.v, c.unit); got != c.want {
			t.Errorf("%v %s: got %q, want %q", c.v, c.unit, got, c.want)
		}
	}
}
