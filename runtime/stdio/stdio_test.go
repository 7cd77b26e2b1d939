package stdio

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpgen/mcpgen/generated/mcp20251125"
	"github.com/mcpgen/mcpgen/generated/mcp20260728"
	"github.com/mcpgen/mcpgen/runtime"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// open returns a transport whose methods can be called without Start.
func open(in io.Reader, out io.Writer) *Transport {
	t := &Transport{In: in, Out: out}
	t.setup()
	return t
}

// all receives until the end; a line that is too long is "-".
func all(t *testing.T, tr *Transport, max int) []string {
	t.Helper()
	var texts []string
	for {
		in, err := tr.receive(t.Context(), max)
		if err != nil {
			if err != io.EOF {
				t.Errorf("end: %v", err)
			}
			return texts
		}
		if len(in.Text) > max {
			in.Text = "-"
		}
		texts = append(texts, in.Text)
	}
}

// S1, T6
func TestReceive(t *testing.T) {
	long := strings.Repeat("y", readSize+100)
	for _, c := range []struct {
		name string
		in   string
		max  int
		want []string
	}{
		{"nothing", "", 10, nil},
		{"lines", "a\nb\n", 10, []string{"a", "b"}},
		{"no newline at the end", "a\nb", 10, []string{"a", "b"}},
		{"blank lines", "\n \t\r\n\na\n\n", 10, []string{"a"}},
		{"CRLF", "a\r\nb\r\n", 10, []string{"a", "b"}},
		{"CR within", "a\rb\n", 10, []string{"a\rb"}},
		{"as long as may be", "1234567890\n1234567890\r\n", 10, []string{"1234567890", "1234567890"}},
		{"too long", "12345678901\na\n", 10, []string{"-", "a"}},
		{"too long at the end", "a\n12345678901", 10, []string{"a", "-"}},
		{"too long twice", "12345678901\n12345678901\na\n", 10, []string{"-", "-", "a"}},
		{"longer than a read", long + "\n" + long + "\r\na\n", 1 << 20, []string{long, long, "a"}},
		{"longer than a read, at the end", long, 1 << 20, []string{long}},
		{"longer than a read and too long", long + long + "\na\n", readSize + 50, []string{"-", "a"}},
		{"as long as a read", long[:readSize] + "\na\n", readSize, []string{long[:readSize], "a"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, r := range map[string]io.Reader{
				"whole":     strings.NewReader(c.in),
				"bytewise":  iotest.OneByteReader(strings.NewReader(c.in)),
				"halves":    iotest.HalfReader(strings.NewReader(c.in)),
				"with data": iotest.DataErrReader(strings.NewReader(c.in)),
			} {
				if diff := cmp.Diff(c.want, all(t, open(r, io.Discard), c.max)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

func FuzzReceive(f *testing.F) {
	f.Add([]byte("a\n\r\nbc\r\n12345678901\nd"), 3)
	f.Fuzz(func(t *testing.T, data []byte, chunk int) {
		const max = 10
		var want []string
		for line := range bytes.SplitSeq(data, []byte("\n")) {
			switch line = bytes.TrimSuffix(line, []byte("\r")); {
			case len(line) > max:
				want = append(want, "-")
			case len(bytes.TrimLeft(line, " \t\r")) > 0:
				want = append(want, string(line))
			}
		}
		got := all(t, open(&chunks{data, 1 + chunk&15}, io.Discard), max)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// chunks reads n bytes at a time.
type chunks struct {
	data []byte
	n    int
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.data[:min(c.n, len(c.data))])
	c.data = c.data[n:]
	return n, nil
}

// TestEndlessLine checks that a line without an end is refused once and costs no memory.
func TestEndlessLine(t *testing.T) {
	const size = 100 << 20
	tr := open(io.MultiReader(io.LimitReader(endless{}, size), strings.NewReader("\nnext\n")), io.Discard)
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	got := all(t, tr, 4<<20)
	goruntime.ReadMemStats(&after)
	if diff := cmp.Diff([]string{"-", "next"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 {
		t.Errorf("%d bytes allocated", used)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

func TestNoProgress(t *testing.T) {
	if _, err := open(stuck{}, io.Discard).receive(t.Context(), 10); err != io.ErrNoProgress {
		t.Error(err)
	}
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

// TestSend checks that each message is one Write of one line, however many send.
//
// S1, S4
func TestSend(t *testing.T) {
	var out lineWriter
	tr := &Transport{In: strings.NewReader(""), Out: &out}
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			text := fmt.Appendf(nil, "{\n\"i\": %d\n}", i)
			if err := tr.Send(t.Context(), runtime.Outgoing{Text: text}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for _, line := range out {
		if strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "\n") || seen[line] {
			t.Errorf("wrote %q", line)
		}
		seen[line] = true
	}
	if len(seen) != 50 {
		t.Errorf("%d lines", len(seen))
	}
}

type lineWriter []string

func (w *lineWriter) Write(p []byte) (int, error) {
	*w = append(*w, string(p))
	return len(p), nil
}

// TestSendAfterFailure checks that nothing follows half a line.
func TestSendAfterFailure(t *testing.T) {
	var out bytes.Buffer
	tr := &Transport{In: strings.NewReader(""), Out: shortWriter{&out}}
	for range 2 {
		if err := tr.Send(t.Context(), runtime.Outgoing{Text: []byte("ab")}); err != io.ErrShortWrite {
			t.Error(err)
		}
	}
	if got := out.String(); got != "a" {
		t.Errorf("wrote %q", got)
	}
}

type shortWriter struct{ w io.Writer }

func (s shortWriter) Write(p []byte) (int, error) { return s.w.Write(p[:1]) }

func TestInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		defer inW.Close()
		defer outR.Close()
		tr := open(inR, outW)
		ended := make(chan error, 3)
		go func() {
			_, err := tr.receive(t.Context(), 10)
			ended <- err
		}()
		for range 2 {
			go func() { ended <- tr.Send(t.Context(), runtime.Outgoing{Text: []byte("x")}) }()
		}
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := tr.Send(ctx, runtime.Outgoing{Text: []byte("x")}); err != context.Canceled {
			t.Errorf("send behind a send that waits: %v", err)
		}
		if err := tr.Close(); err != nil {
			t.Error(err)
		}
		for range 3 {
			if err := <-ended; err != io.ErrClosedPipe && err != runtime.ErrClosed {
				t.Error(err)
			}
		}
		if err := tr.Send(t.Context(), runtime.Outgoing{Text: []byte("x")}); err != runtime.ErrClosed {
			t.Error(err)
		}
		if _, err := tr.receive(ctx, 10); err != context.Canceled {
			t.Error(err)
		}
	})
}

func TestZeroTransport(t *testing.T) {
	var tr Transport
	tr.setup()
	if tr.In != os.Stdin || tr.Out != os.Stdout {
		t.Error("the zero transport is not that of the process")
	}
}

// TestProbeWait checks that a client sends initialize to a silent server after ProbeWait, also to a process that
// is started again.
func TestProbeWait(t *testing.T) {
	client := runtime.NewClient(runtime.ClientOptions{Name: "test", Version: "1"},
		runtime.Handlers{}.Bind(mcp20260728.Revision, mcp20260728.Methods), runtime.Handlers{}.Bind(mcp20251125.Revision, mcp20251125.Methods))
	for wait, want := range map[time.Duration]time.Duration{0: defaultProbeWait, time.Second: time.Second, time.Minute / 2: time.Minute / 2} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			inR, inW := io.Pipe()
			outR, outW := io.Pipe()
			server := open(inR, outW)
			go func() {
				for {
					in, err := server.receive(t.Context(), 1<<20)
					if err != nil {
						server.Close()
						return
					}
					m, _ := jsonrpc.Parse(in.Text)
					if m.Method != "initialize" {
						continue
					}
					if got := time.Since(start); got != want {
						t.Errorf("ProbeWait %v: initialize after %v", wait, got)
					}
					text, _ := (&jsonrpc.Message{Kind: jsonrpc.Response, ID: m.ID, Result: `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`}).AppendJSON(nil)
					server.Send(context.Background(), runtime.Outgoing{Text: text})
				}
			}()
			transport := open(outR, inW)
			transport.ProbeWait = wait
			session, err := client.Connect(t.Context(), transport)
			if err != nil {
				t.Fatal(err)
			}
			session.Close()
		})
	}
	process := Command(exec.Command("a"))
	process.ProbeWait = -1
	if next, err := process.Restart(); err != nil || next.(*Process).ProbeTimeout() != -1 {
		t.Errorf("after a restart: %v, %v", next, err)
	}
}
