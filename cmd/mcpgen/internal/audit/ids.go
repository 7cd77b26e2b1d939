package audit

import (
	"hash/maphash"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// remembered limits the number of non-integer ids kept for each side.
const remembered = 1 << 17

// ids is a set of request ids. Integers are usually consecutive and are kept as ranges. Of
// other ids, the last ones are kept as hashes, so that memory stays bounded.
type ids struct {
	ranges []span
	seed   maphash.Seed
	hashes map[uint64]struct{}
	order  []uint64 // a ring buffer of hashes that starts at next
	next   int
}

type span struct{ first, last int64 }

func newIDs() *ids { return &ids{seed: maphash.MakeSeed(), hashes: map[uint64]struct{}{}} }

// add adds an id and reports whether it was new.
func (s *ids) add(id wire.Scalar) bool {
	if n, ok := id.Int64(); ok {
		return s.addInteger(n)
	}
	h := maphash.String(s.seed, id.String())
	if _, ok := s.hashes[h]; ok {
		return false
	}
	s.hashes[h] = struct{}{}
	if len(s.order) < remembered {
		s.order = append(s.order, h)
		return true
	}
	delete(s.hashes, s.order[s.next])
	s.order[s.next] = h
	s.next = (s.next + 1) % remembered
	return true
}

func (s *ids) has(id wire.Scalar) bool {
	if n, ok := id.Int64(); ok {
		i := s.find(n)
		return i < len(s.ranges) && s.ranges[i].first <= n
	}
	_, ok := s.hashes[maphash.String(s.seed, id.String())]
	return ok
}

// find returns the index of the first range that does not end before n.
func (s *ids) find(n int64) int {
	i, _ := slices.BinarySearchFunc(s.ranges, n, func(r span, n int64) int {
		if r.last < n {
			return -1
		}
		return 1
	})
	return i
}

func (s *ids) addInteger(n int64) bool {
	i := s.find(n)
	if i < len(s.ranges) && s.ranges[i].first <= n {
		return false
	}
	before := i > 0 && s.ranges[i-1].last == n-1
	after := i < len(s.ranges) && s.ranges[i].first == n+1
	switch {
	case before && after:
		s.ranges[i-1].last = s.ranges[i].last
		s.ranges = slices.Delete(s.ranges, i, i+1)
	case before:
		s.ranges[i-1].last = n
	case after:
		s.ranges[i].first = n
	default:
		s.ranges = slices.Insert(s.ranges, i, span{n, n})
		if len(s.ranges) > remembered {
			s.ranges = slices.Delete(s.ranges, 0, 1)
		}
	}
	return true
}
