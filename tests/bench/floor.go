package main

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
)

// The floor moves the bytes that a library must move, and does nothing else.

// hops has a goroutine answer texts over two channels.
func hops(answer string) *Work {
	requests, answers := make(chan string), make(chan string)
	go func() {
		for range requests {
			answers <- strings.Clone(answer)
		}
	}()
	return &Work{
		Do: func(n int) error {
			for range n {
				requests <- strings.Clone(callText)
				if got := <-answers; len(got) != len(answer) {
					return fmt.Errorf("an answer of %d bytes", len(got))
				}
			}
			return nil
		},
		Close: func() { close(requests) },
	}
}

// echo answers HTTP requests with the bytes of the call's answer, after those of a
// notification if it is to be a stream.
func echo(stream bool) http.Handler {
	if !stream {
		return reply([]byte(answerText))
	}
	const (
		first  = "event: message\ndata: " + progressText + "\n\n"
		second = "event: message\ndata: " + answerText + "\n\n"
	)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, first)
		w.(http.Flusher).Flush()
		io.WriteString(w, second)
	})
}

// reply answers HTTP requests with a text.
func reply(text []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Write(text)
	})
}

// lines is a client that writes lines and reads lines.
type lines struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	buf []byte
	id  int64
}

// startLines starts a program.
func startLines(program string) (*lines, error) {
	cmd := exec.Command(program)
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &lines{cmd: cmd, in: in, out: bufio.NewReader(out)}, cmd.Start()
}

// ask writes a line and reads one, which is valid until the next.
func (l *lines) ask(line string) ([]byte, error) {
	if err := l.tell(line); err != nil {
		return nil, err
	}
	return l.out.ReadSlice('\n')
}

func (l *lines) tell(line string) error {
	l.buf = append(append(l.buf[:0], line...), '\n')
	_, err := l.in.Write(l.buf)
	return err
}

// call calls get_weather with an id of its own.
func (l *lines) call(arguments string) ([]byte, error) {
	l.id++
	l.buf = append(appendCall(l.buf[:0], l.id, arguments, false), '\n')
	if _, err := l.in.Write(l.buf); err != nil {
		return nil, err
	}
	return l.out.ReadSlice('\n')
}

func (l *lines) close() {
	l.in.Close()
	l.cmd.Wait()
}

// open opens a session with an MCP server.
func (l *lines) open() error {
	answer, err := l.ask(initializeText)
	if err != nil {
		return err
	}
	if !strings.Contains(string(answer), `"protocolVersion":"`+revision+`"`) {
		return fmt.Errorf("the answer to initialize: %s", answer)
	}
	return l.tell(initializedText)
}

// appendCall appends a call of get_weather.
func appendCall(dst []byte, id int64, arguments string, progress bool) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = strconv.AppendInt(dst, id, 10)
	dst = append(dst, `,"method":"tools/call","params":{`...)
	if progress {
		dst = append(dst, `"_meta":{"progressToken":"p"},`...)
	}
	dst = append(dst, `"name":"get_weather","arguments":`...)
	dst = append(dst, arguments...)
	return append(dst, "}}"...)
}
