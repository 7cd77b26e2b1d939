package storetest

import (
	"crypto/rand"
	"fmt"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/tasks"
)

// BenchmarkTasks measures Create, Get and Swap of tasks of a usual size, by one caller at a time and by several
// at once. The store holds a thousand tasks, none of which has expired.
func BenchmarkTasks(b *testing.B, open Open[tasks.Store]) {
	for _, do := range []struct {
		name string
		call func(s tasks.Store, r *tasks.Record) error
	}{
		{"Create", func(s tasks.Store, r *tasks.Record) error {
			r.ID = rand.Text()
			return s.Create(b.Context(), r)
		}},
		{"Get", func(s tasks.Store, r *tasks.Record) error {
			_, err := s.Get(b.Context(), r.ID)
			return err
		}},
		{"Swap", func(s tasks.Store, r *tasks.Record) error { return s.Swap(b.Context(), r) }},
	} {
		for _, callers := range []int{1, 32} {
			b.Run(fmt.Sprintf("%s/callers=%d", do.name, callers), func(b *testing.B) {
				s, _ := open(b, 1_000_000_000)
				for range 1000 {
					create(b, s, record(rand.Text()))
				}
				b.ReportAllocs()
				b.SetParallelism(callers)
				work := func(next func() bool) {
					r := record(rand.Text())
					err := s.Create(b.Context(), r)
					for err == nil && next() {
						err = do.call(s, r)
					}
					wantErr(b, err, nil, "%s", do.name)
				}
				if b.ResetTimer(); callers == 1 {
					work(b.Loop)
				} else {
					b.RunParallel(func(pb *testing.PB) { work(pb.Next) })
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
			})
		}
	}
}
