package main

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"time"
)

// Plan is the amount of measuring.
type Plan struct {
	Rounds int           // rounds for each subject
	Time   time.Duration // the time of a round
	Best   bool          // compare the best rounds, not the medians
}

// String describes the plan in the report.
func (p Plan) String() string {
	counted := "medians"
	if p.Best {
		counted = "the best"
	}
	return fmt.Sprintf("%s of %d rounds of %v, subjects in turn", counted, p.Rounds, p.Time)
}

// Measured is the measured work of a subject in a row.
type Measured struct {
	Subject string `json:"subject"`
	// N is the number of operations in a round.
	N int `json:"n"`
	// Rounds has the values of all rounds by unit.
	Rounds map[string][]float64 `json:"rounds"`
}

// add adds a round, rounded to five digits.
func (m *Measured) add(s Sample) {
	for unit, v := range s {
		v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 5, 64), 64)
		m.Rounds[unit] = append(m.Rounds[unit], v)
	}
}

// measure measures the subjects of a row in turn.
func measure(ctx context.Context, lab *Lab, row *Row, plan Plan) ([]*Measured, error) {
	var works []*Work
	var all []*Measured
	defer func() {
		for _, w := range works {
			if w.Close != nil {
				w.Close()
			}
		}
	}()
	for _, s := range row.Subjects {
		work, err := s.Start(ctx, lab)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", row.Name, s.Name, err)
		}
		works = append(works, work)
		all = append(all, &Measured{Subject: s.Name, N: 1, Rounds: map[string][]float64{}})
	}
	rounds := plan.Rounds
	if row.Rounds > 0 {
		rounds = min(rounds, row.Rounds)
	}
	for round := range rounds {
		for i, w := range works {
			m := all[i]
			if round == 0 && w.Do != nil {
				n, err := calibrate(w, plan.Time)
				if err != nil {
					return nil, fmt.Errorf("%s: %s: %w", row.Name, m.Subject, err)
				}
				m.N = n
			}
			s, err := w.sample(m.N)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", row.Name, m.Subject, err)
			}
			m.add(s)
		}
	}
	return all, nil
}

// calibrate returns how often the work fits into the time of a round.
func calibrate(w *Work, turn time.Duration) (int, error) {
	for n := 1; ; {
		start := time.Now()
		if err := w.Do(n); err != nil {
			return 0, err
		}
		took := time.Since(start)
		fits := int(float64(n) * float64(turn) / float64(max(took, 1)))
		if took >= turn/2 || fits <= n {
			return max(fits, 1), nil
		}
		n = min(fits, 10*n)
	}
}

// sample measures one round.
func (w *Work) sample(n int) (Sample, error) {
	if w.Measure != nil {
		return w.Measure()
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	if err := w.Do(n); err != nil {
		return nil, err
	}
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	s := Sample{perOp: float64(took) / float64(n)}
	if !w.Outside {
		s[allocBytes] = float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
		s[allocs] = float64(after.Mallocs-before.Mallocs) / float64(n)
	}
	if w.Bytes > 0 {
		s[perByte] = s[perOp] / float64(w.Bytes)
	}
	return s, nil
}
