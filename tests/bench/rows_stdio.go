package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// stdioRows are calls of a server process.
func stdioRows() []*Row {
	targets := append([]Target{timesFloor(1.25)}, overPeers(2, 8)...)
	return []*Row{
		{
			Name: "stdio/call/own", Title: "a call over stdio, each with its own client", Counts: "time of both, memory of the client",
			Subjects: subjects(echoLines, callStdio), Targets: targets,
		},
		{
			Name: "stdio/call/raw", Title: "a call over stdio, all with one raw client", Counts: "time of the server",
			Subjects: subjects(echoLines, rawLines), Targets: targets,
		},
	}
}

// callStdio calls a server process.
func callStdio(ctx context.Context, lab *Lab, l library) (*Work, error) {
	program, err := lab.server(ctx, l.name)
	if err != nil {
		return nil, err
	}
	c, err := l.start(ctx, program)
	if err != nil {
		return nil, err
	}
	return calls(ctx, c), controlled(ctx, l, c)
}

// echoLines writes a line to a process and reads one.
func echoLines(ctx context.Context, lab *Lab) (*Work, error) {
	program, err := lab.server(ctx, floor)
	if err != nil {
		return nil, err
	}
	l, err := startLines(program)
	if err != nil {
		return nil, err
	}
	return l.work(func(answer []byte) error {
		if len(answer) != 240 {
			return fmt.Errorf("the echo has %d bytes", len(answer))
		}
		return nil
	}), nil
}

// rawLines calls a server with raw lines.
func rawLines(ctx context.Context, lab *Lab, library library) (*Work, error) {
	program, err := lab.server(ctx, library.name)
	if err != nil {
		return nil, err
	}
	l, err := startLines(program)
	if err != nil {
		return nil, err
	}
	if err := l.open(); err != nil {
		return nil, err
	}
	for _, arguments := range invalid {
		answer, err := l.call(arguments)
		if err != nil {
			return nil, err
		}
		if err := checkRefused(answer); err != nil && !library.unchecked {
			return nil, err
		}
	}
	return l.work(checkAnswer), nil
}

// lines is a client that writes and reads raw lines.
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

// ask writes a line and reads one, which is valid until the next call.
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

// call calls get_weather with a new id.
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

// work returns the work of calling and checking the answer.
func (l *lines) work(check func([]byte) error) *Work {
	return &Work{
		Outside: true,
		Do: func(n int) error {
			for range n {
				answer, err := l.call(argsText)
				if err != nil {
					return err
				}
				if err := check(answer); err != nil {
					return err
				}
			}
			return nil
		},
		Close: l.close,
	}
}
