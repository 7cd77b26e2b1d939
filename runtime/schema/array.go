package schema

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// MinItems reports an array that had n elements if n is less than least.
func (c *Checker) MinItems(n int, least int64) { c.atLeast(n, least, "element") }

// MaxItems reports an array that had n elements if n is more than most.
func (c *Checker) MaxItems(n int, most int64) { c.atMost(n, most, "element") }

// MinContains reports an array of which n elements match the schema in text, if n is less
// than least.
func (c *Checker) MinContains(n int, least int64, text string) {
	if int64(n) < least && c.wanted() {
		c.report("must have at least " + count(least, "element") + " matching " + text + ", has " + strconv.Itoa(n))
	}
}

// MaxContains is MinContains for n greater than most.
func (c *Checker) MaxContains(n int, most int64, text string) {
	if int64(n) > most && c.wanted() {
		c.report("must have at most " + count(most, "element") + " matching " + text + ", has " + strconv.Itoa(n))
	}
}

// hashed is an element of an array with its hash.
type hashed struct {
	hash  uint64
	index int
	text  wire.Raw
}

// Unique reports an array with two equal elements. It moves past the value.
func (c *Checker) Unique() {
	if c.stop {
		return
	}
	if c.r.Kind() != wire.KindArray {
		c.r.Take()
		return
	}
	all := c.hashes[:0]
	for c.r.BeginArray(); c.r.Element(); {
		m := c.r.Mark()
		hash := c.hash()
		c.Reset(m)
		all = append(all, hashed{hash, len(all), c.r.Take()})
	}
	if a, b, ok := twins(all); ok && c.wanted() {
		c.report("must not have equal elements, but elements " + strconv.Itoa(a) + " and " + strconv.Itoa(b) + " are equal")
	}
	clear(all)
	c.hashes = all
}

// twins returns the indexes of two equal elements.
func twins(all []hashed) (a, b int, ok bool) {
	slices.SortFunc(all, func(a, b hashed) int {
		return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.index, b.index))
	})
	for i := 1; i < len(all); i++ {
		for j := i - 1; j >= 0 && all[j].hash == all[i].hash; j-- {
			if wire.Equal(all[j].text, all[i].text) {
				return all[j].index, all[i].index, true
			}
		}
	}
	return 0, 0, false
}

// seed makes hash collisions unpredictable.
var seed = maphash.MakeSeed()

// hash reads a value and returns its hash. Values that are the same JSON have the same
// hash.
func (c *Checker) hash() uint64 {
	switch kind := c.r.Kind(); kind {
	case wire.KindObject:
		sum := uint64(kind)
		for c.r.BeginObject(); c.r.Member(); {
			sum += mix(maphash.String(seed, c.r.Name()), c.hash()) // in any order
		}
		return sum
	case wire.KindArray:
		sum := uint64(kind)
		for c.r.BeginArray(); c.r.Element(); {
			sum = mix(sum, c.hash())
		}
		return sum
	case wire.KindString:
		return mix(uint64(kind), maphash.String(seed, c.r.ReadString()))
	case wire.KindNumber:
		d := wire.ParseDecimal(c.r.Take())
		if d.Negative {
			kind++
		}
		return mix(uint64(kind)+uint64(d.Exp()), maphash.String(seed, d.Digits))
	default:
		return maphash.String(seed, string(c.r.Take()))
	}
}

func mix(a, b uint64) uint64 { return maphash.Comparable(seed, [2]uint64{a, b}) }
