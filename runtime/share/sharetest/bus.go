package sharetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/share"
)

// OpenBus returns a bus as two processes see it: what one of the two publishes, the other one receives. They
// are the same value if only one process can use the bus. OpenBus registers with t what closes the bus.
type OpenBus func(t testing.TB) (one, other share.Bus)

// TestBus checks that a bus does what share.Bus demands, as long as nothing is disconnected. Each test opens a
// bus of its own. Messages are awaited without a limit other than that of the test.
func TestBus(t *testing.T, open OpenBus) {
	run(t, open, []test[share.Bus]{
		{"Order", testOrder},
		{"Subjects", testSubjects},
		{"Overlap", testOverlap},
		{"StopSubscribe", testStopSubscribe},
		{"Memory", testBusMemory},
		{"Nobody", testNobody},
		{"One", testOne},
		{"Parallel", testParallel},
		{"Ends", testEnds},
		{"Large", testLarge},
		{"OddSubjects", testOddSubjects},
	})
}

// oddSubjects are not valid subjects.
var oddSubjects = []string{"", ".", "a.", ".a", "a..b", "*", "a.*", ">", "a.>", "a b", "a\n", "\x00", "a/b", "ä", "\xff", "$a", string(bytes.Repeat([]byte("a"), 257))}

// longSubject is as long as subjects may be.
var longSubject = "a.B-9_." + string(bytes.Repeat([]byte("z"), 249))

func publish(t testing.TB, b share.Bus, subject, text string) {
	t.Helper()
	if err := b.Publish(t.Context(), subject, []byte(text)); err != nil {
		t.Errorf("Publish: %v", err)
	}
}

func subscribe(t testing.TB, b share.Bus, subject string, receive func(data []byte)) (stop func()) {
	t.Helper()
	stop, err := b.Subscribe(t.Context(), subject, receive)
	if err != nil {
		t.Fatalf("Subscribe: %v", err)
	}
	stop = sync.OnceFunc(stop)
	t.Cleanup(stop)
	return stop
}

func serve(t testing.TB, b share.Bus, subject string, answer func(ctx context.Context, data []byte) []byte) (stop func()) {
	t.Helper()
	stop, err := b.Serve(t.Context(), subject, answer)
	if err != nil {
		t.Fatalf("Serve: %v", err)
	}
	stop = sync.OnceFunc(stop)
	t.Cleanup(stop)
	return stop
}

// testOrder checks that all subscribers of all processes receive all messages of two publishers, each
// publisher's in their order.
func testOrder(t *testing.T, one, other share.Bus) {
	const count = 500
	var all sync.WaitGroup
	for _, b := range []share.Bus{one, other, other} {
		all.Add(2)
		next := map[byte]int{}
		subscribe(t, b, "a.b", func(data []byte) {
			n, _ := strconv.Atoi(string(data[1:]))
			if want := next[data[0]]; n != want {
				t.Errorf("message %d of publisher %c came when %d was due", n, data[0], want)
			}
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

// testSubjects checks that a subscriber receives the messages of its subject and no others.
func testSubjects(t *testing.T, one, other share.Bus) {
	subjects := []string{"a", "a.b", "a.b.c", "b", "A", "a-b", "a_b", longSubject}
	var all sync.WaitGroup
	for _, subject := range subjects {
		all.Add(1)
		subscribe(t, other, subject, func(data []byte) {
			if text := string(data); text == "end" {
				all.Done()
			} else if text != subject {
				t.Errorf("a subscriber of %.20s has received a message of %.20s", subject, text)
			}
		})
	}
	for _, subject := range subjects {
		publish(t, one, subject, subject)
	}
	for _, subject := range subjects {
		publish(t, one, subject, "end")
	}
	all.Wait()
}

// testOverlap checks that calls of receive do not overlap, and that Publish and other subscribers do not wait
// for a slow one.
func testOverlap(t *testing.T, one, other share.Bus) {
	var running atomic.Int32
	proceed, slow, quick := make(chan struct{}), make(chan struct{}, 100), make(chan struct{}, 100)
	subscribe(t, other, "a", func([]byte) {
		if running.Add(1) > 1 {
			t.Error("calls of receive overlap")
		}
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

// testStopSubscribe checks that a subscriber receives at most one message after stop.
func testStopSubscribe(t *testing.T, one, other share.Bus) {
	var stopped atomic.Bool
	var late atomic.Int32
	first := make(chan struct{}, 1000)
	stop := subscribe(t, other, "a", func([]byte) {
		if stopped.Load() && late.Add(1) > 1 {
			t.Error("a subscriber has received messages after stop")
		}
		first <- struct{}{}
	})
	end := make(chan struct{})
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

// testBusMemory checks that a bus shares no memory with its callers, nor lets them share any.
func testBusMemory(t *testing.T, one, other share.Bus) {
	got := make(chan string, 3)
	for _, b := range []share.Bus{one, other, other} {
		subscribe(t, b, "a", func(data []byte) {
			got <- string(data)
			clear(data)
		})
	}
	data := []byte("hello")
	if err := one.Publish(t.Context(), "a", data); err != nil {
		t.Fatalf("Publish: %v", err)
	}
	clear(data)
	serve(t, other, "q", func(_ context.Context, data []byte) []byte {
		clear(data)
		return nil
	})
	for range 3 {
		if text := <-got; text != "hello" {
			t.Errorf("received %q", text)
		}
	}
	data = []byte("hello")
	if answer, err := one.Request(t.Context(), "q", data); len(answer) != 0 || err != nil {
		t.Errorf("Request: %q, %v", answer, err)
	}
	if string(data) != "hello" {
		t.Errorf("a request has become %q", data)
	}
}

// testNobody checks that a request fails if nobody serves its subject.
func testNobody(t *testing.T, one, other share.Bus) {
	subscribe(t, other, "other", func([]byte) {})
	wantNobody := func(when string) {
		t.Helper()
		for _, b := range []share.Bus{one, other} {
			if answer, err := b.Request(t.Context(), "q", nil); !errors.Is(err, share.ErrNobody) {
				t.Errorf("Request %s: %q, %v, want ErrNobody", when, answer, err)
			}
		}
	}
	wantNobody("before anybody serves the subject")
	stop := serve(t, other, "q", func(_ context.Context, data []byte) []byte { return append([]byte("re: "), data...) })
	for _, b := range []share.Bus{one, other} {
		if answer, err := b.Request(t.Context(), "q", []byte("x")); string(answer) != "re: x" || err != nil {
			t.Errorf("Request: %q, %v", answer, err)
		}
	}
	stop()
	wantNobody("after stop")
}

// testOne checks that one of several that serve a subject gets each request.
func testOne(t *testing.T, one, other share.Bus) {
	var handled atomic.Int32
	for _, b := range []share.Bus{one, other, other} {
		serve(t, b, "q", func(_ context.Context, data []byte) []byte {
			handled.Add(1)
			return data
		})
	}
	var all sync.WaitGroup
	for i := range 100 {
		all.Go(func() {
			text := []byte(strconv.Itoa(i))
			if answer, err := one.Request(t.Context(), "q", text); !bytes.Equal(answer, text) || err != nil {
				t.Errorf("Request %s: %q, %v", text, answer, err)
			}
		})
	}
	all.Wait()
	if n := handled.Load(); n != 100 {
		t.Errorf("100 requests were handled %d times", n)
	}
}

// testParallel checks that requests are handled at the same time.
func testParallel(t *testing.T, one, other share.Bus) {
	const together = 10
	var begun sync.WaitGroup
	begun.Add(together)
	serve(t, other, "q", func(_ context.Context, data []byte) []byte {
		begun.Done()
		begun.Wait()
		return data
	})
	var all sync.WaitGroup
	for range together {
		all.Go(func() {
			if _, err := one.Request(t.Context(), "q", nil); err != nil {
				t.Errorf("Request: %v", err)
			}
		})
	}
	all.Wait()
}

// testEnds checks that a request ends with its context, and the context of its handler with stop.
func testEnds(t *testing.T, one, other share.Bus) {
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
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("Request whose context has ended: %v", err)
	}
	select {
	case <-ended:
		t.Error("the context of a handler has ended before stop")
	default:
	}
	stop()
	<-ended
}

// testLarge checks messages of the greatest length, and longer ones.
func testLarge(t *testing.T, one, other share.Bus) {
	largest, tooLarge := bytes.Repeat([]byte("x"), share.MaxMessage), make([]byte, share.MaxMessage+1)
	got := make(chan []byte, 1)
	subscribe(t, other, longSubject, func(data []byte) { got <- slices.Clone(data) })
	if err := one.Publish(t.Context(), longSubject, tooLarge); !errors.Is(err, share.ErrTooLarge) {
		t.Errorf("Publish of more than MaxMessage: %v, want ErrTooLarge", err)
	}
	if err := one.Publish(t.Context(), longSubject, largest); err != nil {
		t.Errorf("Publish of MaxMessage: %v", err)
	} else if !bytes.Equal(<-got, largest) {
		t.Error("a message of MaxMessage has come as another")
	}
	serve(t, other, "echo", func(_ context.Context, data []byte) []byte { return data })
	serve(t, other, "more", func(context.Context, []byte) []byte { return tooLarge })
	if answer, err := one.Request(t.Context(), "echo", largest); !bytes.Equal(answer, largest) || err != nil {
		t.Errorf("Request of MaxMessage: %d bytes, %v", len(answer), err)
	}
	for _, subject := range []string{"echo", "nobody"} {
		if _, err := one.Request(t.Context(), subject, tooLarge); !errors.Is(err, share.ErrTooLarge) {
			t.Errorf("Request of more than MaxMessage: %v, want ErrTooLarge", err)
		}
	}
	if _, err := one.Request(t.Context(), "more", nil); !errors.Is(err, share.ErrTooLarge) {
		t.Errorf("Request whose answer has more than MaxMessage: %v, want ErrTooLarge", err)
	}
}

// testOddSubjects checks that subjects of another form are refused.
func testOddSubjects(t *testing.T, one, _ share.Bus) {
	serve(t, one, "a", func(context.Context, []byte) []byte { return nil })
	subscribe(t, one, "a", func(data []byte) { t.Errorf("a message of another subject was received: %.20q", data) })
	for _, subject := range oddSubjects {
		refused := func(method string, stop func(), err error) {
			if !errors.Is(err, share.ErrSubject) {
				t.Errorf("%s %.20q: %v, want ErrSubject", method, subject, err)
			}
			if err == nil && stop != nil {
				stop()
			}
		}
		refused("Publish", nil, one.Publish(t.Context(), subject, []byte(subject)))
		_, err := one.Request(t.Context(), subject, nil)
		refused("Request", nil, err)
		stop, err := one.Subscribe(t.Context(), subject, func([]byte) {})
		refused("Subscribe", stop, err)
		stop, err = one.Serve(t.Context(), subject, func(context.Context, []byte) []byte { return nil })
		refused("Serve", stop, err)
	}
}
