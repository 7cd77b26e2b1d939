package storetest

import (
	"crypto/rand"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/tasks"
)

// Benchmark measures Create, Get and Swap of tasks of a usual size, by one caller at a time and by several
// at once. The store holds a thousand tasks, none of which has expired.
func Benchmark(b *testing.B, open Open) {
	for _, do := range []struct {
		name string
		call func(b *testing.B, s tasks.Store, r *tasks.Record) error
	}{
		{"Create", func(b *testing.B, s tasks.Store, r *tasks.Record) error {
			r.ID = rand.Text()
			return s.Create(b.Context(), r)
		}},
		{"Get", func(b *testing.B, s tasks.Store, r *tasks.Record) error {
			_, err := s.Get(b.Context(), r.ID)
			return err
		}},
		{"Swap", func(b *testing.B, s tasks.Store, r *tasks.Record) error {
			return s.Swap(b.Context(), r)
		}},
	} {
		for _, callers := range []struct {
			name    string
			atATime int
		}{{"one", 1}, {"many", 32}} {
			b.Run(do.name+"/"+callers.name, func(b *testing.B) {
				s, _ := open(b, 1_000_000_000)
				for range 1000 {
					create(b, s, record(rand.Text()))
				}
				b.ReportAllocs()
				b.SetParallelism(callers.atATime)
				work := func(next func() bool) {
					r := record(rand.Text())
					if err := s.Create(b.Context(), r); err != nil {
						b.Error(err)
						return
					}
					for next() {
						if err := do.call(b, s, r); err != nil {
							b.Error(err)
							return
						}
					}
				}
				if b.ResetTimer(); callers.atATime == 1 {
					work(b.Loop)
				} else {
					b.RunParallel(func(pb *testing.PB) { work(pb.Next) })
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tasks/s")
			})
		}
	}
}
