package engine

import (
	"context"
	"errors"
	goruntime "runtime"
	"testing"
	"testing/synctest"
	"time"
)

var errOver = errors.New("over")

func begun(ctx context.Context) *Lifetime {
	l := new(Lifetime)
	l.Init(ctx)
	return l
}

// TestLifetimeStop checks that no goroutine starts after Stop and that Wait waits for those before it.
func TestLifetimeStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := begun(t.Context())
		release := make(chan struct{})
		if !l.Go(func() { <-release }) {
			t.Fatal("Go before Stop: false")
		}
		l.Stop()
		if l.Go(func() { t.Error("a function was run after Stop") }) || l.Enter() {
			t.Error("a goroutine has entered after Stop")
		}
		if !l.Stopped() || l.Running() != 1 {
			t.Errorf("stopped: %t, running: %d", l.Stopped(), l.Running())
		}
		start := time.Now()
		if l.Wait(time.Second, nil); time.Since(start) != time.Second {
			t.Errorf("Wait with a goroutine left returned after %v", time.Since(start))
		}
		time.AfterFunc(time.Minute, func() { close(release) })
		if l.Wait(time.Hour, nil); time.Since(start) != time.Second+time.Minute || l.Running() != 0 {
			t.Errorf("Wait returned after %v with %d goroutines left", time.Since(start), l.Running())
		}
		if l.Stop(); l.Running() != 0 {
			t.Error("a second Stop has an effect")
		}
	})
}

// TestLifetimeContexts checks what ends which context.
func TestLifetimeContexts(t *testing.T) {
	l := begun(t.Context())
	before := l.Background()
	l.EndBackground(errOver)
	if context.Cause(before) != errOver || l.Context().Err() != nil {
		t.Errorf("EndBackground: the background ends with %v, the connection with %v", context.Cause(before), l.Context().Err())
	}
	l = begun(t.Context())
	if l.EndBackground(errOver); context.Cause(l.Background()) != errOver {
		t.Error("a background that is made after its end goes on")
	}
	l = begun(t.Context())
	before = l.Background()
	if l.End(errOver); context.Cause(l.Context()) != errOver || context.Cause(before) != errOver {
		t.Error("End does not end both contexts")
	}
}

// TestLifetimeDo checks that Do returns also if its function ends the goroutine.
func TestLifetimeDo(t *testing.T) {
	l := begun(t.Context())
	did := false
	l.Do(func() { did = true; goruntime.Goexit() })
	l.Stop()
	l.Do(func() { t.Error("run after Stop") })
	if !did || l.Running() != 0 {
		t.Errorf("did: %t, running: %d", did, l.Running())
	}
}

// TestLifetimeValue checks that a value is made once for each key.
func TestLifetimeValue(t *testing.T) {
	l := begun(t.Context())
	made := 0
	first := func() any { made++; return made }
	if a, b, c := l.Value("a", first), l.Value("a", first), l.Value("b", first); a != 1 || b != 1 || c != 2 {
		t.Error(a, b, c)
	}
}
