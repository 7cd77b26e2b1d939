package streamable

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testkit"
)

// TestMemoryEventsHeap checks that the store keeps no more memory than its limit allows,
// whatever was appended before, and none after its sessions have ended.
func TestMemoryEventsHeap(t *testing.T) {
	const limit = 1 << 20
	large, small := bytes.Repeat([]byte("x"), 10_000), []byte("{}")
	cases := map[string]func(m *MemoryEvents) error{
		"one stream": func(m *MemoryEvents) error {
			for n := range uint64(10_000) {
				if err := m.Append(t.Context(), "s", "a", n, large); err != nil {
					return err
				}
			}
			return nil
		},
		"many streams": func(m *MemoryEvents) error {
			for i := range 50_000 {
				if err := m.Append(t.Context(), "s", fmt.Sprint(i), 0, small); err != nil {
					return err
				}
			}
			return nil
		},
		"many sessions": func(m *MemoryEvents) error {
			for i := range 10_000 {
				for n := range uint64(5) {
					if err := m.Append(t.Context(), fmt.Sprint(i), "a", n, large[:1000]); err != nil {
						return err
					}
				}
			}
			return nil
		},
		"one stream beside a quiet one": func(m *MemoryEvents) error {
			for n := range uint64(10_000) {
				if err := m.Append(t.Context(), "s", "a", n, large); err != nil {
					return err
				}
				if n%1000 == 0 {
					if err := m.Append(t.Context(), "quiet", "a", n/1000, small); err != nil {
						return err
					}
				}
			}
			return nil
		},
	}
	for name, fill := range cases {
		t.Run(name, func(t *testing.T) {
			grown := testkit.Heap(2*limit, func() any {
				m := NewMemoryEvents(limit)
				if err := fill(m); err != nil || m.Len() == 0 {
					t.Fatal(m.Len(), err)
				}
				return m
			})
			if grown > 2*limit {
				t.Errorf("the store keeps %d bytes, its limit is %d", grown, limit)
			}
			left := testkit.Heap(limit/10, func() any {
				m := NewMemoryEvents(limit)
				if err := fill(m); err != nil {
					t.Fatal(err)
				}
				for id := range m.sessions {
					if err := m.Drop(t.Context(), id); err != nil {
						t.Fatal(err)
					}
				}
				return m
			})
			if left > limit/10 {
				t.Errorf("%d bytes are kept after the sessions have ended", left)
			}
		})
	}
}
