package engine

import "github.com/mcpgen/mcpgen/runtime/wire"

// Report is a report of progress.
type Report struct {
	Progress float64
	Total    *float64
	Message  string
	Params   wire.Raw
}

// maxReports limits the reports that wait for a slow receiver. Beyond it, the oldest report is
// dropped, because a newer one replaces it.
const maxReports = 16

// Feed is a queue of the reports for one request. [Pending] adds reports under its lock; receiving
// needs no lock.
type Feed struct {
	reports chan Report
	last    float64
	started bool // last is set
}

// NewFeed returns an empty feed.
func NewFeed() *Feed { return &Feed{reports: make(chan Report, maxReports)} }

// Reports returns the channel of the reports, or nil if f is nil.
func (f *Feed) Reports() <-chan Report {
	if f == nil {
		return nil
	}
	return f.reports
}

// put adds a report. It returns false and drops the report if its value does not grow.
func (f *Feed) put(r Report) bool {
	if f.started && r.Progress <= f.last {
		return false
	}
	f.last, f.started = r.Progress, true
	for {
		select {
		case f.reports <- r:
			return true
		default:
		}
		select {
		case <-f.reports:
		default:
		}
	}
}
