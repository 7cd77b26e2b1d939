package wire_test

import (
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The types here are written by hand in the shape of generated ones.

type sample struct {
	Type   string
	Text   string
	Size   *int64
	Score  float64
	Done   bool
	ID     wire.Scalar
	Labels []string
	Notes  *notes
	Params wire.Raw
	Extra  wire.Members
}

func (x *sample) DecodeJSON(r *wire.Reader) error {
	var seen [1]uint64
	for r.BeginObject(); r.Member(); {
		switch r.Name() {
		case "type":
			seen[0] |= 1 << 0
			x.Type = r.ReadString()
		case "text":
			seen[0] |= 1 << 1
			x.Text = r.ReadString()
		case "size":
			seen[0] |= 1 << 2
			x.Size = new(r.ReadInt64())
		case "score":
			seen[0] |= 1 << 3
			x.Score = r.ReadFloat64()
		case "done":
			seen[0] |= 1 << 4
			x.Done = r.ReadBool()
		case "id":
			seen[0] |= 1 << 5
			x.ID = r.ReadScalar(wire.KindString | wire.KindInteger)
		case "labels":
			seen[0] |= 1 << 6
			x.Labels = []string{}
			for r.BeginArray(); r.Element(); {
				x.Labels = append(x.Labels, r.ReadString())
			}
		case "notes":
			seen[0] |= 1 << 7
			x.Notes = new(notes)
			x.Notes.DecodeJSON(r)
		case "params":
			seen[0] |= 1 << 8
			x.Params = r.ReadRaw()
		default:
			*x.Extra.Entry(r) = r.ReadRaw()
		}
	}
	if seen[0]&0b11 != 0b11 {
		r.Missing(seen[:], "type", "text")
	}
	return r.Err()
}

func (x *sample) AppendJSON(dst []byte) ([]byte, error) {
	var err error
	dst = append(dst, '{')
	dst = wire.AppendName(dst, "type")
	if dst, err = wire.AppendString(dst, x.Type); err != nil {
		return dst, wire.In(err, "type")
	}
	dst = wire.AppendName(dst, "text")
	if dst, err = wire.AppendString(dst, x.Text); err != nil {
		return dst, wire.In(err, "text")
	}
	if x.Size != nil {
		dst = wire.AppendName(dst, "size")
		dst = strconv.AppendInt(dst, *x.Size, 10)
	}
	dst = wire.AppendName(dst, "score")
	if dst, err = wire.AppendFloat64(dst, x.Score); err != nil {
		return dst, wire.In(err, "score")
	}
	dst = wire.AppendName(dst, "done")
	dst = strconv.AppendBool(dst, x.Done)
	if !x.ID.IsZero() {
		dst = wire.AppendName(dst, "id")
		if dst, err = x.ID.AppendJSON(dst); err != nil {
			return dst, wire.In(err, "id")
		}
	}
	if x.Labels != nil {
		dst = wire.AppendName(dst, "labels")
		dst = append(dst, '[')
		for i, s := range x.Labels {
			if dst, err = wire.AppendString(wire.AppendComma(dst), s); err != nil {
				return dst, wire.In(wire.In(err, strconv.Itoa(i)), "labels")
			}
		}
		dst = append(dst, ']')
	}
	if x.Notes != nil {
		dst = wire.AppendName(dst, "notes")
		if dst, err = x.Notes.AppendJSON(dst); err != nil {
			return dst, wire.In(err, "notes")
		}
	}
	if x.Params != "" {
		dst = wire.AppendName(dst, "params")
		if dst, err = x.Params.AppendJSON(dst); err != nil {
			return dst, wire.In(err, "params")
		}
	}
	if dst, err = wire.AppendMembers(dst, x.Extra, "type", "text", "size", "score", "done", "id", "labels", "notes", "params"); err != nil {
		return dst, err
	}
	return append(dst, '}'), nil
}

func (x *sample) Check(c *wire.Collector) {
	c.Push("type")
	c.Const(x.Type == "text", `"text"`)
	c.Pop()
	if x.Notes != nil {
		c.Push("notes")
		c.Push("priority")
		c.Minimum(x.Notes.Priority, 0)
		c.Maximum(x.Notes.Priority, 1)
		c.Pop()
		c.Push("audience")
		for i, s := range x.Notes.Audience {
			c.PushIndex(i)
			c.MinLength(s, 1)
			c.Pop()
		}
		c.Pop()
		c.Pop()
	}
}

type notes struct {
	Audience []string
	Priority float64
	Extra    wire.Members
}

func (x *notes) DecodeJSON(r *wire.Reader) error {
	var seen [1]uint64
	for r.BeginObject(); r.Member(); {
		switch r.Name() {
		case "audience":
			seen[0] |= 1 << 0
			for r.BeginArray(); r.Element(); {
				x.Audience = append(x.Audience, r.ReadString())
			}
		case "priority":
			seen[0] |= 1 << 1
			x.Priority = r.ReadFloat64()
		default:
			*x.Extra.Entry(r) = r.ReadRaw()
		}
	}
	return r.Err()
}

func (x *notes) AppendJSON(dst []byte) ([]byte, error) {
	var err error
	dst = append(dst, '{')
	if x.Audience != nil {
		dst = wire.AppendName(dst, "audience")
		dst = append(dst, '[')
		for i, s := range x.Audience {
			if dst, err = wire.AppendString(wire.AppendComma(dst), s); err != nil {
				return dst, wire.In(wire.In(err, strconv.Itoa(i)), "audience")
			}
		}
		dst = append(dst, ']')
	}
	dst = wire.AppendName(dst, "priority")
	if dst, err = wire.AppendFloat64(dst, x.Priority); err != nil {
		return dst, wire.In(err, "priority")
	}
	if dst, err = wire.AppendMembers(dst, x.Extra, "audience", "priority"); err != nil {
		return dst, err
	}
	return append(dst, '}'), nil
}

// tree is a value that may hold itself, read by guessing: the worst use of Try.
type tree struct{ depth int }

func (x *tree) AppendJSON(dst []byte) ([]byte, error) {
	return strconv.AppendInt(dst, int64(x.depth), 10), nil
}

func (x *tree) DecodeJSON(r *wire.Reader) error {
	for range 2 {
		var guess guess
		if r.Try(&guess) {
			x.depth = guess.tree.depth + 1
			return r.Err()
		}
	}
	r.ReadInt64()
	return r.Err()
}

// guess is an array of one tree.
type guess struct{ tree tree }

func (x *guess) AppendJSON(dst []byte) ([]byte, error) { return x.tree.AppendJSON(dst) }

func (x *guess) DecodeJSON(r *wire.Reader) error {
	for r.BeginArray(); r.Element(); {
		x.tree.DecodeJSON(r)
	}
	return r.Err()
}
