package wire

// ID is a string or an integer, such as the id of a request or a progress token. It is comparable with == and
// usable as the key of a map, though not of one that encoding/json writes: names in JSON are strings, so 1 and "1"
// would be the same. The zero ID stands for an absent value.
type ID struct{ Scalar }

const stringOrInteger = ScalarString | ScalarInteger

// StringID returns the ID of a string.
func StringID(s string) ID { return ID{StringScalar(s)} }

// IntID returns the ID of an integer.
func IntID(i int64) ID { return ID{IntScalar(i)} }

// ReadID reads a string or an integer.
func (r *Reader) ReadID() ID { return ID{r.ReadScalar(stringOrInteger)} }

// DecodeJSON implements [Value].
func (x *ID) DecodeJSON(r *Reader) error {
	*x = r.ReadID()
	return r.Err()
}

// Check implements [Checker].
func (x ID) Check(c *Collector) {
	if !x.Is(stringOrInteger) {
		c.Report("must be %s", stringOrInteger)
	}
}

// UnmarshalJSON implements the interface of encoding/json.
func (x *ID) UnmarshalJSON(data []byte) error { return Unmarshal(data, x) }
