package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"
)

// gitObject is a file or a folder in a commit, as git:REV:PATH names it.
type gitObject struct{ rev, path string }

// parseGit returns what an argument git:REV:PATH names, and false for other arguments.
func parseGit(arg string) (o gitObject, ok bool, err error) {
	text, ok := strings.CutPrefix(arg, "git:")
	if !ok {
		return o, false, nil
	}
	rev, path, found := strings.Cut(text, ":")
	if !found || rev == "" || path == "" || strings.HasPrefix(rev, "-") {
		return o, true, fmt.Errorf("%s: expected git:REV:PATH", arg)
	}
	return gitObject{rev, path}, true, nil
}

// String returns the argument that names the object.
func (o gitObject) String() string { return "git:" + o.rev + ":" + o.path }

// read returns the content of a file.
func (o gitObject) read(ctx context.Context) ([]byte, error) {
	return runGit(ctx, o.String(), "show", o.rev+":"+o.path)
}

// kind returns "blob" for a file, "tree" for a folder, and "" if the commit has neither.
func (o gitObject) kind(ctx context.Context) (string, error) {
	if _, err := runGit(ctx, o.String(), "rev-parse", "--verify", "--quiet", o.rev+"^{tree}"); err != nil {
		return "", fmt.Errorf("%s: git knows no commit %q", o, o.rev)
	}
	text, err := runGit(ctx, o.String(), "cat-file", "-t", o.rev+":"+strings.TrimSuffix(o.path, "/"))
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", nil
	}
	return strings.TrimSpace(string(text)), nil
}

// files returns the paths of all files of a folder, relative to it.
func (o gitObject) files(ctx context.Context) ([]string, error) {
	text, err := runGit(ctx, o.String(), "ls-tree", "-r", "-z", "--full-tree", "--name-only", o.rev+":"+strings.TrimSuffix(o.path, "/"))
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == 0 }), err
}

// id identifies the content of the object. It is "" if there is no object.
func (o gitObject) id(ctx context.Context) string {
	text, err := runGit(ctx, o.String(), "rev-parse", "--verify", "--quiet", o.rev+":"+strings.TrimSuffix(o.path, "/"))
	if err != nil {
		return ""
	}
	return string(text)
}

// runGit runs git in the working directory. Errors begin with what.
func runGit(ctx context.Context, what string, args ...string) ([]byte, error) {
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	text, err := readLimited(out, what)
	if err != nil {
		cmd.Process.Kill()
	}
	if wait := cmd.Wait(); err == nil && wait != nil {
		err = fmt.Errorf("%s: %s", what, strings.TrimSpace(stderr.String()))
	}
	return text, err
}

// step is a part of the history of a file: what a tag or a commit changes.
type step struct {
	rev string // a name that git knows
	// title is what people call it, and date the day on which it was made.
	title, date string
}

// history returns the steps from one commit to another: the tags between them and the last commit,
// or without tags the commits that change a path.
func history(ctx context.Context, from, to, path string) ([]step, error) {
	what := "git:" + from + ".." + to + ":" + path
	text, err := runGit(ctx, what, "for-each-ref", "--merged="+to, "--no-merged="+from, "--sort=creatordate", "--format=%(refname:strip=2)%09%(creatordate:short)", "refs/tags")
	if err != nil {
		return nil, err
	}
	steps := parseSteps(text)
	for i := range steps {
		steps[i].title = steps[i].rev
	}
	if len(steps) == 0 {
		if text, err = runGit(ctx, what, "log", "--reverse", "--format=%h%x09%cs%x09%s", from+".."+to, "--", ":(top)"+path); err != nil {
			return nil, err
		}
		return parseSteps(text), nil
	}
	last, err := runGit(ctx, what, "rev-list", "-1", to, "^"+steps[len(steps)-1].rev)
	if err != nil || len(last) == 0 {
		return steps, err
	}
	if text, err = runGit(ctx, what, "show", "-s", "--format=%cs", to+"^{commit}"); err != nil {
		return nil, err
	}
	return append(steps, step{rev: to, title: to, date: strings.TrimSpace(string(text))}), nil
}

// parseSteps reads lines of a name, a date and a subject.
func parseSteps(text []byte) []step {
	var steps []step
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		s := step{rev: fields[0], title: fields[0]}
		if len(fields) > 1 {
			s.date = fields[1]
		}
		if len(fields) > 2 {
			s.title += " " + fields[2]
		}
		steps = append(steps, s)
	}
	return steps
}
