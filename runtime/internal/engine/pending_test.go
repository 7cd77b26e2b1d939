package engine

import (
	"context"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

func begin(t *testing.T, p *Pending, o Options) *Waiter {
	t.Helper()
	w, err := p.Begin(o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestPendingResolve checks that a reply reaches the request with its id, once.
func TestPendingResolve(t *testing.T) {
	var p Pending
	p.StartAt(41)
	a, b := begin(t, &p, Options{}), begin(t, &p, Options{Accept: func(r Answer) Answer { return Answer{Result: r.Result + "!"} }})
	if a.ID != 42 || b.ID != 43 {
		t.Fatal(a.ID, b.ID)
	}
	for _, id := range []wire.Scalar{wire.ScalarOf(44), wire.ScalarOf("42"), {}} {
		if p.Resolve(id, Answer{}) {
			t.Errorf("a reply to %v was taken", id)
		}
	}
	if !p.Resolve(wire.ScalarOf(43), Answer{Result: "b"}) || p.Resolve(wire.ScalarOf(43), Answer{}) {
		t.Error("a reply was not taken once")
	}
	if r, err := b.Await(t.Context(), nil); r.Result != "b!" || err != nil {
		t.Error(r, err)
	}
	if !p.Waiting() || !p.GiveUp(a) || p.GiveUp(a) || p.Waiting() || p.Resolve(wire.ScalarOf(42), Answer{}) {
		t.Error("a request that was given up still waits")
	}
}

// TestPendingClose checks that the end of a connection fails what waits and what comes later.
func TestPendingClose(t *testing.T) {
	var p Pending
	w := begin(t, &p, Options{})
	p.Close(errOver)
	if r, err := w.Await(t.Context(), nil); r.Err != errOver || err != nil {
		t.Error(r, err)
	}
	if _, err := p.Begin(Options{}); err != errOver {
		t.Error(err)
	}
	p.Limit(w, Patience{Quiet: time.Nanosecond}) // starts no timer
}

// TestPendingLimit checks that each request expires at its own time, and none that was answered.
func TestPendingLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p Pending
		start := time.Now()
		want := map[time.Duration]bool{3 * time.Second: true, time.Second: true, 2 * time.Second: false}
		done := make(chan struct{})
		for limit, expires := range want {
			w := begin(t, &p, Options{})
			p.Limit(w, Patience{Quiet: limit})
			if !expires {
				p.Resolve(wire.ScalarOf(w.ID), Answer{})
			}
			go func() {
				r, err := w.Await(t.Context(), nil)
				if expired := r.Err == ErrExpired && time.Since(start) == limit; expired != expires || err != nil {
					t.Errorf("with %v: %v, %v after %v", limit, r, err, time.Since(start))
				}
				done <- struct{}{}
			}()
		}
		for range want {
			<-done
		}
		if p.Waiting() {
			t.Error("an expired request still waits")
		}
	})
}

// TestAwait checks the wait with progress: reports renew the quiet time but not the total.
func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p Pending
		w := begin(t, &p, Options{Feed: NewFeed()})
		start := time.Now()
		go func() {
			for i := range 10 {
				time.Sleep(2 * time.Second)
				p.Report(w.ID, Report{Progress: float64(i)})
			}
		}()
		reports := 0
		p.Limit(w, Patience{Quiet: 3 * time.Second, Total: 9 * time.Second})
		r, err := w.Await(t.Context(), func(Report) { reports++ })
		if took := time.Since(start); err != nil || r.Err != ErrExpired || took != 9*time.Second || reports != 4 {
			t.Errorf("%v, %v after %v and %d reports", r.Err, err, took, reports)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := begin(t, &p, Options{}).Await(ctx, nil); err != context.DeadlineExceeded {
			t.Error(err)
		}
		time.Sleep(time.Minute)
	})
}

// TestReports checks which reports of progress reach a request, and that the newest do if there are many.
func TestReports(t *testing.T) {
	var p Pending
	follow := NewFeed()
	quiet, w := begin(t, &p, Options{}), begin(t, &p, Options{Feed: follow, Follow: true})
	if wanted, _ := p.Report(quiet.ID, Report{Progress: 1}); wanted {
		t.Error("a report was taken for a request that wants none")
	}
	const many = 3 * maxReports
	for i := range many {
		if wanted, grows := p.Report(w.ID, Report{Progress: float64(i)}); !wanted || !grows {
			t.Error(i, wanted, grows)
		}
	}
	if wanted, grows := p.Report(w.ID, Report{Progress: many - 1}); !wanted || grows {
		t.Error("a report that does not grow was taken", wanted, grows)
	}
	p.Resolve(wire.ScalarOf(w.ID), Answer{})
	var last Report
	if _, err := w.Await(t.Context(), func(r Report) { last = r }); err != nil || last.Progress != many-1 {
		t.Error(last, err)
	}
	if wanted, _ := p.Report(w.ID, Report{Progress: many}); !wanted {
		t.Error("a request is not followed after its answer")
	}
	p.Unfollow(follow)
	if wanted, _ := p.Report(w.ID, Report{Progress: many + 1}); wanted {
		t.Error("a request is followed after Unfollow")
	}
}

// TestPendingUnused checks the messages about requests of a connection that has sent none.
func TestPendingUnused(t *testing.T) {
	var p Pending
	if p.Waiting() {
		t.Error("a request is waiting")
	}
	if p.Resolve(wire.ScalarOf(1), Answer{}) {
		t.Error("an answer was taken")
	}
	if wanted, grows := p.Report(1, Report{}); wanted || !grows {
		t.Errorf("a report: wanted %v, grows %v", wanted, grows)
	}
	p.Unfollow(NewFeed())
	p.Close(io.EOF)
	if _, err := p.Begin(Options{}); err != io.EOF {
		t.Errorf("Begin after Close: %v", err)
	}
}
