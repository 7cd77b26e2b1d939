package storetest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/share"
)

// Bus checks that a bus does what share.Bus demands, as long as nothing is disconnected.
func Bus(t *testing.T, open Open[share.Bus]) { run(t, open, busChecks) }

var busChecks = []check[share.Bus]{
	{"Order", 0, busOrder},
	{"Subjects", 0, busSubjects},
	{"Overlap", 0, busOverlap},
	{"StopSubscribe", 0, busStopSubscribe},
	{"Memory", 0, busMemory},
	{"Nobody", 0, busNobody},
	{"One", 0, busOne},
	{"Ends", 0, busEnds},
	{"Large", 0, busLarge},
	{"OddSubjects", 0, busOddSubjects},
}

func publish(t testing.TB, b share.Bus, subject, text string) {
	t.Helper()
	wantErr(t, b.Publish(t.Context(), subject, []byte(text)), nil, "Publish")
}

func subscribe(t testing.TB, b share.Bus, subject string, receive func(data []byte)) (stop func()) {
	t.Helper()
	stop, err := b.Subscribe(t.Context(), subject, receive, nil)
	return untilEnd(t, stop, err)
}

func serve(t testing.TB, b share.Bus, subject string, answer func(ctx context.Context, data []byte) []byte) (stop func()) {
	t.Helper()
	stop, err := b.Serve(t.Context(), subject, answer)
	return untilEnd(t, stop, err)
}

// untilEnd returns a stop that the test may call, and that is called at the end of the test otherwise.
func untilEnd(t testing.TB, stop func(), err error) func() {
	t.Helper()
	must(t, err, "Subscribe or Serve")
	stop = sync.OnceFunc(stop)
	t.Cleanup(stop)
	return stop
}

func wantAnswer(t testing.TB, b share.Bus, subject, text, answer string) {
	t.Helper()
	got, err := b.Request(t.Context(), subject, []byte(text))
	wantErr(t, err, nil, "Request")
	want(t, string(got), answer, "Request")
}

// wantRefused checks that a request fails.
func wantRefused(t testing.TB, b share.Bus, subject, text string, refusal error) {
	t.Helper()
	answer, err := b.Request(t.Context(), subject, []byte(text))
	wantErr(t, err, refusal, "Request %.20q of %d bytes, answered %.20q", subject, len(text), answer)
}

func echo(_ context.Context, data []byte) []byte { return data }

// busOrder checks that all subscribers of all processes receive all messages of two publishers, each
// publisher's in their order.
func busOrder(t testing.TB, one, other share.Bus) {
	const count = 500
	var all sync.WaitGroup
	for _, b := range []share.Bus{one, other, other} {
		all.Add(2)
		next := map[byte]int{}
		subscribe(t, b, "a.b", func(data []byte) {
			n, _ := strconv.Atoi(string(data[1:]))
			want(t, n, next[data[0]], "message of publisher %c", data[0])
			if next[data[0]] = n + 1; n == count-1 {
				all.Done()
			}
		})
	}
	for i, b := range []share.Bus{one, other} {
		go func() {
			for n := range count {
				publish(t, b, "a.b", fmt.Sprintf("%c%d", 'a'+i, n))
			}
		}()
	}
	all.Wait()
}

// busSubjects checks that a subscriber receives the messages of its subject and no others.
func busSubjects(t testing.TB, one, other share.Bus) {
	var all sync.WaitGroup
	for _, subject := range names {
		all.Add(1)
		subscribe(t, other, subject, func(data []byte) {
			if text := string(data); text == "end" {
				all.Done()
			} else {
				want(t, text, subject, "a subscriber has received a message of another subject")
			}
		})
	}
	for _, subject := range names {
		publish(t, one, subject, subject)
	}
	for _, subject := range names {
		publish(t, one, subject, "end")
	}
	all.Wait()
}

// busOverlap checks that calls of receive do not overlap, and that Publish and other subscribers do not wait
// for a slow one.
func busOverlap(t testing.TB, one, other share.Bus) {
	var running atomic.Int32
	proceed, slow, quick := make(chan struct{}), make(chan struct{}, 100), make(chan struct{}, 100)
	subscribe(t, other, "a", func([]byte) {
		want(t, running.Add(1), 1, "calls of receive overlap")
		<-proceed
		time.Sleep(time.Millisecond) // without it, 2 of 10 runs missed calls that overlap
		running.Add(-1)
		slow <- struct{}{}
	})
	subscribe(t, other, "a", func([]byte) { quick <- struct{}{} })
	for range 100 {
		publish(t, one, "a", "x")
	}
	for range 100 {
		<-quick
	}
	close(proceed)
	for range 100 {
		<-slow
	}
}

// busStopSubscribe checks that a subscriber receives at most one message after stop.
func busStopSubscribe(t testing.TB, one, other share.Bus) {
	var stopped atomic.Bool
	var late atomic.Int32
	first, end := make(chan struct{}, 1000), make(chan struct{})
	stop := subscribe(t, other, "a", func([]byte) {
		if stopped.Load() && late.Add(1) > 1 {
			t.Errorf("a subscriber has received messages after stop")
		}
		first <- struct{}{}
	})
	subscribe(t, other, "a", func(data []byte) {
		if string(data) == "end" {
			close(end)
		}
	})
	for range 100 {
		publish(t, one, "a", "x")
	}
	<-first
	stop()
	stopped.Store(true)
	for range 100 {
		publish(t, one, "a", "x")
	}
	publish(t, one, "a", "end")
	<-end
}

// busMemory checks that a bus shares no memory with its callers, and that they share none with each other.
func busMemory(t testing.TB, one, other share.Bus) {
	got := make(chan string, 3)
	for _, b := range []share.Bus{one, other, other} {
		subscribe(t, b, "a", func(data []byte) {
			got <- string(data)
			clear(data)
		})
	}
	data := []byte("hello")
	must(t, one.Publish(t.Context(), "a", data), "Publish")
	clear(data)
	serve(t, other, "q", func(_ context.Context, data []byte) []byte {
		clear(data)
		return nil
	})
	for range 3 {
		want(t, <-got, "hello", "received")
	}
	data = []byte("hello")
	answer, err := one.Request(t.Context(), "q", data)
	wantErr(t, err, nil, "Request")
	want(t, string(answer), "", "the answer")
	want(t, string(data), "hello", "a request has changed")
}

// busNobody checks that a request fails if nobody serves its subject.
func busNobody(t testing.TB, one, other share.Bus) {
	subscribe(t, other, "other", func([]byte) {})
	both := []share.Bus{one, other}
	for _, b := range both {
		wantRefused(t, b, "q", "", share.ErrNobody)
	}
	stop := serve(t, other, "q", func(_ context.Context, data []byte) []byte { return append([]byte("re: "), data...) })
	for _, b := range both {
		wantAnswer(t, b, "q", "x", "re: x")
	}
	stop()
	for _, b := range both {
		wantRefused(t, b, "q", "", share.ErrNobody)
	}
}

// busOne checks that each request goes to one of those that serve its subject, and that requests are handled
// concurrently.
func busOne(t testing.TB, one, other share.Bus) {
	const count = 100
	var handled atomic.Int32
	var begun sync.WaitGroup
	begun.Add(count)
	for _, b := range []share.Bus{one, other, other} {
		serve(t, b, "q", func(_ context.Context, data []byte) []byte {
			if handled.Add(1) <= count {
				begun.Done()
			}
			begun.Wait()
			return data
		})
	}
	together(count, one, one, func(i int, b share.Bus) { wantAnswer(t, b, "q", strconv.Itoa(i), strconv.Itoa(i)) })
	want(t, handled.Load(), count, "how many times 100 requests were handled")
}

// busEnds checks that a request ends with its context, and the context of its handler with stop.
func busEnds(t testing.TB, one, other share.Bus) {
	begun, ended := make(chan struct{}, 1), make(chan struct{})
	stop := serve(t, other, "q", func(ctx context.Context, _ []byte) []byte {
		begun <- struct{}{}
		<-ctx.Done()
		close(ended)
		return nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := one.Request(ctx, "q", nil)
		failed <- err
	}()
	<-begun
	cancel()
	wantErr(t, <-failed, context.Canceled, "Request whose context has ended")
	select {
	case <-ended:
		t.Errorf("the context of a handler has ended before stop")
	default:
	}
	stop()
	<-ended
}

// busLarge checks messages of the greatest length, and longer ones.
func busLarge(t testing.TB, one, other share.Bus) {
	largest := string(bytes.Repeat([]byte("x"), share.MaxMessage))
	tooLarge := []byte(largest + "x")
	got := make(chan []byte, 1)
	subscribe(t, other, longest, func(data []byte) { got <- slices.Clone(data) })
	wantErr(t, one.Publish(t.Context(), longest, tooLarge), share.ErrTooLarge, "Publish of more than MaxMessage")
	must(t, one.Publish(t.Context(), longest, []byte(largest)), "Publish of MaxMessage")
	want(t, string(<-got), largest, "a message of MaxMessage")
	serve(t, other, "echo", echo)
	serve(t, other, "more", func(context.Context, []byte) []byte { return tooLarge })
	wantAnswer(t, one, "echo", largest, largest)
	wantRefused(t, one, "echo", string(tooLarge), share.ErrTooLarge)
	wantRefused(t, one, "nobody", string(tooLarge), share.ErrTooLarge)
	wantRefused(t, one, "more", "", share.ErrTooLarge)
}

// busOddSubjects checks that subjects of another form are refused.
func busOddSubjects(t testing.TB, one, _ share.Bus) {
	serve(t, one, "a", echo)
	subscribe(t, one, "a", func(data []byte) { t.Errorf("a message of another subject was received: %.20q", data) })
	for _, subject := range oddNames {
		wantErr(t, one.Publish(t.Context(), subject, []byte(subject)), share.ErrSubject, "Publish %.20q", subject)
		wantRefused(t, one, subject, "", share.ErrSubject)
		_, err := one.Subscribe(t.Context(), subject, func([]byte) {}, nil)
		wantErr(t, err, share.ErrSubject, "Subscribe %.20q", subject)
		_, err = one.Serve(t.Context(), subject, echo)
		wantErr(t, err, share.ErrSubject, "Serve %.20q", subject)
	}
}
