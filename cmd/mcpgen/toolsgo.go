package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// goProgram is a server in Go whose list is imported: a package of any library.
type goProgram struct {
	pkg string
	// arguments are those of the program.
	arguments []string
}

func (g *goProgram) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&g.pkg, "go", "", "`PACKAGE` of a server written in Go, of any library: a folder or an import path. It is built and started with the arguments after --, over stdio, or over HTTP if --url says where it listens")
	completeFolders(cmd, "go")
}

// take takes the arguments after -- from the others.
func (g *goProgram) take(cmd *cobra.Command, args []string) (rest []string, err error) {
	dash := cmd.ArgsLenAtDash()
	switch {
	case g.pkg != "" && dash < 0 && len(args) > 0:
		return nil, fmt.Errorf("unexpected argument %q: the arguments of --go %s follow --", args[0], g.pkg)
	case g.pkg == "":
		return args, nil
	case dash >= 0:
		g.arguments = args[dash:]
		args = args[:dash]
	}
	return args, nil
}

// build builds the program in a folder and returns its file.
func (g *goProgram) build(ctx context.Context, stderr io.Writer, folder string) (string, error) {
	// Unlike go build, go install takes packages of modules that are not required, as in PACKAGE@latest.
	install := exec.CommandContext(ctx, "go", "install", g.pkg)
	if info, err := os.Stat(g.pkg); err == nil && info.IsDir() {
		install = exec.CommandContext(ctx, "go", "install", ".")
		install.Dir = g.pkg // its module may be another one
	}
	install.Env = append(os.Environ(), "GOBIN="+folder)
	install.Stderr = stderr
	if err := install.Run(); err != nil {
		return "", fmt.Errorf("--go %s: go install: %w", g.pkg, err)
	}
	built, err := os.ReadDir(folder)
	if err != nil {
		return "", err
	}
	if len(built) != 1 {
		return "", fmt.Errorf("--go %s: the package is not a program", g.pkg)
	}
	return filepath.Join(folder, built[0].Name()), nil
}

// start builds the program and lets the origin start it, or starts it here if the origin has a URL.
// It returns a function that ends what it started.
func (g *goProgram) start(cmd *cobra.Command, from *origin) (end func(), err error) {
	if g.pkg == "" {
		return func() {}, nil
	}
	release, err := hold(cmd.Context())
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "mcpgen-")
	if err != nil {
		release()
		return nil, err
	}
	remove := func() {
		os.RemoveAll(folder)
		release()
	}
	file, err := g.build(cmd.Context(), cmd.ErrOrStderr(), folder)
	if err != nil {
		remove()
		return nil, err
	}
	from.program = append([]string{file}, g.arguments...)
	if from.url == "" {
		return remove, nil
	}
	server := exec.Command(file, g.arguments...)
	server.Stdout, server.Stderr = cmd.ErrOrStderr(), cmd.ErrOrStderr()
	if err := server.Start(); err != nil {
		remove()
		return nil, err
	}
	gone := make(chan error, 1)
	go func() { gone <- server.Wait() }()
	if err := listens(cmd.Context(), from.url, gone); err != nil {
		server.Process.Kill()
		remove()
		return nil, fmt.Errorf("--go %s: %w", g.pkg, err)
	}
	return func() {
		server.Process.Kill() // the program gets no input, so it cannot wait for the end of it
		<-gone
		remove()
	}, nil
}

// listens waits until something listens at the address of a URL, or the program is gone.
func listens(ctx context.Context, at string, gone chan error) error {
	u, err := url.Parse(at)
	if err != nil {
		return err
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	address := net.JoinHostPort(u.Hostname(), port)
	patience, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var dialer net.Dialer
	for {
		conn, err := dialer.DialContext(patience, "tcp", address)
		if err == nil {
			return conn.Close()
		}
		select {
		case ended := <-gone:
			gone <- ended
			if ended == nil {
				return errors.New("the program ended before it listened at " + address)
			}
			return fmt.Errorf("the program ended before it listened at %s: %w", address, ended)
		case <-patience.Done():
			return fmt.Errorf("the program does not listen at %s: %w", address, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// next says what to do with the list of the program. The command line starts the program again.
func (g *goProgram) next(list string, from *origin) []string {
	if g.pkg == "" {
		return nil
	}
	live := "--url " + quoteWord(from.url)
	if from.url == "" {
		words := append([]string{"go", "run", g.pkg}, g.arguments...)
		for i, word := range words {
			words[i] = quoteWord(word)
		}
		live = "--cmd '" + strings.Join(words, " ") + "'"
	}
	return []string{
		fmt.Sprintf("next: mcpgen server --tools %s --out NEW writes a server with a method for each tool; fill the methods with the code of %s", quoteWord(list), g.pkg),
		fmt.Sprintf("then: mcpgen diff %s %s compares the new list with the old server", quoteWord(list), live),
		"see:  runtime/migration.md of mcpgen has the calls of the Go SDK and of mcp-go beside those of mcpgen",
	}
}
