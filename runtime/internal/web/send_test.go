package web

import (
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// odd is a transport that brings the same response always.
type odd struct{ resp *http.Response }

func (o odd) RoundTrip(*http.Request) (*http.Response, error) { return o.resp, nil }

// TestSend holds that send is http.Client.Do, in what it brings and in what servers see.
func TestSend(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		user, _, _ := r.BasicAuth()
		mu.Lock()
		seen = append(seen, strings.Join([]string{r.Method, r.URL.Path, string(body), r.Header.Get("Cookie"), user}, " "))
		mu.Unlock()
		switch r.URL.Path {
		case "/here":
			http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
		case "/round":
			http.Redirect(w, r, "/round", http.StatusPermanentRedirect)
		case "/elsewhere":
			http.Redirect(w, r, "http://other.example", http.StatusTemporaryRedirect)
		case "/seen":
			http.Redirect(w, r, "/there", http.StatusSeeOther)
		case "/nowhere":
			w.WriteHeader(http.StatusFound)
		case "/slow":
			<-r.Context().Done()
		case "/cookie":
			http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		}
		io.WriteString(w, "answer")
	}))
	defer ts.Close()
	closed := httptest.NewServer(nil)
	closed.Close()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, url string
		client    http.Client
	}{
		{name: "plain", url: ts.URL},
		{name: "redirected", url: ts.URL + "/here"},
		{name: "in circles", url: ts.URL + "/round"},
		{name: "to another server", url: ts.URL + "/elsewhere"},
		{name: "to a GET", url: ts.URL + "/seen"},
		{name: "to no place", url: ts.URL + "/nowhere"},
		{name: "not reached", url: closed.URL},
		{name: "no URL", url: "ftp://x"},
		{name: "with a user", url: strings.Replace(ts.URL, "http://", "http://me:secret@", 1)},
		{name: "with a cookie", url: ts.URL + "/cookie", client: http.Client{Jar: jar}},
		{name: "in time", url: ts.URL + "/slow", client: http.Client{Timeout: 100 * time.Millisecond}},
		{name: "no body", url: ts.URL, client: http.Client{Transport: odd{&http.Response{StatusCode: 200}}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := Client(&c.client)
			try := func(do func(*http.Request) (*http.Response, error)) (is string) {
				mu.Lock()
				seen = nil
				mu.Unlock()
				for range 2 {
					req, err := http.NewRequest(http.MethodPost, c.url, strings.NewReader("body"))
					if err != nil {
						t.Fatal(err)
					}
					resp, err := do(req)
					if err != nil {
						is += err.Error() + "\n"
						continue
					}
					text, _ := io.ReadAll(resp.Body)
					resp.Body.Close()
					is += resp.Status + " " + string(text) + "\n"
				}
				mu.Lock()
				defer mu.Unlock()
				return is + strings.Join(seen, "\n")
			}
			if c.client.Jar != nil {
				try(client.Do) // for the cookie
			}
			want := try(client.Do)
			if got := try(func(r *http.Request) (*http.Response, error) { return send(client, r) }); got != want {
				t.Errorf("%s\nwant, as net/http has it:\n%s", got, want)
			}
		})
	}
}

// TestLeavesHeaders holds which clients are known not to change the header of a request.
func TestLeavesHeaders(t *testing.T) {
	for _, c := range []struct {
		client http.Client
		want   bool
	}{
		{http.Client{}, true},
		{http.Client{Transport: &http.Transport{}}, true},
		{http.Client{Transport: odd{}}, false},
		{http.Client{Jar: new(cookiejar.Jar)}, false},
		{http.Client{Timeout: time.Second}, false},
	} {
		if got := LeavesHeaders(&c.client); got != c.want {
			t.Errorf("%+v: %v", c.client, got)
		}
	}
}

// TestAnswerTooLarge holds that no more is read than may be, whatever the length says.
func TestAnswerTooLarge(t *testing.T) {
	for _, length := range []int64{-1, 1, 10, 11, 1 << 20} {
		body := strings.NewReader(strings.Repeat("x", 1<<20))
		_, err := ReadAnswer(&http.Response{ContentLength: length, Body: io.NopCloser(body)}, 10)
		if !errors.Is(err, ErrTooLarge) || body.Len() < 1<<20-4<<10 {
			t.Errorf("length %d: %v, %d bytes were read", length, err, 1<<20-body.Len())
		}
	}
}
