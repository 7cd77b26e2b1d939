package wire_test

import (
	"fmt"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// point shows the shape of generated code.
type point struct {
	X, Y  int64
	Extra wire.Members
}

func (p *point) DecodeJSON(r *wire.Reader) error {
	var seen [1]uint64
	for r.BeginObject(); r.Member(); {
		switch r.Name() {
		case "x":
			seen[0] |= 1 << 0
			p.X = r.ReadInt64()
		case "y":
			seen[0] |= 1 << 1
			p.Y = r.ReadInt64()
		default:
			*p.Extra.Entry(r) = r.ReadRaw()
		}
	}
	if seen[0]&0b11 != 0b11 {
		r.Missing(seen[:], "x", "y")
	}
	return r.Err()
}

func (p *point) AppendJSON(dst []byte) ([]byte, error) {
	w := wire.ObjectWriter(dst)
	w.Int64("x", p.X)
	w.Int64("y", p.Y)
	w.Members(p.Extra, "x", "y")
	return w.Close()
}

func Example() {
	var p point
	err := wire.Unmarshal([]byte(`{"x": 1, "unit": "cm", "y": 2e1}`), &p)
	fmt.Println(p, err)
	text, err := wire.Marshal(&p)
	fmt.Println(string(text), err)
	// Output:
	// {1 20 [{unit "cm"}]} <nil>
	// {"x":1,"y":20,"unit":"cm"} <nil>
}

func ExampleError() {
	var p point
	fmt.Println(wire.Unmarshal([]byte(`{"x": 1.5, "y": 2}`), &p))
	fmt.Println(wire.Unmarshal([]byte(`{"X": 1, "y": 2}`), &p))
	fmt.Println(wire.Unmarshal([]byte(`{"x": 1, "y": 2, "y": 3}`), &p))
	// Output:
	// wire: at /x, byte 6: expected an integer, found 1.5
	// wire: at byte 0: missing member "x"
	// wire: at /y, byte 17: duplicate member "y"
}

func ExampleCollector() {
	var c wire.Collector
	c.Push("audience")
	c.PushIndex(2)
	c.Const(false, `"user" or "assistant"`)
	c.Pop()
	c.Pop()
	fmt.Println(c.Err())
	// Output:
	// wire: at /audience/2: must be "user" or "assistant"
}

func ExampleObjectOf() {
	type query struct {
		City string   `json:"city"`
		Days int      `json:"days"`
		Tags []string `json:"tags,omitempty"`
	}
	arguments, err := wire.ObjectOf(query{City: "Oslo", Days: 3})
	fmt.Println(arguments, err)

	fmt.Println(wire.MustObject(map[string]any{"city": "Oslo", "days": 3}))
	// Output:
	// {"city":"Oslo","days":3} <nil>
	// {"city":"Oslo","days":3}
}

func ExampleRaw_Decode() {
	var forecast struct {
		Degrees float64 `json:"degrees"`
	}
	err := wire.Raw(`{"degrees":21.5}`).Decode(&forecast)
	fmt.Println(forecast.Degrees, err)
	// Output: 21.5 <nil>
}

func ExampleInteger() {
	var all []wire.Integer
	r := wire.NewStringReader(`[100, 1e2, 9223372036854775808]`)
	for r.BeginArray(); r.Element(); {
		all = append(all, r.ReadInteger())
	}
	fmt.Println(all, all[0] == all[1])
	fmt.Println(all[0].Int64())
	fmt.Println(all[2].Int64()) // the nearest int64, which is not exact
	// Output:
	// [100 100 9223372036854775808] true
	// 100 true
	// 9223372036854775807 false
}
