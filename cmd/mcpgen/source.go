package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"time"
)

// maxSource limits the size of a schema or a document. The schemas of revisions have up to 200 KB, the
// largest known OpenAPI documents 40 MB.
const maxSource = 64 << 20

// readSource returns the content of a file or an https URL, or standard input for "-".
func readSource(ctx context.Context, stdin io.Reader, name string) ([]byte, error) {
	switch {
	case name == "-":
		return readLimited(stdin, "standard input")
	case strings.HasPrefix(name, "https://"):
		return fetch(ctx, &http.Client{CheckRedirect: onlyHTTPS}, name)
	case strings.Contains(name, "://"):
		return nil, fmt.Errorf("%s: only https URLs are supported", name)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readLimited(&interruptible{ctx, f}, name)
}

// onlyHTTPS allows as many redirects as http.DefaultClient, and only to https URLs, where
// nobody can alter the schema in transit.
func onlyHTTPS(req *http.Request, via []*http.Request) error {
	if req.URL.Scheme != "https" {
		return fmt.Errorf("only https URLs are supported, but the server redirects to %s", req.URL)
	}
	if len(via) >= 10 {
		return errors.New("stopped after 10 redirects")
	}
	return nil
}

func fetch(ctx context.Context, client *http.Client, url string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: the server answered %s", url, res.Status)
	}
	return readLimited(res.Body, url)
}

func readLimited(r io.Reader, name string) ([]byte, error) {
	src, err := io.ReadAll(io.LimitReader(r, maxSource+1))
	if named, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, named // which has the name
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(src) > maxSource {
		return nil, fmt.Errorf("%s: larger than %d MiB", name, maxSource>>20)
	}
	return src, nil
}
