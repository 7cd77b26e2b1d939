package engine

// Report is a report of progress.
type Report struct {
	Progress float64
	Total    *float64
	Message  string
}

// maxReports is how many reports wait for a slow receiver. If there are more, the oldest is
// dropped, because the newest says everything.
const maxReports = 16

// Feed takes the reports of one request. [Pending] puts them in; receiving needs no lock.
type Feed struct {
	reports chan Report
	last    float64
	started bool // last is set
}

// NewFeed returns an empty feed.
func NewFeed() *Feed { return &Feed{reports: make(chan Report, maxReports)} }

// Reports returns the channel of the reports; nil if f is nil.
func (f *Feed) Reports() <-chan Report {
	if f == nil {
		return nil
	}
	return f.reports
}

// put adds a report. It returns false for one whose value does not grow.
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
