// Package embedded runs a NATS JetStream server within a program, for package natsmcp. A program can thus keep
// its state in a folder, and one of several replicas can keep the state of all. The package is a module of its
// own, so that programs with a separate NATS server do not depend on code that adds 13 MB to a binary.
//
// The tests of package natsmcp are here, too, because they need a server.
package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/gofrs/flock"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/mcpgen/mcpgen/runtime/internal/logs"
)

// Options configure a server.
type Options struct {
	// Dir is the folder with the state of the server, which is created if it does not exist. One process
	// can use it at a time.
	Dir string
	// Listen is the TCP address for other processes, such as "127.0.0.1:4222". Anyone who can reach it can
	// read and change the state. If it is empty, only this process can connect.
	Listen string
	// Unsynced lets the operating system delay writes to the disk. Changes are many times faster, but the
	// last ones are lost if the machine loses power. They survive the end of the process either way.
	Unsynced bool
	// Logger receives the errors and warnings of the server. Nil means slog.Default().
	Logger *slog.Logger
}

// startTimeout is how long a server may take to recover its state.
const startTimeout = time.Minute

// Server is a running server.
type Server struct {
	server *server.Server
	lock   *flock.Flock
}

// Start starts a server and returns it when it is ready. The caller closes it.
func Start(ctx context.Context, o Options) (started *Server, err error) {
	s := &Server{lock: flock.New(filepath.Join(o.Dir, "lock"))}
	defer func() {
		if err != nil {
			_ = s.Close()
			started, err = nil, fmt.Errorf("embedded: %w", err)
		}
	}()
	if o.Dir == "" {
		return nil, errors.New("Options.Dir is empty")
	}
	opts := &server.Options{
		JetStream: true, StoreDir: o.Dir, SyncAlways: !o.Unsynced,
		NoSigs: true, DontListen: o.Listen == "",
	}
	if o.Listen != "" {
		host, port, err := net.SplitHostPort(o.Listen)
		if err == nil {
			opts.Port, err = strconv.Atoi(port)
		}
		if err != nil {
			return nil, fmt.Errorf("Options.Listen is %q, want an IP address and the number of a port: %w", o.Listen, err)
		}
		opts.Host = cmp.Or(host, server.DEFAULT_HOST)
		opts.Port = cmp.Or(opts.Port, server.RANDOM_PORT)
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, err
	}
	log := &logger{to: logs.Or(o.Logger, slog.LevelWarn), fatal: make(chan string, 1)}
	locked, err := s.lock.TryLock()
	if err == nil && !locked {
		err = fmt.Errorf("%s is in use by another process", o.Dir)
	}
	if err != nil {
		return nil, err
	}
	if s.server, err = server.NewServer(opts); err != nil {
		return nil, err
	}
	s.server.SetLoggerV2(log, false, false, false)
	s.server.Start()
	return s, s.ready(ctx, log.fatal)
}

// ready waits until the server takes connections.
func (s *Server) ready(ctx context.Context, fatal <-chan string) error {
	ctx, done := context.WithTimeout(ctx, startTimeout)
	defer done()
	for !s.server.ReadyForConnections(10 * time.Millisecond) {
		select {
		case why := <-fatal:
			return fmt.Errorf("the NATS server does not start: %s", why)
		case <-ctx.Done():
			return fmt.Errorf("the NATS server does not start: %w", context.Cause(ctx))
		default:
		}
	}
	return nil
}

// Connect returns a connection within the process. It needs no network. The caller closes it before the server.
func (s *Server) Connect() (*nats.Conn, error) {
	nc, err := nats.Connect("", nats.InProcessServer(s.server))
	if err != nil {
		return nil, fmt.Errorf("embedded: %w", err)
	}
	return nc, nil
}

// URL returns the URL at which other processes connect, or "" without Options.Listen.
func (s *Server) URL() string {
	if s.server.Addr() == nil {
		return ""
	}
	return s.server.ClientURL()
}

// Close ends the server when it has written its state.
func (s *Server) Close() error {
	if s.server != nil {
		s.server.Shutdown()
		s.server.WaitForShutdown()
	}
	return s.lock.Close()
}

// logger is the log of a server, which reports in no other way why it does not start.
type logger struct {
	to    *slog.Logger
	fatal chan string // the first fatal error
}

func (l *logger) log(level slog.Level, format string, v []any) string {
	text := fmt.Sprintf(format, v...)
	l.to.Log(context.Background(), level, "nats: "+text)
	return text
}

// Fatalf implements server.Logger. Unlike others, it lets the process go on.
func (l *logger) Fatalf(format string, v ...any) {
	select {
	case l.fatal <- l.log(slog.LevelError, format, v):
	default:
	}
}

func (l *logger) Errorf(format string, v ...any) { l.log(slog.LevelError, format, v) }
func (l *logger) Warnf(format string, v ...any)  { l.log(slog.LevelWarn, format, v) }
func (l *logger) Noticef(string, ...any)         {}
func (l *logger) Debugf(string, ...any)          {}
func (l *logger) Tracef(string, ...any)          {}
